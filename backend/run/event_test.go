package run_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"longwatch/backend/loop/looptest"
	"longwatch/backend/run"
)

// full returns an event of a kind with every field set to something.
func full(t testing.TB, k run.Kind) run.Event {
	t.Helper()
	e, err := run.Decode(k, "", json.RawMessage("{}"))
	if err != nil {
		t.Fatal(err)
	}
	p := reflect.New(reflect.TypeOf(e))
	fill(t, p.Elem(), 1)
	return p.Elem().Interface().(run.Event)
}

func fill(t testing.TB, v reflect.Value, n int) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), n+i)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0), n)
		fill(t, v.Index(1), n+1)
	case reflect.String:
		v.SetString(fmt.Sprintf("<%d> & \"三\"\u2028\n", n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(n) << 33)
	case reflect.Uint64:
		v.SetUint(1<<63 + uint64(n))
	case reflect.Bool:
		v.SetBool(true)
	default:
		t.Fatalf("an event has a field of kind %s, which this test cannot fill", v.Kind())
	}
}

func TestEveryKindSurvivesTheLedgerWhole(t *testing.T) {
	t.Parallel()
	for k, class := range run.Kinds() {
		t.Run(string(k), func(t *testing.T) {
			t.Parallel()
			want := full(t, k)
			body, err := run.Encode(want)
			if err != nil {
				t.Fatal(err)
			}
			got, err := run.Decode(k, class, body)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", body, d)
			}
			if got.Kind() != k || run.ClassOf(got) != class || class == "" {
				t.Errorf("kind %q of class %q came back as %q of %q", k, class, got.Kind(), run.ClassOf(got))
			}
		})
	}
}

func TestMarkupTakesNoMoreRoomThanItself(t *testing.T) {
	t.Parallel()
	body, err := run.Encode(run.FinalReply{Said: run.Text{Text: "<b>&</b>"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"round":0,"said":{"text":"<b>&</b>"},"usage":{"ms":0}}`; string(body) != want {
		t.Errorf("body %s, want %s", body, want)
	}
}

func TestABodyThatDoesNotFitItsKindIsAnError(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"round":"one"}`, `[]`, `{`, ``, `{"plan":{"route":[]}}`} {
		if e, err := run.Decode("planned", run.Decision, json.RawMessage(body)); err == nil {
			t.Errorf("%q was read as %+v", body, e)
		}
	}
}

func TestAnUnknownKindIsSkippedUnlessItDecides(t *testing.T) {
	t.Parallel()
	for class, stops := range map[run.Class]bool{
		run.Accounting: false, run.Evidence: false, run.Work: false, "from the future": false,
		run.Decision: true, run.Fact: true,
	} {
		t.Run(string(class), func(t *testing.T) {
			t.Parallel()
			e, err := run.Decode("dreamt", class, json.RawMessage(`{"x":1}`))
			if err != nil {
				t.Fatal(err)
			}
			p := looptest.New(t)
			want := *p.State
			p.Add(e)
			want.Seq, want.At = p.Seq, p.At
			if stops {
				want.Unreadable, want.Decided = "dreamt", p.Seq
			}
			if d := cmp.Diff(&want, p.State); d != "" {
				t.Errorf("state (-want +got):\n%s", d)
			}
		})
	}
}

func TestOnlyDecisionsAndStateOutdateABrief(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Start(run.Plan)
	at := p.Decided
	p.Add(run.BudgetNoted{Budget: "rounds"}, run.WorkspaceChanged{Round: 1, During: run.Plan}, run.CommandRefused{})
	if p.Decided != at {
		t.Errorf("record %d outdates what was rendered at %d", p.Decided, at)
	}
	p.Add(run.MessageReceived{ID: "m", Text: "stop"})
	if p.Decided != p.Seq {
		t.Errorf("a message at %d left briefs of %d valid", p.Seq, p.Decided)
	}
}

func FuzzDecode(f *testing.F) {
	for k, class := range run.Kinds() {
		body, err := run.Encode(full(f, k))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(k), string(class), []byte(body))
	}
	f.Add("dreamt", "decision", []byte(`{}`))
	f.Add("planned", "decision", []byte(`{"round":1e3,"plan":null}`))
	f.Fuzz(func(t *testing.T, kind, class string, body []byte) {
		e, err := run.Decode(run.Kind(kind), run.Class(class), body)
		if err != nil {
			return
		}
		if e.Kind() != run.Kind(kind) {
			t.Fatalf("%q came back as %q", kind, e.Kind())
		}
		s := &run.State{Seq: 1}
		_ = s.Apply(run.Entry{Seq: 2, Event: e}) // may refuse, may not panic
		again, err := run.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := run.Decode(e.Kind(), run.ClassOf(e), again)
		if err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		if _, unknown := e.(run.Unknown); unknown {
			return
		}
		if d := cmp.Diff(e, got, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("%s became (-want +got):\n%s", again, d)
		}
	})
}
