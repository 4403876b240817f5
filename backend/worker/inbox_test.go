package worker

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// fold makes a state from what happened.
func fold(t *testing.T, events ...run.Event) *run.State {
	t.Helper()
	s := &run.State{}
	for _, e := range events {
		if err := s.Apply(run.Entry{Seq: s.Seq + 1, Epoch: 1, At: 1000 + int64(s.Seq), Event: e}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func created() run.Created {
	return run.Created{Run: "r1", Title: "T", Limits: run.Limits{Rounds: 5, Fails: 3}}
}

func gateOf(trigger run.Trigger, reason string) run.GateOpened {
	return run.GateOpened{Gate: "g1", Trigger: trigger, Reason: reason, Question: "Which?"}
}

func TestACommandHasItsEvent(t *testing.T) {
	t.Parallel()
	working := []run.Event{created()}
	asking := append(working, gateOf(run.GateNeedsHuman, "manager.blocked"))
	rec := run.Receipt{Command: "c1", Channel: "terminal"}
	for name, tt := range map[string]struct {
		history []run.Event
		command rundir.Command
		want    run.Event
	}{
		"a message":  {working, rundir.Command{Kind: "send", Text: "hello"}, run.MessageReceived{Receipt: rec, ID: "c1", Text: "hello"}},
		"a stop":     {working, rundir.Command{Kind: "stop"}, run.StopRequested{Receipt: rec}},
		"an abort":   {working, rundir.Command{Kind: "abort"}, run.StopRequested{Receipt: rec, Abort: true}},
		"a pause":    {working, rundir.Command{Kind: "pause"}, run.PauseSet{Receipt: rec, Paused: true}},
		"its end":    {append(working, run.PauseSet{Paused: true}), rundir.Command{Kind: "go"}, run.PauseSet{Receipt: rec}},
		"new rounds": {working, rundir.Command{Kind: "limits", Rounds: 4}, run.LimitsChanged{Receipt: rec, Add: run.Limits{Rounds: 4}}},
		"an answer": {asking, rundir.Command{Kind: "answer", Gate: "g1", Text: "the blue one", Rounds: 2}, run.GateAnswered{
			Receipt: rec, Gate: "g1", Text: "the blue one", Rounds: 2,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fold(t, tt.history...)
			tt.command.ID, tt.command.Channel = "c1", "terminal"
			got := effect(s, rundir.Letter{Command: tt.command})
			if diff := cmp.Diff([]run.Event{tt.want}, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if err := s.Accepts(got[0]); err != nil {
				t.Errorf("the fold refuses it: %v", err)
			}
		})
	}
}

func TestACommandThatCannotBeIsRefusedWithItsReason(t *testing.T) {
	t.Parallel()
	working := []run.Event{created()}
	ended := append(working, run.Finished{Outcome: run.Stopped})
	input := append(working, gateOf(run.GateNeedsInput, "manager.asks"))
	rounds := append(working, gateOf(run.GateMaxRounds, "budget.rounds"))
	answered := append(input, run.GateAnswered{Gate: "g1", Text: "blue"})
	for name, tt := range map[string]struct {
		history []run.Event
		letter  rundir.Letter
		want    string
	}{
		"unreadable":       {working, rundir.Letter{Bad: "not a command: x"}, "not a command: x"},
		"of no kind":       {working, letter(rundir.Command{Kind: "fly"}), `there is no command "fly"`},
		"no words":         {working, letter(rundir.Command{Kind: "send", Text: " \n"}), "the message is empty"},
		"stop twice":       {ended, letter(rundir.Command{Kind: "stop"}), "the run has ended"},
		"abort after all":  {ended, letter(rundir.Command{Kind: "abort"}), "the run has ended"},
		"pause after all":  {ended, letter(rundir.Command{Kind: "pause"}), "it is so already, or the run has ended"},
		"go unpaused":      {working, letter(rundir.Command{Kind: "go"}), "it is so already, or the run has ended"},
		"rounds taken":     {working, letter(rundir.Command{Kind: "limits", Rounds: -1}), "rounds to add must be between 1 and 10000"},
		"no question":      {working, letter(rundir.Command{Kind: "answer", Gate: "g1"}), `gate "g1" is not open`},
		"a second answer":  {answered, letter(rundir.Command{Kind: "answer", Gate: "g1", Text: "red"}), "gate g1 was answered before"},
		"an old question":  {input, letter(rundir.Command{Kind: "answer", Gate: "g0", Text: "x"}), "the answer is for gate g0; gate g1 is open"},
		"an empty answer":  {input, letter(rundir.Command{Kind: "answer", Gate: "g1"}), "the question needs an answer in words: Which?"},
		"no rounds":        {rounds, letter(rundir.Command{Kind: "answer", Gate: "g1"}), "all rounds are used: say how many to add"},
		"too many rounds":  {rounds, letter(rundir.Command{Kind: "answer", Gate: "g1", Rounds: 1 << 30}), "is not between 0 and 10000"},
		"a long complaint": {working, rundir.Letter{Bad: strings.Repeat("長", 40000)}, "長 …"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.letter.ID = "c1"
			s := fold(t, tt.history...)
			got := effect(s, tt.letter)
			if len(got) != 1 {
				t.Fatalf("%d events: %v", len(got), got)
			}
			r, ok := got[0].(run.CommandRefused)
			if !ok || r.Command != "c1" || !strings.Contains(r.Reason, tt.want) {
				t.Errorf("%+v; want a refusal: %s", got[0], tt.want)
			}
			if b, err := run.Encode(got[0]); err != nil || len(b) > 4<<10 {
				t.Errorf("the refusal has %d bytes, %v", len(b), err)
			}
		})
	}
}

// A command file that comes back after a crash has no second effect.
func TestACommandHasItsEffectOnce(t *testing.T) {
	t.Parallel()
	l := letter(rundir.Command{Kind: "limits", Rounds: 4})
	s := fold(t, created())
	s = fold(t, append([]run.Event{created()}, effect(s, l)...)...)
	if got := effect(s, l); len(got) > 0 {
		t.Errorf("the second time: %v", got)
	}
	if s.Limits.Rounds != 9 {
		t.Errorf("%d rounds, want 9", s.Limits.Rounds)
	}
}

func letter(c rundir.Command) rundir.Letter {
	c.ID = "c1"
	return rundir.Letter{Command: c}
}
