package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"longwatch/backend/protocol"
	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// view prints a run one line an event.
type view struct {
	w     io.Writer
	color bool
	head  bool
}

func newView(w io.Writer, color bool) *view { return &view{w: w, color: color} }

// show prints an event; of history only the head of the run is shown.
func (v *view) show(s *run.State, e run.Entry, history bool) {
	if !v.head && s.Epoch > 0 {
		v.header(s)
	}
	if history {
		return
	}
	switch ev := e.Event.(type) {
	case run.Resumed:
		v.say("resumed", "a new worker goes on")
	case run.TailCut:
		v.say("repaired", fmt.Sprintf("an unfinished last line of %d bytes was cut", ev.Bytes))
	case run.Planned:
		v.planned(ev)
	case run.PlanRefused:
		v.round(ev.Round, "plan", v.bad("refused: "+ev.Reason))
	case run.DoneRefused:
		v.round(ev.Round, "done", v.bad("refused: "+strings.Join(ev.Missing, "; ")))
	case run.Executed:
		v.round(ev.Round, "execute", executed(ev))
	case run.WorkspaceChanged:
		v.round(ev.Round, "changes", changes(ev))
	case run.Checked:
		v.checked(ev)
	case run.Audited:
		v.audited(ev)
	case run.Violated:
		v.round(ev.Round, "void", v.bad(fmt.Sprintf("%d entries of the workspace changed during the audit", ev.Count)))
	case run.PhaseFailed:
		v.round(ev.Round, string(ev.Phase), v.bad("failed: "+ev.Detail))
	case run.Interrupted:
		v.round(ev.Round, string(ev.Phase), v.bad("was interrupted"))
	case run.ProbeResult:
		v.round(ev.Round, "wait", fmt.Sprintf("%s: %s", ev.Result.Status, ev.Result.Proof))
	default:
		v.said(e)
	}
}

// said prints what people and the run itself decided.
func (v *view) said(e run.Entry) {
	switch ev := e.Event.(type) {
	case run.GateOpened:
		v.say("asks", fmt.Sprintf("%s (%s)", ev.Question, ev.Trigger))
	case run.GateAnswered:
		v.say("answer", answerWords(ev))
	case run.MessageReceived:
		v.say("message", ev.Text)
	case run.StopRequested:
		v.say("stop", map[bool]string{true: "abort was requested", false: "stop was requested"}[ev.Abort])
	case run.PauseSet:
		v.say("pause", map[bool]string{true: "paused", false: "goes on"}[ev.Paused])
	case run.LimitsChanged:
		v.say("limits", fmt.Sprintf("%d rounds were added", ev.Add.Rounds))
	case run.CommandRefused:
		v.say("refused", ev.Reason)
	case run.Checkpointed:
		if ev.Problem != "" {
			v.say("checkpoint", v.bad("not kept, so this round cannot be undone: "+ev.Problem))
		}
	case run.Restored:
		v.say("restored", fmt.Sprintf("%d entries, to checkpoint %s", ev.Count, ev.Checkpoint))
	case run.CapabilityMissing:
		v.say("missing", ev.Name+". "+ev.FixHint)
	case run.BudgetNoted:
		v.say("budget", fmt.Sprintf("%s: %d of %d used", ev.Budget, ev.Used, ev.Limit))
	}
}

func answerWords(a run.GateAnswered) string {
	switch {
	case a.End:
		return "end"
	case a.Text != "":
		return "continue: " + a.Text
	}
	return "continue"
}

func (v *view) header(s *run.State) {
	v.head = true
	fmt.Fprintf(v.w, "%s\n", s.Created.Title)
	fmt.Fprintf(v.w, "  run        %s\n  workspace  %s\n", s.Created.Run, s.Created.Workspace)
	fmt.Fprintf(v.w, "  limit      %d rounds\n", s.Limits.Rounds)
	fmt.Fprintf(v.w, "  guard      %s: %s\n\n", s.Host.Guard, s.Host.Why)
}

func (v *view) planned(ev run.Planned) {
	p := ev.Plan
	switch p.Route {
	case protocol.Done:
		v.round(ev.Round, "plan", "the task is done, says the manager")
	case protocol.Wait:
		v.round(ev.Round, "plan", "wait until "+p.Until)
	case protocol.Ask, protocol.Stop:
		v.round(ev.Round, "plan", fmt.Sprintf("%s: %s", p.Route, p.Question))
	case protocol.CLI, protocol.GUI:
		v.round(ev.Round, "plan", p.Task)
	}
}

