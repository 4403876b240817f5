package operator_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/operator"
	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// Going on means what fits the state: an answer where something is
// asked, otherwise more rounds and a message.
func TestGoingOnIsCommandsThatFitTheState(t *testing.T) {
	t.Parallel()
	asking := &run.State{Gate: &run.OpenGate{GateOpened: run.GateOpened{Gate: "g4"}}}
	for name, tt := range map[string]struct {
		state  *run.State
		text   string
		rounds int
		want   []rundir.Command
	}{
		"nothing":                {&run.State{}, "", 0, nil},
		"a message":              {&run.State{}, "hello", 0, []rundir.Command{{Kind: "send", Text: "hello"}}},
		"rounds first":           {&run.State{}, "hello", 2, []rundir.Command{{Kind: "limits", Rounds: 2}, {Kind: "send", Text: "hello"}}},
		"a pause ends":           {&run.State{Paused: true}, "", 1, []rundir.Command{{Kind: "go"}, {Kind: "limits", Rounds: 1}}},
		"only followed":          {asking, "", 0, nil},
		"an answer":              {asking, "red", 3, []rundir.Command{{Kind: "answer", Gate: "g4", Text: "red", Rounds: 3}}},
		"an answer in a pause":   {&run.State{Paused: true, Gate: asking.Gate}, "red", 0, []rundir.Command{{Kind: "go"}, {Kind: "answer", Gate: "g4", Text: "red"}}},
		"only followed in pause": {&run.State{Paused: true, Gate: asking.Gate}, "", 0, []rundir.Command{{Kind: "go"}}},
	} {
		got, err := operator.Resume(tt.state, tt.text, tt.rounds)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, -want +got\n%s", name, err, diff)
		}
	}
	complete := &run.State{Finished: &run.Finished{Outcome: run.Complete}}
	if got, err := operator.Resume(complete, "", 3); !errors.Is(err, operator.ErrComplete) {
		t.Errorf("a complete run went on with %v, %v", got, err)
	}
	if got, err := operator.Resume(complete, "more", 0); err != nil || len(got) != 1 {
		t.Errorf("a follow-up of a complete run: %v, %v", got, err)
	}
}
