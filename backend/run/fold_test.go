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

func TestAFollowUpReopensAFinishedRun(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Round(looptest.Bad).Round(looptest.Good).Claim(2).Close(run.EndDone)
	p.Ask(run.GateCompleted, "done.holds").Answer(run.GateAnswered{End: true})
	p.Add(run.Finished{Outcome: run.Complete, Reason: "accepted"})
	refuses(t, p.State, run.PhaseStarted{Round: 4, Phase: run.Plan}, "a phase of a finished run")
	p.Add(run.MessageReceived{ID: "m", Text: "and now the annex"})
	if p.Finished != nil || p.Ended != nil || p.Done != nil || p.Outcome() != "" {
		t.Errorf("finished %v, ended %v, done %v", p.Finished, p.Ended, p.Done)
	}
	if len(p.Staleness()) == 0 {
		t.Error("the old verdict still closes the run")
	}
	if got := marks(p.State); got != "R1 completed 2" {
		t.Errorf("what was verified is forgotten: %s", got)
	}
	p.Start(run.Plan)
}

func TestReopeningForgivesWhatEndedTheRun(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Round(looptest.Bad).Round(looptest.Bad).Round(looptest.Bad)
	p.Add(run.Finished{Outcome: run.Incomplete}, run.Resumed{Epoch: run.Epoch{Epoch: 2}, Host: run.Host{Reopens: true}})
	if p.Streak != 0 || p.Fingerprints != nil || p.Finished != nil {
		t.Errorf("streak %d, %d fingerprints, finished %v", p.Streak, len(p.Fingerprints), p.Finished)
	}
	p.Add(run.StopRequested{}, run.Finished{Outcome: run.Stopped}, run.Resumed{Epoch: run.Epoch{Epoch: 3}})
	if p.Finished == nil || !p.Stop {
		t.Error("a worker that only looks reopened the run")
	}
}

func TestACommandIsRememberedOnceAndNotForever(t *testing.T) {
	t.Parallel()
	p := looptest.New(t)
	for _, id := range []string{"", "a", "b", "a"} {
		p.Add(run.CommandRefused{Receipt: run.Receipt{Command: id}})
	}
	if d := cmp.Diff([]string{"a", "b"}, p.Commands); d != "" {
		t.Errorf("commands (-want +got):\n%s", d)
	}
	for i := range run.KeptCommands {
		p.Add(run.PauseSet{Receipt: run.Receipt{Command: fmt.Sprint(i)}})
	}
	if len(p.Commands) != run.KeptCommands || p.DidCommand("b") || !p.DidCommand("0") || !p.DidCommand("255") {
		t.Errorf("%d commands are kept, from %s to %s", len(p.Commands), p.Commands[0], p.Commands[len(p.Commands)-1])
	}
}

func TestAStopClosesTheGateAndItsCauseStays(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Plan(protocol.Plan{Route: protocol.Ask, Question: "which?"}).Ask(run.GateNeedsInput, "manager.asks")
	p.Add(run.StopRequested{})
	if p.Gate != nil || !p.Stop || p.Abort || p.Asked == nil {
		t.Errorf("gate %v, stop %v, abort %v, asked %v", p.Gate, p.Stop, p.Abort, p.Asked)
	}
	refuses(t, p.State, run.GateOpened{Gate: "g2"}, "a gate of a run that is to end")
	refuses(t, p.State, run.PhaseStarted{Round: 1, Phase: run.Plan}, "a plan of a run that is to end")
	p.Start(run.Report).Add(run.StopRequested{Abort: true}, run.StopRequested{})
	if !p.Abort {
		t.Error("a later stop took the abort back")
	}
}

func TestAContinueAnswerExtendsTheBudgetItAskedFor(t *testing.T) {
	t.Parallel()
	first := run.Limits{Rounds: 3, Fails: 2, ActiveMillis: 100, Tokens: 1000, MicroUSD: 50, Deadline: 7}
	for reason, want := range map[string]run.Limits{
		"budget.rounds":   {Rounds: 8, Fails: 2, ActiveMillis: 100, Tokens: 1000, MicroUSD: 50, Deadline: 7},
		"budget.active":   {Rounds: 8, Fails: 2, ActiveMillis: 200, Tokens: 1000, MicroUSD: 50, Deadline: 7},
		"budget.tokens":   {Rounds: 8, Fails: 2, ActiveMillis: 100, Tokens: 2000, MicroUSD: 50, Deadline: 7},
		"budget.cost":     {Rounds: 8, Fails: 2, ActiveMillis: 100, Tokens: 1000, MicroUSD: 100, Deadline: 7},
		"budget.deadline": {Rounds: 8, Fails: 2, ActiveMillis: 100, Tokens: 1000, MicroUSD: 50},
	} {
		p := looptest.From(t, run.Created{Limits: first}).Ask(run.GateMaxRounds, reason).Answer(run.GateAnswered{Rounds: 5})
		if d := cmp.Diff(want, p.Limits); d != "" {
			t.Errorf("%s (-want +got):\n%s", reason, d)
		}
		p = looptest.From(t, run.Created{Limits: first}).Ask(run.GateMaxRounds, reason).Answer(run.GateAnswered{End: true, Rounds: 5})
		if d := cmp.Diff(first, p.Limits); d != "" {
			t.Errorf("%s, ended (-want +got):\n%s", reason, d)
		}
	}
}

func TestLimitsStayLimits(t *testing.T) {
	t.Parallel()
	p := looptest.New(t)
	refuses(t, p.State, run.LimitsChanged{Add: run.Limits{Rounds: -10}}, "no rounds at all")
	refuses(t, p.State, run.LimitsChanged{Add: run.Limits{Fails: -3}}, "no failures at all")
	p.Ask(run.GateMaxRounds, "budget.rounds")
	refuses(t, p.State, run.GateAnswered{Gate: "g1", Rounds: -20}, "an answer that takes rounds away")
	p.Add(run.LimitsChanged{Add: run.Limits{Rounds: -4, Tokens: 5}})
	if want := (run.Limits{Rounds: 6, Fails: 3, Tokens: 5}); p.Limits != want {
		t.Errorf("limits %+v, want %+v", p.Limits, want)
	}
}

func TestAnotherGatesAnswerDoesNotAnswerTheManager(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Plan(protocol.Plan{Route: protocol.Ask, Question: "which?"})
	p.Ask(run.GateMaxRounds, "budget.tokens").Answer(run.GateAnswered{})
	if p.Asked == nil {
		t.Fatal("the question was never put and is gone")
	}
	refuses(t, p.State, run.RoundClosed{Round: 1, End: run.EndAsked}, "a question nobody has seen is settled")
	p.Ask(run.GateNeedsInput, "manager.asks").Answer(run.GateAnswered{Text: "blue"}).Close(run.EndAsked)
	if u := p.Unread(); p.Asked != nil || len(u) != 1 || u[0].Text != "blue" {
		t.Errorf("asked %v, unread %v", p.Asked, u)
	}
}

func TestMessagesAreUnreadUntilAPlanUsedThem(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Add(run.MessageReceived{ID: "a", Text: "x"}, run.MessageReceived{ID: "b", Text: "y"})
	p.Round(looptest.Good).Add(run.MessageUsed{Round: 1, IDs: []string{"a", "zz"}}, run.MessageUsed{Round: 2, IDs: []string{"a"}})
	if u := p.Unread(); len(u) != 1 || u[0].ID != "b" || p.Messages[0].UsedBy != 1 {
		t.Errorf("unread %v, a is used by %d", u, p.Messages[0].UsedBy)
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
