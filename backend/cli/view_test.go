package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/check"
	"longwatch/backend/ledger"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// shownAs is what the view prints of events.
func shownAs(color bool, events ...run.Event) string {
	var b strings.Builder
	v := newView(&b, color)
	v.head = true
	for _, e := range events {
		v.show(&run.State{}, run.Entry{Event: e}, false)
	}
	return b.String()
}

func TestEachEventIsOneLine(t *testing.T) {
	t.Parallel()
	supports := protocol.Verdict{Status: protocol.StatusComplete, Integrity: protocol.IntegrityClean, Contract: protocol.ContractAligned}
	got := shownAs(
		false,
		run.Planned{Round: 1, Plan: protocol.Plan{Route: protocol.CLI, Task: "write\n  the  file"}},
		run.Planned{Round: 2, Plan: protocol.Plan{Route: protocol.Wait, Until: "file a exists"}},
		run.Planned{Round: 3, Plan: protocol.Plan{Route: protocol.Ask, Question: "Which?"}},
		run.Planned{Round: 4, Plan: protocol.Plan{Route: protocol.Done}},
		run.PlanRefused{Round: 5, Reason: "no step"},
		run.DoneRefused{Round: 6, Missing: []string{"R1 is pending", "R2 is pending"}},
		run.Executed{Round: 7, Exit: 3, Fail: run.FailExit, Detail: "exit 3", Usage: run.Usage{Millis: 1540}},
		run.Executed{Round: 8, Fail: run.FailFlood, Detail: "it wrote too much", Usage: run.Usage{Millis: 61000}},
		run.Audited{Round: 9, Phase: run.FinalAudit, Verdict: supports},
		run.Audited{Round: 10, Phase: run.Audit, Verdict: protocol.Unreadable(), Reasons: []string{"nobody could read it"}},
		run.Violated{Round: 11, Changes: run.Changes{Count: 2}},
		run.PhaseFailed{Round: 12, Phase: run.Plan, Detail: "exit 7"},
		run.Interrupted{Round: 13, Phase: run.Execute},
		run.GateOpened{Trigger: run.GateNeedsInput, Question: "Which?"},
		run.GateAnswered{Text: "red"}, run.GateAnswered{End: true}, run.GateAnswered{},
		run.MessageReceived{Text: "hello"}, run.StopRequested{}, run.StopRequested{Abort: true},
		run.PauseSet{Paused: true}, run.PauseSet{}, run.CommandRefused{Reason: "too late"},
		run.PhaseStarted{Round: 1}, run.RoundClosed{Round: 1}, run.Anchored{},
	)
	want := `round 1   plan         write the file
round 2   plan         wait until file a exists
round 3   plan         ask: Which?
round 4   plan         the task is done, says the manager
round 5   plan         refused: no step
round 6   done         refused: R1 is pending; R2 is pending
round 7   execute      exit 3 after 1.5 s
round 8   execute      flood: it wrote too much after 1m1s
round 9   final audit  complete · clean · aligned
round 10  audit        blocked · suspect · unknown
                       nobody could read it
round 11  void         2 entries of the workspace changed during the audit
round 12  plan         failed: exit 7
round 13  execute      was interrupted
          asks         Which? (needs_input)
          answer       continue: red
          answer       end
          answer       continue
          message      hello
          stop         stop was requested
          stop         abort was requested
          pause        paused
          pause        goes on
          refused      too late
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestFailingChecksAreNamedAndHiddenOnesAreNot(t *testing.T) {
	t.Parallel()
	got := shownAs(true, run.Checked{Round: 2, Phase: run.FinalCheck, Hidden: 1, Results: []check.Result{
		{Check: "file a exists", Status: check.Pass}, {Check: "file b exists", Status: check.Fail, Proof: "it is not there"},
	}})
	want := "round 2   final check  \x1b[31m1 of 2 pass\x1b[0m\n" +
		"                       fail: file b exists (it is not there)\n" +
		"                       a hidden acceptance check failed\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestChangesSayWhoseTheyAre(t *testing.T) {
	t.Parallel()
	few := run.Changes{Count: 1, First: []run.Change{{What: "added", Path: "a b"}}}
	many := run.Changes{Count: 9}
	for i := range 6 {
		many.First = append(many.First, run.Change{What: "added", Path: fmt.Sprint(i)})
	}
	for during, want := range map[run.Phase]string{
		run.Execute: "added a b", run.Between: "added a b (by nobody of this run)",
		run.Away: "added a b (by nobody of this run)", run.Check: "added a b (during check)",
	} {
		if got := changes(run.WorkspaceChanged{During: during, Changes: few}); got != want {
			t.Errorf("%s: %q, want %q", during, got, want)
		}
	}
	if got, want := changes(run.WorkspaceChanged{During: run.Execute, Changes: many}), "added 0, added 1, added 2, added 3 and 5 more"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestALongLineIsCutAtALetter(t *testing.T) {
	t.Parallel()
	got := newView(nil, false).oneLine("x" + strings.Repeat("中", 300))
	if want := "x" + strings.Repeat("中", 133) + " …"; got != want {
		t.Errorf("%q", got)
	}
}

func TestExitCodesTellHowItEnded(t *testing.T) {
	t.Parallel()
	for o, want := range map[run.Outcome]int{run.Complete: 0, run.Incomplete: 3, run.Stopped: 3, run.Aborted: 130, "": 1} {
		if got := exitOf(o); got != want {
			t.Errorf("%q: %d, want %d", o, got, want)
		}
	}
	broken := &ledger.BrokenError{Name: "ledger.jsonl", Broken: ledger.Broken{Seq: 3, Why: "edited"}}
	for want, errs := range map[int][]error{
		ExitInternal: {errors.New("disk on fire")},
		ExitUsage: {
			usagef("no"), hinted(errors.New("no"), "do"), fmt.Errorf("x: %w", rundir.ErrNoRun), fmt.Errorf("x: %w", rundir.ErrWorkspace),
			fmt.Errorf("x: %w", rundir.ErrCannotStart), errors.New(`unknown command "fly" for "longwatch"`), errors.New("accepts 1 arg(s), received 0"),
		},
		ExitBroken: {fmt.Errorf("open: %w", broken)},
	} {
		for _, err := range errs {
			var out strings.Builder
			a := &app{err: &out}
			if got := a.explain(err); got != want || !strings.HasPrefix(out.String(), "longwatch: "+err.Error()+"\n") {
				t.Errorf("%v: exit %d, want %d\n%s", err, got, want, out.String())
			}
		}
	}
}
