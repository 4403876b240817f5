package loop_test

import (
	"fmt"
	"strings"

	"longwatch/backend/check"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

// tell writes an event in one line; those that say nothing about the loop are
// left out.
func tell(e run.Event) string {
	switch e := e.(type) {
	case run.PhaseStarted:
		return attempted(fmt.Sprintf("%d %s", e.Round, e.Phase), e.Attempt)
	case run.PhaseFailed:
		return fmt.Sprintf("%d %s failed %s: %s", e.Round, e.Phase, e.Fail, oneLine(e.Detail))
	case run.Interrupted:
		return fmt.Sprintf("%d %s interrupted, alive %v", e.Round, e.Phase, e.Reaped)
	case run.Planned:
		return strings.TrimSpace(fmt.Sprintf("%d planned %s %s", e.Round, e.Plan.Route, oneLine(e.Plan.Task+e.Plan.Question+e.Plan.Until)))
	case run.PlanRefused:
		return fmt.Sprintf("%d plan refused: %s", e.Round, oneLine(e.Reason))
	case run.DoneRefused:
		return fmt.Sprintf("%d done refused: %s", e.Round, strings.Join(e.Missing, "; "))
	case run.Executed:
		return strings.TrimSpace(fmt.Sprintf("%d executed exit %d %s", e.Round, e.Exit, e.Fail))
	case run.WorkspaceChanged:
		return fmt.Sprintf("%d changed during %s: %s", e.Round, e.During, listed(e.Changes))
	case run.Checked:
		return fmt.Sprintf("%d checked %s%s", e.Round, results(e.Results), hidden(e.Hidden))
	case run.Audited:
		return fmt.Sprintf("%d audited %s%s%s", e.Round, e.Verdict, effect(e), lowered(e))
	case run.Violated:
		return fmt.Sprintf("%d violated: %s", e.Round, listed(e.Changes))
	case run.Checkpointed:
		return strings.TrimSpace(fmt.Sprintf("%d kept %s%s %s", e.Round, e.ID, map[bool]string{true: " supported"}[e.Supported], e.Problem))
	case run.Restored:
		return "restored " + e.Checkpoint
	case run.RoundClosed:
		return fmt.Sprintf("%d closed %s", e.Round, e.End)
	case run.ProbeResult:
		return fmt.Sprintf("%d probed %s", e.Round, results([]check.Result{e.Result}))
	case run.FinalReply:
		return fmt.Sprintf("%d replied: %s", e.Round, oneLine(e.Said.Text))
	}
	return tellPerson(e)
}

func tellPerson(e run.Event) string {
	switch e := e.(type) {
	case run.GateOpened:
		return strings.TrimSpace(fmt.Sprintf("%s %s %s: %s %s", e.Gate, e.Trigger, e.Reason, oneLine(e.Question), strings.Join(e.Details, " | ")))
	case run.GateAnswered:
		what := "continue"
		if e.End {
			what = "end"
		}
		if e.Rounds > 0 {
			what += fmt.Sprintf(" +%d", e.Rounds)
		}
		return strings.TrimSpace(fmt.Sprintf("%s answered %s %s", e.Gate, what, e.Text))
	case run.MessageReceived:
		return "message " + e.Text
	case run.MessageUsed:
		return fmt.Sprintf("%d used %s", e.Round, strings.Join(e.IDs, " "))
	case run.StopRequested:
		if e.Abort {
			return "abort"
		}
		return "stop"
	case run.PauseSet:
		return map[bool]string{true: "pause", false: "go"}[e.Paused]
	case run.LimitsChanged:
		return fmt.Sprintf("limits +%d rounds", e.Add.Rounds)
	case run.BudgetNoted:
		return fmt.Sprintf("noted %s %d of %d", e.Budget, e.Used, e.Limit)
	case run.CapabilityMissing:
		return "missing " + e.Name + ": " + e.FixHint
	case run.Finished:
		return fmt.Sprintf("finished %s: %s", e.Outcome, e.Reason)
	}
	return ""
}

func effect(e run.Audited) string {
	if e.Effect == "" {
		return ""
	}
	return " effect " + string(e.Effect)
}

func attempted(what string, n int) string {
	if n > 1 {
		what += fmt.Sprintf(" (attempt %d)", n)
	}
	return what
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func listed(c run.Changes) string {
	var out []string
	for _, ch := range c.First {
		out = append(out, ch.String())
	}
	if !c.Counts {
		out = append(out, "(ignored)")
	}
	return strings.Join(out, ", ")
}

func results(rs []check.Result) string {
	var out []string
	for _, r := range rs {
		out = append(out, fmt.Sprintf("%s %s", r.Status, r.Check))
	}
	return strings.Join(out, ", ")
}

func hidden(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d hidden failed", n)
}

func lowered(e run.Audited) string {
	out := ""
	if e.Said != e.Verdict {
		out = " said " + e.Said.String()
	}
	if len(e.Reasons) > 0 {
		out += ": " + strings.Join(e.Reasons, "; ")
	}
	if e.Verdict == protocol.Unreadable() && e.Said == e.Verdict && len(e.Reasons) == 0 {
		out += " (its own words)"
	}
	return out
}
