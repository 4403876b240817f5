package gate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/gate"
	"longwatch/backend/loop/looptest"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

// opens lists the reasons of the rules that would ask.
func opens(s *run.State, now int64) []string {
	var out []string
	for _, r := range gate.Rules {
		if q := r.When(s, now); q != nil {
			out = append(out, string(q.Trigger)+" "+q.Reason)
		}
	}
	return out
}

func used(u run.Usage) func(*looptest.Tape) {
	return func(p *looptest.Tape) { p.Start(run.Plan).Add(run.PlanRefused{Round: 1, Usage: u}) }
}

func plans(route protocol.Route) func(*looptest.Tape) {
	return func(p *looptest.Tape) { p.Plan(protocol.Plan{Route: route, Question: "which?"}) }
}

func rounds(n int, each func(i int, p *looptest.Tape)) func(*looptest.Tape) {
	return func(p *looptest.Tape) {
		for i := range n {
			each(i, p)
		}
	}
}

func fails(_ int, p *looptest.Tape)    { p.Round(looptest.Bad) }
func supports(_ int, p *looptest.Tape) { p.Round(looptest.Good) }

// advances comes to something else each time; varies fails in another way.
func advances(i int, p *looptest.Tape) { differs(i, p).Audit(looptest.Good).Close(run.EndSupported) }

func varies(i int, p *looptest.Tape) { differs(i, p).Audit(looptest.Bad).Close(run.EndUnsupported) }

func differs(i int, p *looptest.Tape) *looptest.Tape {
	p.Plan(protocol.Plan{Route: protocol.CLI, Contract: fmt.Sprint(i)}).Start(run.Execute)
	return p.Add(run.Executed{Round: i + 1})
}

var limits = run.Limits{Rounds: 9, Fails: 4, ActiveMillis: 60_000, Tokens: 1000, MicroUSD: 2_000_000, Deadline: looptest.Epoch0 + 1_000_000}

func TestEachTriggerFiresOnItsFactsAndOnlyThen(t *testing.T) {
	t.Parallel()
	const late = looptest.Epoch0 + 1_000_000
	missing := func(p *looptest.Tape) { p.Add(run.CapabilityMissing{Name: "display", Owner: "user"}) }
	for _, c := range []struct {
		name string
		when func(*looptest.Tape)
		now  int64
		want []string
	}{
		{"nothing happened", func(*looptest.Tape) {}, 0, nil},
		{"all is well", rounds(2, supports), 0, nil},
		{"the last round is running", func(p *looptest.Tape) {
			rounds(8, advances)(p)
			p.Do()
		}, 0, nil},
		{"all rounds are used", rounds(9, advances), 0, []string{"max_rounds budget.rounds"}},
		{"little was used", used(run.Usage{Millis: 59_999, Tokens: 999, MicroUSD: 1_999_999}), late - 1, nil},
		{"the time is used", used(run.Usage{Millis: 60_000}), 0, []string{"max_rounds budget.active"}},
		{"the tokens are used", used(run.Usage{Tokens: 1000}), 0, []string{"max_rounds budget.tokens"}},
		{"the money is used", used(run.Usage{MicroUSD: 2_000_000}), 0, []string{"max_rounds budget.cost"}},
		{"the deadline passed", func(*looptest.Tape) {}, late, []string{"max_rounds budget.deadline"}},
		{"two failures", rounds(2, fails), 0, nil},
		{"three rounds of the same", rounds(3, fails), 0, []string{"repeated_failure failures.no_progress"}},
		{"three supported rounds of the same", rounds(3, supports), 0, []string{"repeated_failure failures.no_progress"}},
		{"three different failures", rounds(3, varies), 0, nil},
		{"four different failures", rounds(4, varies), 0, []string{"repeated_failure failures.streak"}},
		{"the manager asks", plans(protocol.Ask), 0, []string{"needs_input manager.asks"}},
		{"the manager is blocked", plans(protocol.Stop), 0, []string{"needs_human manager.blocked"}},
		{"the manager claims to be done", plans(protocol.Done), 0, []string{"completed done.holds"}},
		{"the manager waits", plans(protocol.Wait), 0, nil},
		{"a capability is missing", missing, 0, []string{"needs_human capability.missing"}},
		{"an audit is void", func(p *looptest.Tape) { void(p.Do(), 1) }, 0, []string{"needs_human audit.void"}},
		{"two audits are void and restored", func(p *looptest.Tape) {
			void(p.Do(), 1).Add(run.Restored{})
			void(p, 1).Add(run.Restored{})
		}, 0, []string{"needs_human audit.stale_twice"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := looptest.From(t, run.Created{Limits: limits})
			c.when(p)
			if d := cmp.Diff(c.want, opens(p.State, max(c.now, 1))); d != "" {
				t.Errorf("gates (-want +got):\n%s", d)
			}
		})
	}
}

func void(p *looptest.Tape, round int) *looptest.Tape {
	p.Start(run.Audit).Add(run.Violated{Round: round, Phase: run.Audit, Changes: run.Changes{
		First: []run.Change{{What: "content", Path: "out.txt"}}, Count: 30, Counts: true,
	}})
	return p.Add(run.Audited{Round: round, Phase: run.Audit, Verdict: looptest.Good})
}

func TestWithoutALimitNoBudgetIsUsedUp(t *testing.T) {
	t.Parallel()
	p := looptest.From(t, run.Created{Limits: run.Limits{Rounds: 2, Fails: 2}})
	used(run.Usage{Millis: 1 << 50, Tokens: 1 << 50, MicroUSD: 1 << 50})(p)
	if q := gate.MaxRounds(p.State, 1<<60); q != nil {
		t.Errorf("asks %s", q.Reason)
	}
}

