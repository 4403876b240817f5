package run_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/check"
	"longwatch/backend/loop/looptest"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

func TestARecordFollowsTheOneBeforeIt(t *testing.T) {
	t.Parallel()
	s := &run.State{}
	for _, e := range []run.Entry{
		{Seq: 0, Event: run.Created{}},
		{Seq: 2, Event: run.Created{}},
		{Seq: 1, Event: run.StopRequested{}},
	} {
		if s.Apply(e) == nil {
			t.Errorf("an empty state took record %d, %s", e.Seq, e.Event.Kind())
		}
	}
	p := looptest.New(t)
	for _, seq := range []uint64{0, 1, 3} {
		if p.Apply(run.Entry{Seq: seq, Event: run.StopRequested{}}) == nil {
			t.Errorf("record %d was taken after record 1", seq)
		}
	}
	if p.Apply(run.Entry{Seq: 2, Event: run.Created{}}) == nil {
		t.Error("a second created was taken")
	}
}

func TestTheStreakCountsEveryKindOfFailure(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Round(looptest.Good).Round(looptest.Bad)
	p.Start(run.Plan).Add(run.PlanRefused{Round: 3, Reason: "no route"}).Close(run.EndRefused)
	p.Claim(1).Add(run.DoneRefused{Round: 4, Missing: []string{"R1 is pending", "x"}}).Close(run.EndRefused)
	for range 2 {
		p.Start(run.Plan).Add(run.PhaseFailed{Round: 5, Phase: run.Plan, Fail: run.FailTimeout, Detail: "10 min"})
	}
	p.Close(run.EndFailed)
	execute(p).Add(run.Interrupted{Round: 6, Phase: run.Execute}).Start(run.Audit)
	p.Add(run.Audited{Round: 6, Phase: run.Audit, Verdict: looptest.Bad, Reasons: []string{"the check fails"}}).Close(run.EndUnsupported)
	want := []string{
		"audit: incomplete · clean · aligned",
		"the plan was refused: no route",
		"done was refused: R1 is pending; x",
		"plan failed: 10 min",
	}
	// Round 6 was cut short: nobody failed.
	if d := cmp.Diff(want, p.Failures); d != "" || p.Streak != 4 {
		t.Errorf("streak %d, failures (-want +got):\n%s", p.Streak, d)
	}
	p.Round(looptest.Good)
	if p.Streak != 0 || p.Failures != nil {
		t.Errorf("after a supported round: streak %d, failures %q", p.Streak, p.Failures)
	}
}

func TestAskingAndWaitingAreNoFailures(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Round(looptest.Bad)
	p.Plan(protocol.Plan{Route: protocol.Ask, Question: "q"}).Ask(run.GateNeedsInput, "manager.asks").Add(run.GateAnswered{Gate: "g1", Text: "a"})
	p.Close(run.EndAsked).Round(looptest.Bad)
	if p.Streak != 1 {
		t.Errorf("streak %d: the answer begins a new one, and asking does not count", p.Streak)
	}
}

func TestFingerprintsReadMarksAndNotWords(t *testing.T) {
	t.Parallel()
	p := looptest.New(t)
	for i := range 4 {
		p.Plan(protocol.Plan{Route: protocol.CLI, Task: fmt.Sprint("new words ", i)}).Start(run.Execute)
		p.Add(run.Executed{Round: i + 1, Said: run.Text{Text: fmt.Sprint("said ", i)}}).Audit(looptest.Bad).Close(run.EndUnsupported)
		if want := min(i+1, 3); len(p.Fingerprints) != want {
			t.Fatalf("after %d equal rounds there are %d equal fingerprints, want %d", i+1, len(p.Fingerprints), want)
		}
	}
	for name, change := range map[string]func(*looptest.Tape){
		"a mark": func(p *looptest.Tape) {
			p.Plan(protocol.Plan{Route: protocol.CLI, Records: []protocol.StateRecord{record("R1", protocol.Untrusted, 0)}})
		},
		"a contract":  func(p *looptest.Tape) { p.Plan(protocol.Plan{Route: protocol.CLI, Contract: "c"}) },
		"the content": func(p *looptest.Tape) { p.Plan(protocol.Plan{Route: protocol.CLI}).Add(moved(run.Execute, true)) },
	} {
		t.Run(name, func(t *testing.T) {
			p := looptest.New(t).Round(looptest.Bad).Round(looptest.Bad)
			change(p)
			p.Start(run.Execute).Add(run.Executed{Round: 3}).Audit(looptest.Bad).Close(run.EndUnsupported)
			if len(p.Fingerprints) != 1 {
				t.Errorf("%s changed, and %d rounds are held to be equal", name, len(p.Fingerprints))
			}
		})
	}
	p.Ask(run.GateRepeatedFailure, "failures.no_progress").Answer(run.GateAnswered{})
	if p.Fingerprints != nil || p.Streak != 0 || p.Failures != nil {
		t.Errorf("after the answer: %d fingerprints, streak %d", len(p.Fingerprints), p.Streak)
	}
}

