package loop_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/check"
	"longwatch/backend/loop"
	"longwatch/backend/loop/looptest"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
	"longwatch/backend/task"
)

// steps is a playbook of two steps; the first has two alternatives.
var steps = task.Task{Steps: []task.Step{
	{Name: "first", Requirement: "R1", Run: "a", Else: []task.Action{{Run: "b"}, {Run: "c"}}},
	{Name: "second", Requirement: "R2", Run: "d"},
}}

func playbook(t *testing.T) *looptest.Tape {
	return looptest.From(t, run.Created{Limits: run.Limits{Rounds: 50, Fails: 50}, Steps: 2, Requirements: []run.Requirement{{ID: "R1"}, {ID: "R2"}}})
}

// attempt executes a step; its check and with it its audit hold or do not.
func attempt(p *looptest.Tape, serves string, holds bool) {
	p.Plan(protocol.Plan{Route: protocol.CLI, Serves: []string{serves}, Criteria: []protocol.Criterion{checked}})
	p.Start(run.Execute).Add(run.Executed{Round: len(p.Rounds)})
	verdict(p, holds)
}

func verdict(p *looptest.Tape, holds bool) {
	v, end, status := looptest.Bad, run.EndUnsupported, check.Fail
	if holds {
		v, end, status = looptest.Good, run.EndSupported, check.Pass
	}
	p.Start(run.Check).Add(run.Checked{Round: len(p.Rounds), Phase: run.Check, Results: []check.Result{{Status: status}}})
	p.Audit(v).Close(end)
}

func stands(t *testing.T, p *looptest.Tape, want loop.Position) {
	t.Helper()
	got := loop.Locate(p.State, steps)
	if want.Verified == nil {
		want.Verified = map[string]int{}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("after round %d (-want +got):\n%s", len(p.Rounds), d)
	}
}

func TestAPlaybookGoesThroughItsSteps(t *testing.T) {
	t.Parallel()
	p := playbook(t)
	stands(t, p, loop.Position{Mode: loop.ModeRun})
	attempt(p, "R1", true)
	stands(t, p, loop.Position{Mode: loop.ModeRun, Step: 1, Verified: map[string]int{"R1": 1}})
	attempt(p, "R2", true)
	stands(t, p, loop.Position{Mode: loop.ModeDone, Step: 1, Verified: map[string]int{"R1": 1, "R2": 2}})
	p.Plan(protocol.Plan{Route: protocol.Done}).Add(run.DoneRefused{Round: 3, Missing: []string{"a check"}})
	stands(t, p, loop.Position{
		Mode: loop.ModeBlocked, Step: 1, Reason: "the task is not done: a check", Verified: map[string]int{"R1": 1, "R2": 2},
	})
}

func TestOnlyAFailedCheckMovesToTheNextAttempt(t *testing.T) {
	t.Parallel()
	p := playbook(t)
	attempt(p, "R1", false)
	stands(t, p, loop.Position{Mode: loop.ModeRun, Attempt: 1})

	// What ended an attempt from outside repeats it, whatever the check says.
	execute := func(ends run.Event) {
		p.Plan(protocol.Plan{Route: protocol.CLI, Serves: []string{"R1"}, Criteria: []protocol.Criterion{checked}}).Start(run.Execute).Add(ends)
	}
	execute(run.Interrupted{Round: 2, Phase: run.Execute})
	verdict(p, false)
	stands(t, p, loop.Position{Mode: loop.ModeRun, Attempt: 1})
	execute(run.Executed{Round: 3, Fail: run.FailCanceled})
	verdict(p, false)
	stands(t, p, loop.Position{Mode: loop.ModeRun, Attempt: 1})

	// Nobody judged it.
	execute(run.Executed{Round: 4})
	p.Start(run.Audit).Add(run.Audited{Round: 4, Phase: run.Audit, Verdict: protocol.Unreadable(), Said: protocol.Unreadable()}).Close(run.EndUnsupported)
	stands(t, p, loop.Position{Mode: loop.ModeRun, Attempt: 1})
	p.Start(run.Plan).Add(run.PlanRefused{Round: 5, Reason: "x"}).Close(run.EndRefused)
	stands(t, p, loop.Position{Mode: loop.ModeRun, Attempt: 1})

	// A timeout is the step's own failure when its check does not hold.
	execute(run.Executed{Round: 6, Fail: run.FailTimeout})
	verdict(p, false)
	stands(t, p, loop.Position{Mode: loop.ModeRun, Attempt: 2})

	attempt(p, "R1", true)
	stands(t, p, loop.Position{Mode: loop.ModeRun, Step: 1, Verified: map[string]int{"R1": 7}})
}

func TestAnExhaustedStepBlocksAndGetsOneMoreTryAfterAnAnswer(t *testing.T) {
	t.Parallel()
	p := playbook(t)
	for range 3 {
		attempt(p, "R1", false)
	}
	blocked := loop.Position{
		Mode: loop.ModeBlocked, Attempt: 2, Reason: "Step 1 (first) failed in all 3 attempts: audit: incomplete · clean · aligned",
	}
	stands(t, p, blocked)
	p.Plan(protocol.Plan{Route: protocol.Stop, Question: blocked.Reason}).Ask(run.GateNeedsHuman, "manager.blocked")
	p.Answer(run.GateAnswered{}).Close(run.EndAsked)
	stands(t, p, loop.Position{Mode: loop.ModeRun, Attempt: 2})
	attempt(p, "R1", false)
	blocked.Reason = "Step 1 (first) failed in all 4 attempts: audit: incomplete · clean · aligned"
	stands(t, p, blocked)
}

func TestAMessageAfterTheEndIsAnsweredByLookingAgain(t *testing.T) {
	t.Parallel()
	p := playbook(t)
	attempt(p, "R1", true)
	attempt(p, "R2", true)
	both := map[string]int{"R1": 1, "R2": 2}
	p.Add(run.MessageReceived{ID: "m", Text: "are you sure?"})
	stands(t, p, loop.Position{Mode: loop.ModeRecheck, Step: 1, Verified: both})
	p.Plan(protocol.Plan{Route: protocol.CLI, Serves: []string{"R1", "R2"}}).Start(run.Execute).Add(run.Executed{Round: 3}).Audit(looptest.Good).Close(run.EndSupported)
	stands(t, p, loop.Position{Mode: loop.ModeDone, Step: 1, Verified: both})
}

func TestAStepThatNoLongerHoldsIsOpenAgain(t *testing.T) {
	t.Parallel()
	p := playbook(t)
	attempt(p, "R1", true)
	attempt(p, "R1", false)
	stands(t, p, loop.Position{Mode: loop.ModeRun, Attempt: 1})
}
