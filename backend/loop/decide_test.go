package loop_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"longwatch/backend/check"
	"longwatch/backend/loop"
	"longwatch/backend/loop/looptest"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

// said writes a decision in one line: row, disposition, and what to do.
func said(d loop.Decision) string {
	st := d.Step
	out := []string{fmt.Sprint(d.Row), string(d.Disposition), string(st.Do)}
	if st.Phase != "" {
		out = append(out, fmt.Sprintf("%s of round %d", st.Phase, st.Round))
	}
	if st.Attempt > 1 {
		out = append(out, fmt.Sprintf("attempt %d", st.Attempt))
	}
	if st.Gate != nil {
		out = append(out, string(st.Gate.Trigger), st.Gate.Reason)
	}
	out = append(out, string(st.End), string(st.Outcome), strings.Join(st.Missing, "; "))
	if d.Until > 0 {
		out = append(out, fmt.Sprintf("until +%ds", (d.Until-looptest.Epoch0)/1000))
	}
	return strings.Join(strings.Fields(strings.Join(out, " ")), " ")
}

// decides checks what is decided right after the newest record.
func decides(t *testing.T, p *looptest.Tape, want string) {
	t.Helper()
	d, err := loop.Decide(p.State, p.At)
	if err != nil {
		t.Fatal(err)
	}
	if got := said(d); got != want {
		t.Errorf("decision\n got %s\nwant %s\nbecause %s", got, want, d.Reason)
	}
}

func fails(ph run.Phase, round int) run.PhaseFailed {
	return run.PhaseFailed{Round: round, Phase: ph, Fail: run.FailTimeout, Detail: "time"}
}

var checked = protocol.Criterion{ID: "C1", Text: "t", Check: "file out.txt exists"}

func unattended(t *testing.T) *looptest.Tape {
	return looptest.From(t, run.Created{
		Unattended: true, Limits: looptest.Limits, FinalAudit: true, Requirements: []run.Requirement{{ID: "R1", Text: "x"}},
	})
}

func spent(p *looptest.Tape) *looptest.Tape {
	return p.Add(run.LimitsChanged{Add: run.Limits{Tokens: 1}})
}

func void(p *looptest.Tape, ph run.Phase) *looptest.Tape {
	n := len(p.Rounds)
	p.Start(ph).Add(run.Violated{Round: n, Phase: ph, Changes: run.Changes{Count: 1, Counts: true}})
	return p.Add(run.Audited{Round: n, Phase: ph, Verdict: looptest.Good, Said: looptest.Good})
}

func changed(p *looptest.Tape) *looptest.Tape {
	return p.Add(run.WorkspaceChanged{Round: len(p.Rounds), During: run.Between, Changes: run.Changes{Count: 1, Counts: true, Tree: "t2"}})
}

func TestRow0WhatIsNoStateIsNotDecidedOn(t *testing.T) {
	t.Parallel()
	fine := looptest.New(t)
	strange := looptest.New(t).Add(run.Unknown{Name: "dreamt", Of: run.Decision})
	unlimited := looptest.From(t, run.Created{Limits: run.Limits{Rounds: 1}})
	endless := looptest.From(t, run.Created{Limits: run.Limits{Fails: 1}})
	for what, c := range map[string]struct {
		s   *run.State
		now int64
	}{
		"no state": {nil, 1}, "an empty state": {&run.State{}, 1}, "no clock": {fine.State, 0},
		"no limit of failures": {unlimited.State, 1}, "no limit of rounds": {endless.State, 1},
		"a decision of a newer version": {strange.State, 1},
	} {
		if d, err := loop.Decide(c.s, c.now); !errors.Is(err, loop.ErrNoState) {
			t.Errorf("%s: decided %s, error %v", what, said(d), err)
		}
	}
}

func TestRow1AFinishedRunStaysFinished(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Round(looptest.Bad).Add(run.PauseSet{Paused: true}, run.Finished{Outcome: run.Stopped})
	decides(t, spent(p), "1 terminal")
}