func TestTheTreeIsTheOneLastSeen(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Add(run.Started{Host: run.Host{Tree: "t1"}}).Do()
	for _, tree := range []string{"t2", ""} {
		p.Start(run.Check).Add(run.Checked{Round: 1, Phase: run.Check, Tree: tree})
		if p.Tree != "t2" {
			t.Errorf("after a check that saw %q the tree is %q", tree, p.Tree)
		}
	}
	for _, tree := range []string{"t3", ""} {
		p.Start(run.Audit).Add(run.Audited{Round: 1, Phase: run.Audit, Tree: tree})
		if p.Tree != "t3" {
			t.Errorf("after an audit of %q the tree is %q", tree, p.Tree)
		}
	}
	p.Start(run.Audit).Add(run.Violated{Round: 1, Phase: run.Audit, Changes: run.Changes{Tree: "t4"}})
	if p.Tree != "t4" || p.Judged != "t3" {
		t.Errorf("tree %q, the audit began with %q", p.Tree, p.Judged)
	}
	p.Add(run.Restored{Changes: run.Changes{Tree: "t3"}})
	if p.Tree != "t3" {
		t.Errorf("restored tree %q", p.Tree)
	}
}

func TestOnlyACheckpointThatWasMadeCanBePutBack(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Add(run.Checkpointed{Problem: "disk is full"}, run.Checkpointed{ID: "c1", Tree: "t1"})
	if n := len(p.Checkpoints); n != 1 || p.Checkpoints[0].ID != "c1" || p.Checkpoints[0].Seq != p.Seq {
		t.Errorf("checkpoints %+v", p.Checkpoints)
	}
}

func TestEveryEndOfAPhaseIsCharged(t *testing.T) {
	t.Parallel()
	u := run.Usage{Millis: 1, Tokens: 10, MicroUSD: 100}
	p := looptest.New(t)
	p.Start(run.Plan).Add(run.PhaseFailed{Round: 1, Phase: run.Plan, Fail: run.FailTimeout, Usage: u})
	p.Start(run.Plan).Add(run.Planned{Round: 1, Plan: protocol.Plan{Route: protocol.CLI}, Usage: u})
	p.Start(run.Execute).Add(run.Executed{Round: 1, Usage: u})
	p.Start(run.Check).Add(run.Checked{Round: 1, Phase: run.Check, Usage: u})
	p.Start(run.Audit).Add(run.Audited{Round: 1, Phase: run.Audit, Usage: u})
	p.Start(run.Report).Add(run.FinalReply{Round: 1, Usage: u}).Close(run.EndUnsupported)
	p.Start(run.Plan).Add(run.PlanRefused{Round: 2, Usage: u}).Close(run.EndRefused)
	if want := (run.Usage{Millis: 7, Tokens: 70, MicroUSD: 700}); p.Used != want {
		t.Errorf("used %+v, want %+v", p.Used, want)
	}
	u.Estimated = true
	p.Plan(protocol.Plan{Route: protocol.Wait, ExpireMillis: 60_000}).Start(run.Probe).Add(run.ProbeResult{Round: 3, Usage: u})
	p.Start(run.Probe).Add(run.ProbeResult{Round: 3}) // what is estimated in part is estimated
	if want := (run.Usage{Millis: 8, Tokens: 80, MicroUSD: 800, Estimated: true}); p.Used != want {
		t.Errorf("used %+v, want %+v", p.Used, want)
	}
}

