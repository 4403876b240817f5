package run_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/loop/looptest"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

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
