package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

func TestWhatIsTypedAtAGateIsAnAnswer(t *testing.T) {
	t.Parallel()
	const kind = rundir.CommandAnswer
	for _, tt := range []struct {
		trigger run.Trigger
		line    string
		want    rundir.Command
	}{
		{run.GateCompleted, "accept", rundir.Command{End: true}},
		{run.GateCompleted, "A", rundir.Command{End: true}},
		{run.GateCompleted, "接受", rundir.Command{End: true}},
		{run.GateCompleted, "end", rundir.Command{End: true}},
		{run.GateCompleted, "continue add a chart", rundir.Command{Text: "add a chart"}},
		{run.GateCompleted, "continue +3 add a chart", rundir.Command{Text: "add a chart", Rounds: 3}},
		{run.GateMaxRounds, "continue +5", rundir.Command{Rounds: 5}},
		{run.GateMaxRounds, "+5", rundir.Command{Rounds: 5}},
		{run.GateMaxRounds, "继续 +5", rundir.Command{Rounds: 5}},
		{run.GateRepeatedFailure, "c", rundir.Command{}},
		{run.GateNeedsHuman, "结束", rundir.Command{End: true}},
		{run.GateNeedsInput, "2", rundir.Command{Text: "blue"}},
		{run.GateNeedsInput, "3", rundir.Command{Text: "3"}},
		{run.GateNeedsInput, "something else", rundir.Command{Text: "something else"}},
		{run.GateNeedsInput, "end", rundir.Command{End: true}},
	} {
		g := run.GateOpened{Gate: "g1", Trigger: tt.trigger, Choices: []string{"red", "blue"}}
		tt.want.Kind, tt.want.Gate = kind, "g1"
		got, err := parseAnswer(g, tt.line)
		if err != nil {
			t.Errorf("%s, %q: %v", tt.trigger, tt.line, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s, %q: -want +got\n%s", tt.trigger, tt.line, diff)
		}
	}
}

func TestWhatIsNoAnswerIsToldWhatCouldBe(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		trigger run.Trigger
		line    string
		want    string
	}{
		{run.GateCompleted, "", "accept, or: continue"},
		{run.GateCompleted, "perhaps", `"perhaps" is not an answer: accept, or: continue`},
		{run.GateMaxRounds, "accept", "there is nothing to accept here: continue +N, or: end"},
		{run.GateMaxRounds, "yes", `"yes" is not an answer: continue +N, or: end`},
		{run.GateMaxRounds, "+", "say how many rounds to add, such as +5"},
		{run.GateMaxRounds, "+0", "+0: say how many rounds"},
		{run.GateMaxRounds, "continue +many", "+many: say how many rounds"},
		{run.GateNeedsInput, "", "type the answer, or: end"},
	} {
		c, err := parseAnswer(run.GateOpened{Gate: "g1", Trigger: tt.trigger}, tt.line)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, %q: %+v, %v; want %s", tt.trigger, tt.line, c, err, tt.want)
		}
	}
}

func TestAGateIsPutWithAllOneNeedsToKnow(t *testing.T) {
	t.Parallel()
	got := prompt(run.GateOpened{
		Trigger: run.GateNeedsInput, Question: "Which colour?", Choices: []string{"red", "blue"}, Details: []string{"for the\nlogo"},
	})
	want := "\n? Which colour?\n    for the\n    logo\n  1) red\n  2) blue\n  type the answer, or: end\n> "
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