func TestAnAcceptedPlanSettlesWhatWasRefusedBefore(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Claim(7).Add(run.DoneRefused{Round: 1, Missing: []string{"x"}}).Close(run.EndRefused)
	if p.Refusal == "" || len(p.Notes) != 1 {
		t.Fatalf("refusal %q, notes %q", p.Refusal, p.Notes)
	}
	p.Plan(protocol.Plan{Route: protocol.CLI})
	if p.Refusal != "" || p.Notes != nil {
		t.Errorf("refusal %q, notes %q", p.Refusal, p.Notes)
	}
	if b, ok := p.Belief("R1"); !ok || b.ID != "R1" {
		t.Errorf("R1 is %v, %v", b, ok)
	}
	if b, ok := p.Belief("R9"); ok {
		t.Errorf("R9 is %v", b)
	}
}

func TestAReplyDoesNotKnowOfLaterRounds(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Round(looptest.Good).Start(run.Report)
	p.Add(run.FinalReply{Round: 1, Said: run.Text{Text: "done"}})
	if !p.Replied || p.Reply.Text != "done" {
		t.Errorf("replied %v: %v", p.Replied, p.Reply)
	}
	if p.Start(run.Plan); p.Replied {
		t.Error("the reply of round 1 would stand for round 2")
	}
}

func TestWhichFailuresSpoilAnAttempt(t *testing.T) {
	t.Parallel()
	for fail, spoils := range map[run.FailKind]bool{
		run.FailStart: true, run.FailExit: true, run.FailTimeout: true, run.FailFlood: true, run.FailUnreadable: true,
		run.FailCanceled: false, run.FailThrottled: false,
	} {
		p := looptest.New(t).Start(run.Plan).Add(run.PhaseFailed{Round: 1, Phase: run.Plan, Fail: fail, RetryAt: looptest.Epoch0 * 2})
		if got := p.Current().Spoilt[run.Plan] == 1; got != spoils {
			t.Errorf("%s spoils an attempt: %v, want %v", fail, got, spoils)
		}
	}
	p := looptest.New(t).Start(run.Plan).Add(run.PhaseFailed{Round: 1, Phase: run.Plan, Fail: run.FailThrottled})
	if p.Current().Spoilt[run.Plan] != 1 {
		t.Error("a throttled attempt without a time to wait for would be repeated at once, for ever")
	}
}

func TestAWaitEndsWhenItHoldsOrExpires(t *testing.T) {
	t.Parallel()
	wait := protocol.Plan{Route: protocol.Wait, Until: "file a exists", EveryMillis: 5000, ExpireMillis: 9000}
	no, yes := check.Result{Status: check.Fail}, check.Result{Status: check.Pass}
	p := looptest.New(t).Plan(wait)
	refuses(t, p.State, run.RoundClosed{Round: 1, End: run.EndWaited}, "a wait that goes on is settled")
	p.Start(run.Probe).Add(run.ProbeResult{Round: 1, Result: no})
	if w := p.Waiting; w == nil || w.Looked != 1 || w.NextAt != p.At+5000 {
		t.Errorf("after the first look: %+v", w)
	}
	p.Start(run.Probe).Add(run.ProbeResult{Round: 1, Result: yes})
	if p.Waiting != nil || p.Refusal != "" {
		t.Errorf("it holds: waiting %v, refusal %q", p.Waiting, p.Refusal)
	}
	p.Close(run.EndWaited).Plan(wait)
	for range 5 {
		p.Start(run.Probe).Add(run.ProbeResult{Round: 2, Result: no})
		if p.Waiting == nil {
			break
		}
	}
	if p.Waiting != nil || p.Refusal != "the wait ended without: file a exists" {
		t.Errorf("expired: waiting %v, refusal %q", p.Waiting, p.Refusal)
	}
}