func TestRow2APhaseWithoutAnEndIsReapedAndOnlyAnExecutorIsNotRepeated(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Start(run.Plan)
	decides(t, p, "2 repair reap plan of round 1")
	p.Add(run.Interrupted{Round: 1, Phase: run.Plan})
	decides(t, p, "16 run_now phase plan of round 1 attempt 2")
	p.Plan(protocol.Plan{Route: protocol.CLI, Criteria: []protocol.Criterion{checked}}).Start(run.Execute)
	decides(t, p, "2 repair reap execute of round 1")
	p.Add(run.StopRequested{})
	decides(t, p, "2 repair reap execute of round 1")
	p.Add(run.Interrupted{Round: 1, Phase: run.Execute}, run.Finished{}, run.MessageReceived{})
	decides(t, p, "11 run_now phase check of round 1")
	p.Start(run.Check).Add(run.Interrupted{Round: 1, Phase: run.Check})
	decides(t, p, "11 run_now phase check of round 1 attempt 2")
	p.Start(run.Check).Add(run.Interrupted{Round: 1, Phase: run.Check})
	decides(t, p, "11 run_now phase audit of round 1")
	p.Start(run.Audit).Add(run.Interrupted{Round: 1, Phase: run.Audit})
	decides(t, p, "11 run_now phase audit of round 1 attempt 2")
}

func TestRow3AStopWritesTheReplyAndAnAbortDoesNot(t *testing.T) {
	t.Parallel()
	decides(t, looptest.New(t).Add(run.StopRequested{}), "3 terminal finish stopped")
	p := looptest.New(t).Do().Add(run.PauseSet{Paused: true}, run.StopRequested{})
	decides(t, p, "3 run_now phase report of round 1")
	p.Start(run.Report).Add(fails(run.Report, 1))
	decides(t, p, "3 run_now phase report of round 1 attempt 2")
	p.Start(run.Report).Add(fails(run.Report, 1))
	decides(t, p, "3 terminal finish stopped")
	decides(t, p.Add(run.StopRequested{Abort: true}), "3 terminal finish aborted")
	p = looptest.New(t).Do().Add(run.StopRequested{}).Start(run.Report).Add(run.FinalReply{Round: 1})
	decides(t, p, "3 terminal finish stopped")
}

func TestRow3AnEndDoesNotWaitForTheProvider(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Do().Add(run.StopRequested{}).Start(run.Report)
	p.Add(run.PhaseFailed{Round: 1, Phase: run.Report, Fail: run.FailThrottled, RetryAt: p.At + 3600_000})
	decides(t, p, "3 terminal finish stopped")
}

func TestRow4APausedRunWaitsForThePersonOnly(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Do().Add(run.PauseSet{Paused: true})
	decides(t, p, "4 wait")
	decides(t, p.Add(run.PauseSet{}), "11 run_now phase audit of round 1")
}

func TestRow5AnOpenGateWaitsAndItsAnswerIsCarriedOut(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Round(looptest.Good).Ask(run.GateMaxRounds, "budget.rounds")
	decides(t, p, "5 ask_user")
	p.Answer(run.GateAnswered{End: true})
	decides(t, p, "5 run_now phase report of round 1")
	p.Start(run.Report).Add(run.FinalReply{Round: 1})
	decides(t, p, "5 terminal finish incomplete")
	p = looptest.New(t).Round(looptest.Good).Claim(1).Close(run.EndDone).Ask(run.GateCompleted, "done.holds")
	decides(t, p, "5 ask_user")
	decides(t, p.Answer(run.GateAnswered{End: true}), "5 terminal finish completed")
}

func TestRow6AUsedUpBudgetAsksOrEnds(t *testing.T) {
	t.Parallel()
	use := run.Executed{Round: 1, Usage: run.Usage{Tokens: 9}}
	p := spent(looptest.New(t)).Plan(protocol.Plan{Route: protocol.CLI}).Start(run.Execute).Add(use)
	decides(t, p, "11 run_now phase audit of round 1") // its reserve was set aside
	p.Audit(looptest.Good)
	decides(t, p, "15 run_now close supported")
	decides(t, p.Close(run.EndSupported), "6 ask_user gate max_rounds budget.tokens")
	p = spent(unattended(t)).Plan(protocol.Plan{Route: protocol.CLI}).Start(run.Execute).Add(use).Audit(looptest.Bad).Close(run.EndUnsupported)
	decides(t, p, "6 run_now phase report of round 1")
	p.Start(run.Report).Add(run.FinalReply{Round: 1})
	decides(t, p, "6 terminal finish incomplete")
}

