package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"longwatch/backend/check"
	"longwatch/backend/loop"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
	"longwatch/backend/task"
)

// managerWords plans the step the position points to.
func managerWords(in *loop.Input) string {
	p := protocol.Plan{Records: in.Prove, Serves: in.Serves}
	if in.Round == 1 {
		p.Contract = fmt.Sprintf("All %d steps of the playbook are done in the workspace, and the checks of each hold.", in.Total)
	}
	pos := in.Position
	switch pos.Mode {
	case loop.ModeDone:
		p.Route = protocol.Done
	case loop.ModeBlocked:
		p.Route, p.Question = protocol.Stop, pos.Reason
	case loop.ModeRecheck:
		p.Route = protocol.CLI
		p.Task = "Change nothing; look at the finished work again, because the person wrote."
		p.Criteria = criteria(in.Step)
	case loop.ModeRun:
		p.Route = protocol.CLI
		p.Task = fmt.Sprintf("Step %d of %d: %s", pos.Step+1, in.Total, in.Step.Name)
		if pos.Attempt > 0 {
			p.Task += fmt.Sprintf(" (alternative %d)", pos.Attempt)
		}
		p.Criteria = criteria(in.Step)
	}
	return p.Text(language(in))
}

func language(in *loop.Input) protocol.Language {
	if in.Language == "zh" {
		return protocol.Chinese
	}
	return protocol.English
}

func criteria(st task.Step) []protocol.Criterion {
	var out []protocol.Criterion
	for i, c := range st.Expect {
		out = append(out, protocol.Criterion{ID: fmt.Sprintf("C%d", i+1), Text: "holds after the step", Check: c.String()})
	}
	return out
}

// auditorWords judges the workspace: files and addresses by looking again,
// commands by what Longwatch found when it ran them, since running them once
// more could change what is judged.
func auditorWords(ctx context.Context, in *loop.Input, dir string) string {
	expects := in.Step.Expect
	if in.Phase == run.FinalAudit {
		expects = finalExpects(in)
	}
	r := protocol.Report{Verdict: protocol.Verdict{
		Status: protocol.StatusComplete, Integrity: protocol.IntegrityClean, Contract: protocol.ContractAligned,
	}}
	for _, c := range expects {
		res := look(ctx, in, c, dir)
		line := fmt.Sprintf("%s: %s", res.Check, res.Proof)
		if res.Passed() {
			r.Facts = append(r.Facts, line)
		} else {
			r.Gaps = append(r.Gaps, line)
		}
	}
	r.Gaps = append(r.Gaps, otherGaps(in, len(expects))...)
	if len(r.Gaps) > 0 {
		r.Verdict.Status = protocol.StatusIncomplete
	}
	r.Update = update(in, r.Verdict)
	return r.Text(language(in))
}

// otherGaps are those no check tells: a step without checks is judged by its
// exit code, the whole task by its requirements.
func otherGaps(in *loop.Input, checks int) []string {
	var out []string
	if in.Phase == run.FinalAudit {
		for _, name := range in.Open {
			out = append(out, name+" is not verified")
		}
		return out
	}
	switch {
	case checks > 0 || in.Position.Mode == loop.ModeRecheck:
	case in.Executed == nil:
		out = append(out, "the step was interrupted and has no check that could tell how far it came")
	case in.Executed.Fail != "" || in.Executed.Exit != 0:
		out = append(out, fmt.Sprintf("the step's command ended with exit %d %s", in.Executed.Exit, in.Executed.Fail))
	}
	return out
}

func finalExpects(in *loop.Input) []check.Check {
	var out []check.Check
	if in.Checked != nil {
		for _, r := range in.Checked.Results {
			if c, err := check.Parse(r.Check); err == nil {
				out = append(out, c)
			}
		}
	}
	return append(out, in.Step.Expect...)
}

func look(ctx context.Context, in *loop.Input, c check.Check, dir string) check.Result {
	if c.Kind != check.Run {
		return check.Evaluate(ctx, c, check.Env{Root: dir})
	}
	if in.Checked != nil {
		i := slices.IndexFunc(in.Checked.Results, func(r check.Result) bool { return r.Check == c.String() })
		if i >= 0 {
			return in.Checked.Results[i]
		}
	}
	if in.Phase == run.FinalAudit {
		return check.Result{Check: c.String(), Status: check.Pass, Proof: "held when its step was audited"}
	}
	return check.Result{Check: c.String(), Status: check.Unavailable, Proof: "it was not run"}
}

func update(in *loop.Input, v protocol.Verdict) string {
	if in.Phase == run.FinalAudit {
		return ""
	}
	if v.Supports() {
		return fmt.Sprintf("%s verified in round_%03d", in.Step.Requirement, in.Round)
	}
	return fmt.Sprintf("%s not verified", in.Step.Requirement)
}

// reporterWords is the reply: what was verified, by which round, and what is
// open.
func reporterWords(in *loop.Input) string {
	var b strings.Builder
	if len(in.Open) == 0 {
		fmt.Fprintf(&b, "%s: all %d steps are done and verified.\n\n", in.Title, in.Total)
	} else {
		fmt.Fprintf(&b, "%s: %d of %d steps are verified, %d are not.\n\n", in.Title, len(in.Verified), in.Total, len(in.Open))
	}
	for i, v := range in.Verified {
		fmt.Fprintf(&b, "%d. %s: verified in round %d\n", i+1, v.Name, v.Round)
	}
	for i, name := range in.Open {
		fmt.Fprintf(&b, "%d. %s: not verified\n", len(in.Verified)+i+1, name)
	}
	return b.String()
}