func TestTheFiveTriggersHaveOneRuleEach(t *testing.T) {
	t.Parallel()
	var got []run.Trigger
	for _, r := range gate.Rules {
		got = append(got, r.Trigger)
	}
	want := []run.Trigger{run.GateMaxRounds, run.GateRepeatedFailure, run.GateNeedsHuman, run.GateCompleted, run.GateNeedsInput}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("triggers (-want +got):\n%s", d)
	}
}

func TestWhatTheDialogsShow(t *testing.T) {
	t.Parallel()
	p := looptest.New(t)
	rounds(3, fails)(p)
	same := "audit: incomplete · clean · aligned"
	shows(t, gate.RepeatedFailure(p.State, 1), []string{same, same, same})

	p = void(looptest.New(t).Do(), 1)
	shows(t, gate.NeedsHuman(p.State, 1), []string{"content out.txt", "and 29 more"})

	p = looptest.From(t, run.Created{Limits: run.Limits{Rounds: 1, Fails: 1}, Requirements: []run.Requirement{{ID: "R1", Text: "x"}}})
	p.Round(looptest.Good)
	shows(t, gate.MaxRounds(p.State, 1), []string{"R1 [pending] x"})

	p = looptest.New(t).Round(looptest.Good).Claim(1).Start(run.Report)
	p.Add(run.FinalReply{Round: 2, Said: run.Text{Text: "It is done."}})
	shows(t, gate.Completed(p.State, 1), []string{"It is done."})

	p = looptest.New(t).Add(run.CapabilityMissing{Name: "display", Owner: "user", FixHint: "Unlock the screen."})
	q := gate.NeedsHuman(p.State, 1)
	shows(t, q, []string{"Unlock the screen."})
	if q.Text != "display is missing." {
		t.Errorf("asks %q", q.Text)
	}

	p = looptest.New(t).Plan(protocol.Plan{Route: protocol.Ask, Question: "Which?", Choices: []string{"a", "b"}})
	q = gate.NeedsInput(p.State, 1)
	if q.Text != "Which?" || !slices.Equal(q.Choices, []string{"a", "b"}) || q.Round != 1 {
		t.Errorf("question %+v", q)
	}
}

func shows(t *testing.T, q *gate.Question, want []string) {
	t.Helper()
	if q == nil {
		t.Fatal("nothing is asked")
	}
	if d := cmp.Diff(want, q.Details); d != "" {
		t.Errorf("%s: details (-want +got):\n%s", q.Reason, d)
	}
}

func TestGatesOfARunHaveDifferentIDs(t *testing.T) {
	t.Parallel()
	p, seen := looptest.New(t), map[string]bool{}
	q := gate.Question{Trigger: run.GateNeedsHuman, Reason: "audit.void", Text: "q", Choices: []string{"a"}, Details: []string{"d"}, Round: 4}
	for range 5 {
		g := q.Opened(p.State)
		if seen[g.Gate] {
			t.Fatalf("%s was there before", g.Gate)
		}
		seen[g.Gate] = true
		want := run.GateOpened{Gate: g.Gate, Trigger: q.Trigger, Reason: q.Reason, Question: "q", Choices: q.Choices, Details: q.Details, Round: 4}
		if d := cmp.Diff(want, g); d != "" {
			t.Fatalf("record (-want +got):\n%s", d)
		}
		p.Add(g, run.StopRequested{}, run.Finished{}, run.MessageReceived{})
	}
}

func TestWhichAnswersFit(t *testing.T) {
	t.Parallel()
	of := func(tr run.Trigger, reason string) run.GateOpened {
		return run.GateOpened{Gate: "g3", Trigger: tr, Reason: reason, Question: "Which?"}
	}
	input, spent, money := of(run.GateNeedsInput, "manager.asks"), of(run.GateMaxRounds, "budget.rounds"), of(run.GateMaxRounds, "budget.cost")
	for _, c := range []struct {
		gate   run.GateOpened
		answer run.GateAnswered
		want   string // part of the error
	}{
		{input, run.GateAnswered{Gate: "g3", Text: "blue"}, ""},
		{input, run.GateAnswered{Gate: "g3", End: true}, ""},
		{input, run.GateAnswered{Gate: "g3", Text: " \n"}, "needs an answer in words: Which?"},
		{input, run.GateAnswered{Gate: "g2", Text: "blue"}, "the answer is for gate g2; gate g3 is open"},
		{spent, run.GateAnswered{Gate: "g3", Rounds: 10000}, ""},
		{spent, run.GateAnswered{Gate: "g3", End: true}, ""},
		{spent, run.GateAnswered{Gate: "g3"}, "say how many to add"},
		{spent, run.GateAnswered{Gate: "g3", Rounds: -1}, "not between 0 and 10000"},
		{spent, run.GateAnswered{Gate: "g3", Rounds: 10001, End: true}, "not between 0 and 10000"},
		{money, run.GateAnswered{Gate: "g3"}, ""},
		{of(run.GateCompleted, "done.holds"), run.GateAnswered{Gate: "g3", Text: "keep going", Rounds: 3}, ""},
	} {
		err := gate.Fits(c.gate, c.answer)
		if (err == nil) != (c.want == "") || (err != nil && !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, %+v: %v, want %q", c.gate.Reason, c.answer, err, c.want)
		}
	}
}
