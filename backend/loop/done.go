package loop

import (
	"fmt"

	"longwatch/backend/gate"
	"longwatch/backend/run"
)

// claimed is row 12: what a `done` needs, in the order in which it can be had.
// The facts that need no work come first; then the task's own checks; then,
// where it is due, the final audit; then the reply; then the person.
func claimed(s *run.State, now int64) *Decision {
	if s.Done == nil {
		return nil
	}
	r := s.Round(s.Done.Round)
	if missing := lacksFacts(s); len(missing) > 0 {
		return refuse(r, missing)
	}
	if d := finalChecks(s, r); d != nil {
		return d
	}
	if d := finalAudit(s, r, now); d != nil {
		return d
	}
	switch {
	case wantsReport(s, now):
		return phase(s, run.Report, "everything holds: the reporter writes the reply")
	case r.End == "":
		return &Decision{
			Disposition: RunNow, Step: Step{Do: DoClose, Round: r.N, End: run.EndDone},
			Reason: "the done of round " + fmt.Sprint(r.N) + " holds",
		}
	case s.Created.Unattended:
		return finish(run.Complete, "everything holds and nobody is attending")
	}
	return ask(gate.Completed(s, now))
}

func refuse(r *run.Round, missing []string) *Decision {
	return &Decision{
		Disposition: Replan, Step: Step{Do: DoRefuse, Round: r.N, Missing: missing},
		Reason: "done is refused",
	}
}

// lacksFacts names what no check or audit could still supply.
func lacksFacts(s *run.State) []string {
	var out []string
	v, at := s.LatestVerdict()
	switch {
	case v == nil:
		out = append(out, "nothing was audited yet")
	case !v.Verdict.Supports() && v.Phase == run.Audit:
		out = append(out, fmt.Sprintf("the verdict of round_%03d does not support it: %s", v.Round, v.Verdict))
	case s.Spoken > at:
		out = append(out, "the person wrote after the last verdict: do and audit a step that takes it in")
	}
	requirements := 0
	for _, b := range s.Records {
		if b.Requirement() {
			requirements++
		}
	}
	if requirements == 0 {
		out = append(out, "no requirement is recorded")
	}
	for _, b := range s.OpenRequirements() {
		out = append(out, fmt.Sprintf("%s is %s: %s", b.ID, b.Mark, b.Text))
	}
	return out
}

// finalChecks runs the task's checks when they are older than the last change
// and refuses the claim when one fails.
func finalChecks(s *run.State, r *run.Round) *Decision {
	if s.Created.Checks == 0 {
		return nil
	}
	if r.FinalChecked == nil || r.FinalCheckedSeq < s.Changed || r.FinalCheckedSeq < s.Done.Seq {
		if r.Spoilt[run.FinalCheck] >= Attempts {
			return refuse(r, []string{"the task's machine checks could not be run"})
		}
		return phase(s, run.FinalCheck, "done is claimed: the task's machine checks are run now")
	}
	var missing []string
	for _, c := range r.FinalChecked.Results {
		if !c.Passed() {
			missing = append(missing, fmt.Sprintf("the check fails: %s (%s)", c.Check, c.Proof))
		}
	}
	if r.FinalChecked.Hidden > 0 {
		missing = append(missing, "a hidden acceptance check failed")
	}
	if len(missing) > 0 {
		return refuse(r, missing)
	}
	return nil
}

// finalAudit asks for the audit against the original task: when more than one
// step was executed, whenever the workspace changed after the last verdict, and
// when that one was a final audit that did not support an earlier claim.
func finalAudit(s *run.State, r *run.Round, now int64) *Decision {
	v, at := s.LatestVerdict()
	stale := s.Changed > at
	due := stale || !v.Verdict.Supports() || (s.Created.FinalAudit && s.Steps() > 1)
	have := r.Final != nil && !r.Void && r.FinalSeq > s.Done.Seq && r.FinalSeq > s.Changed
	switch {
	case have && !r.Final.Verdict.Supports():
		return refuse(r, append([]string{"the final audit does not support it: " + r.Final.Verdict.String()}, r.Final.Reasons...))
	case have || !due:
		return nil
	case s.Voids >= Attempts:
		return ask(gate.NeedsHuman(s, now))
	case r.Spoilt[run.FinalAudit] >= Attempts:
		return refuse(r, []string{"the final audit gave no verdict"})
	}
	return phase(s, run.FinalAudit, "done is claimed: the whole task is audited")
}