func executed(ev run.Executed) string {
	line := fmt.Sprintf("exit %d", ev.Exit)
	if ev.Fail != "" && ev.Fail != run.FailExit {
		line = fmt.Sprintf("%s: %s", ev.Fail, ev.Detail)
	}
	return fmt.Sprintf("%s after %s", line, seconds(ev.Usage.Millis))
}

func changes(ev run.WorkspaceChanged) string {
	const show = 4
	var names []string
	for _, c := range ev.First[:min(show, len(ev.First))] {
		names = append(names, c.String())
	}
	line := strings.Join(names, ", ")
	if n := ev.Count - len(names); n > 0 {
		line += fmt.Sprintf(" and %d more", n)
	}
	switch ev.During {
	case run.Execute:
		return line
	case run.Between, run.Away:
		return line + " (by nobody of this run)"
	}
	return line + " (during " + string(ev.During) + ")"
}

func (v *view) checked(ev run.Checked) {
	passed := 0
	for _, r := range ev.Results {
		if r.Passed() {
			passed++
		}
	}
	name := map[run.Phase]string{run.Check: "check", run.FinalCheck: "final check"}[ev.Phase]
	line := fmt.Sprintf("%d of %d pass", passed, len(ev.Results))
	if passed < len(ev.Results) || ev.Hidden > 0 {
		line = v.bad(line)
	} else {
		line = v.good(line)
	}
	v.round(ev.Round, name, line)
	for _, r := range ev.Results {
		if !r.Passed() {
			v.detail(fmt.Sprintf("%s: %s (%s)", r.Status, r.Check, r.Proof))
		}
	}
	if ev.Hidden > 0 {
		v.detail("a hidden acceptance check failed")
	}
}

func (v *view) audited(ev run.Audited) {
	name := map[run.Phase]string{run.Audit: "audit", run.FinalAudit: "final audit"}[ev.Phase]
	line := v.bad(ev.Verdict.String())
	if ev.Verdict.Supports() {
		line = v.good(ev.Verdict.String())
	}
	v.round(ev.Round, name, line)
	if ev.Effect == protocol.EffectWorse {
		v.detail("effect: worse")
	}
	for _, r := range ev.Reasons {
		v.detail(r)
	}
}

// end prints how the run ended and where its result is.
func (v *view) end(s *run.State, r *rundir.Run) {
	if text := reply(s); text != "" {
		fmt.Fprintf(v.w, "\n%s\n", text)
	}
	word := v.bad(string(s.Finished.Outcome))
	if s.Finished.Outcome == run.Complete {
		word = v.good(string(s.Finished.Outcome))
	}
	fmt.Fprintf(v.w, "\n%s: %s\n", word, s.Finished.Reason)
	fmt.Fprintf(v.w, "  %d rounds, %s at work\n", len(s.Rounds), seconds(s.Used.Millis))
	for i, p := range results(s) {
		label := ""
		if i == 0 {
			label = "result"
		}
		fmt.Fprintf(v.w, "  %-9s%s/%s\n", label, s.Created.Workspace, p)
	}
	fmt.Fprintf(v.w, "  %-9s`longwatch show %s`\n", "more", r.ID)
}

// results lists the files that the task's own checks look at: what the person
// asked for.
func results(s *run.State) []string {
	var out []string
	for i := len(s.Rounds) - 1; i >= 0 && len(out) == 0; i-- {
		c := s.Rounds[i].FinalChecked
		if c == nil {
			continue
		}
		for _, r := range c.Results {
			if p := checkedFile(r.Check); p != "" && r.Passed() && !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

func (v *view) round(n int, what, line string) {
	if n == 0 {
		v.say(what, line)
		return
	}
	fmt.Fprintf(v.w, "round %-3d %-12s %s\n", n, what, v.oneLine(line))
}

func (v *view) say(what, line string) {
	fmt.Fprintf(v.w, "          %-12s %s\n", what, v.oneLine(line))
}

func (v *view) detail(line string) {
	fmt.Fprintf(v.w, "%23s%s\n", "", v.oneLine(line))
}

// oneLine keeps what roles wrote on one line of the terminal.
func (v *view) oneLine(s string) string {
	const widest = 400
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > widest {
		s = strings.ToValidUTF8(s[:widest], "") + " …"
	}
	return s
}

func (v *view) good(s string) string { return v.paint("32", s) }
func (v *view) bad(s string) string  { return v.paint("31", s) }

func (v *view) paint(code, s string) string {
	if !v.color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func seconds(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	if d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}