func TestRow6TheLastRoundMayBeSettledWhenItIsDone(t *testing.T) {
	t.Parallel()
	p := looptest.From(t, run.Created{Limits: run.Limits{Rounds: 2, Fails: 2, Tokens: 1}, FinalAudit: true})
	p.Plan(protocol.Plan{Route: protocol.CLI, Records: []protocol.StateRecord{{ID: "R1", Mark: protocol.Pending}}}).Start(run.Execute)
	p.Add(run.Executed{Round: 1}).Audit(looptest.Good).Close(run.EndSupported)
	p.Start(run.Plan).Add(run.Planned{Round: 2, Usage: run.Usage{Tokens: 5}, Plan: protocol.Plan{
		Route: protocol.Done, Records: []protocol.StateRecord{looptest.Completed("R1", 1)},
	}})
	decides(t, p, "12 run_now phase report of round 2")
	p.Start(run.Report).Add(run.FinalReply{Round: 2}).Close(run.EndDone)
	decides(t, p, "12 ask_user gate completed done.holds")
}

func TestRow7FailuresInARowAskOrEnd(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Round(looptest.Bad).Do().Audit(looptest.Bad).Close(run.EndUnsupported)
	decides(t, p, "16 replan phase plan of round 3")
	p.Start(run.Plan).Add(run.PlanRefused{Round: 3, Reason: "x"}).Close(run.EndRefused)
	decides(t, p, "7 ask_user gate repeated_failure failures.streak")
	decides(t, unattended(t).Round(looptest.Bad).Round(looptest.Bad).Round(looptest.Bad), "7 run_now phase report of round 3")
	p = looptest.New(t).Round(looptest.Good).Round(looptest.Good).Round(looptest.Good)
	decides(t, p, "7 ask_user gate repeated_failure failures.no_progress")
}

func TestRow8AThrottledProviderIsWaitedFor(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Start(run.Plan)
	p.Add(run.PhaseFailed{Round: 1, Phase: run.Plan, Fail: run.FailThrottled, RetryAt: looptest.Epoch0 + 60_000})
	decides(t, p, "8 wait until +60s")
	if d, err := loop.Decide(p.State, looptest.Epoch0+60_000); err != nil || said(d) != "16 run_now phase plan of round 1" {
		t.Errorf("afterwards: %s, %v", said(d), err)
	}
	p = looptest.New(t).Plan(protocol.Plan{Route: protocol.CLI}).Start(run.Execute)
	p.Add(run.Executed{Round: 1, Fail: run.FailThrottled, RetryAt: looptest.Epoch0 + 60_000})
	decides(t, p, "8 wait until +60s")
}

func TestRow9AMissingCapabilityIsItsOwnersMatter(t *testing.T) {
	t.Parallel()
	lacks := func(owner string, tries int) *looptest.Tape {
		return looptest.New(t).Do().Add(run.CapabilityMissing{Name: "display", Owner: owner, Tries: tries})
	}
	decides(t, lacks("user", 0), "9 ask_user gate needs_human capability.missing")
	decides(t, lacks("longwatch", 0), "9 repair probe")
	decides(t, lacks("longwatch", 1), "9 repair probe attempt 2")
	decides(t, lacks("longwatch", 2), "9 ask_user gate needs_human capability.missing")
	decides(t, lacks("somebody", 0), "9 ask_user gate needs_human capability.missing")
}

func TestRow10AVoidAuditIsUndoneWhereThatIsAllowed(t *testing.T) {
	t.Parallel()
	p := void(looptest.New(t).Do(), run.Audit)
	decides(t, p, "10 ask_user gate needs_human audit.void")
	p.Ask(run.GateNeedsHuman, "audit.void").Answer(run.GateAnswered{})
	decides(t, p, "11 run_now phase audit of round 1")
	p = looptest.From(t, run.Created{Limits: looptest.Limits, MayRestore: true})
	decides(t, void(p.Do(), run.Audit), "10 repair restore")
}

func TestRow11WhatWasDoneIsCheckedAndAudited(t *testing.T) {
	t.Parallel()
	decides(t, looptest.New(t).Do(), "11 run_now phase audit of round 1")
	p := looptest.New(t).Do(checked)
	decides(t, p, "11 run_now phase check of round 1")
	look := run.Checked{Round: 1, Phase: run.Check, Results: []check.Result{{Status: check.Pass}}}
	p.Start(run.Check).Add(look)
	decides(t, p, "11 run_now phase audit of round 1")
	decides(t, changed(p), "11 run_now phase check of round 1")
	p.Start(run.Check).Add(look)
	for _, want := range []string{"audit of round 1", "audit of round 1 attempt 2"} {
		decides(t, p, "11 run_now phase "+want)
		p.Start(run.Audit).Add(fails(run.Audit, 1))
	}
	decides(t, p, "11 run_now give_up audit of round 1")
}

func TestRow11AnAuditThatGoesStaleTwiceAsks(t *testing.T) {
	t.Parallel()
	p := looptest.From(t, run.Created{Limits: looptest.Limits, MayRestore: true}).Do()
	void(p, run.Audit).Add(run.Restored{})
	decides(t, p, "11 run_now phase audit of round 1")
	void(p, run.Audit).Add(run.Restored{})
	decides(t, p, "11 ask_user gate needs_human audit.stale_twice")
}

func TestRow13WhatTheManagerAsksIsPutToThePerson(t *testing.T) {
	t.Parallel()
	decides(t, looptest.New(t).Plan(protocol.Plan{Route: protocol.Ask, Question: "q"}), "13 ask_user gate needs_input manager.asks")
	decides(t, looptest.New(t).Plan(protocol.Plan{Route: protocol.Stop, Question: "q"}), "13 ask_user gate needs_human manager.blocked")
	decides(t, unattended(t).Plan(protocol.Plan{Route: protocol.Ask, Question: "q"}), "13 ask_user gate needs_input manager.asks")
}

func TestRow14AWaitIsProbedWhenDueAndCostsNothingElse(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Plan(protocol.Plan{Route: protocol.Wait, Until: "file a exists", EveryMillis: 30_000, ExpireMillis: 40_000})
	decides(t, p, "14 run_now phase probe of round 1")
	p.Start(run.Probe).Add(run.ProbeResult{Round: 1, Result: check.Result{Status: check.Fail}})
	decides(t, p, "14 wait until +35s")
	for now, want := range map[int64]string{
		34_999: "14 wait until +35s",
		35_000: "14 run_now phase probe of round 1",
		-1_000: "14 run_now phase probe of round 1", // the clock went back
	} {
		if d, err := loop.Decide(p.State, looptest.Epoch0+now); err != nil || said(d) != want {
			t.Errorf("at +%d ms: %s, want %s (%v)", now, said(d), want, err)
		}
	}
}

func TestRow15ARoundWithNothingLeftIsClosed(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]*looptest.Tape{
		"supported":   looptest.New(t).Do().Audit(looptest.Good),
		"unsupported": looptest.New(t).Do().Audit(looptest.Bad),
		"refused":     looptest.New(t).Start(run.Plan).Add(run.PlanRefused{Round: 1, Reason: "x"}),
		"failed":      looptest.New(t).Start(run.Plan).Add(fails(run.Plan, 1)).Start(run.Plan).Add(fails(run.Plan, 1)),
		"asked": looptest.New(t).Plan(protocol.Plan{Route: protocol.Ask}).
			Ask(run.GateNeedsInput, "manager.asks").Answer(run.GateAnswered{Text: "x"}),
		"waited": looptest.New(t).Plan(protocol.Plan{Route: protocol.Wait}).
			Start(run.Probe).Add(run.ProbeResult{Round: 1, Result: check.Result{Status: check.Pass}}),
		"done": looptest.New(t).Plan(protocol.Plan{Route: protocol.Done}).
			Add(run.Finished{}, run.MessageReceived{}),
	} {
		decides(t, p, "15 run_now close "+want)
	}
	decides(t, looptest.New(t).Claim(0).Add(run.DoneRefused{Round: 1, Missing: []string{"x"}}), "15 run_now close refused")
}

func TestRow16OtherwiseThePlanIsMadeOrExecuted(t *testing.T) {
	t.Parallel()
	p := looptest.New(t)
	decides(t, p, "16 run_now phase plan of round 1")
	p.Plan(protocol.Plan{Route: protocol.GUI})
	decides(t, p, "16 run_now phase execute of round 1")
	p.Start(run.Execute).Add(run.Executed{Round: 1}).Audit(looptest.Good).Close(run.EndSupported)
	decides(t, p, "16 run_now phase plan of round 2")
	p.Start(run.Plan).Add(run.PlanRefused{Round: 2, Reason: "no route"}).Close(run.EndRefused)
	decides(t, p, "16 replan phase plan of round 3")
	if d, _ := loop.Decide(p.State, p.At); d.Reason != "no route" {
		t.Errorf("the reason is %q", d.Reason)
	}
}
