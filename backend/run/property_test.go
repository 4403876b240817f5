package run_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"longwatch/backend/loop/looptest"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

// history draws a legal history; a shrunk one is short.
func history(t *rapid.T) []run.Entry {
	n := rapid.IntRange(1, 80).Draw(t, "events")
	return looptest.Grow(&run.State{}, dice(t), n)
}

func dice(t *rapid.T) looptest.Dice {
	return func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "d") }
}

// reloaded is a state that was written down and read again.
func reloaded(t rapid.TB, s *run.State) *run.State {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	out := &run.State{}
	if err := json.Unmarshal(b, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// differs compares whole states; JSON does not tell no entries from none.
func differs(want, got *run.State) string { return cmp.Diff(want, got, cmpopts.EquateEmpty()) }

func TestFoldingInTwoPartsIsFoldingOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		entries := history(t)
		cut := rapid.IntRange(0, len(entries)).Draw(t, "cut")
		whole, parts := &run.State{}, &run.State{}
		for i, e := range entries {
			if i == cut {
				parts = reloaded(t, parts)
			}
			for _, s := range []*run.State{whole, parts} {
				if err := s.Apply(e); err != nil {
					t.Fatal(err)
				}
			}
		}
		if d := differs(whole, parts); d != "" {
			t.Fatalf("state (-whole +parts):\n%s", d)
		}
	})
}

func TestWhatTheLedgerKeepsFoldsToTheSameState(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		live, read := &run.State{}, &run.State{}
		for _, e := range history(t) {
			if err := live.Apply(e); err != nil {
				t.Fatal(err)
			}
			body, err := run.Encode(e.Event)
			if err != nil {
				t.Fatal(err)
			}
			if e.Event, err = run.Decode(e.Event.Kind(), run.ClassOf(e.Event), body); err != nil {
				t.Fatal(err)
			}
			if err := read.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
		if d := differs(live, read); d != "" {
			t.Fatalf("state (-live +read):\n%s", d)
		}
	})
}

func TestARefusedEventLeavesTheStateAsItWas(t *testing.T) {
	t.Parallel()
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		s, d := &run.State{}, dice(t)
		looptest.Grow(s, d, rapid.IntRange(0, 60).Draw(t, "events"))
		before := reloaded(t, s)
		e := looptest.Any(s, d)
		accepts := s.Accepts(e)
		if diff := differs(before, s); diff != "" {
			t.Fatalf("Accepts changed the state (-want +got):\n%s", diff)
		}
		err := s.Apply(run.Entry{Seq: s.Seq + 1, At: s.At, Event: e})
		if accepts == nil {
			if err != nil {
				t.Fatalf("%s was accepted and not applied: %v", e.Kind(), err)
			}
			return
		}
		refused++
		if !errors.Is(accepts, run.ErrIllegal) || !errors.Is(err, run.ErrIllegal) {
			t.Fatalf("Accepts said %v and Apply said %v", accepts, err)
		}
		if diff := differs(before, s); diff != "" {
			t.Fatalf("a refused %s changed the state (-want +got):\n%s", e.Kind(), diff)
		}
	})
	if refused == 0 {
		t.Fatal("no event was refused, so nothing was tested")
	}
}

func TestNothingIsCompletedWithoutASupportingAudit(t *testing.T) {
	t.Parallel()
	completed := 0
	rapid.Check(t, func(t *rapid.T) {
		s := &run.State{}
		for _, e := range history(t) {
			if err := s.Apply(e); err != nil {
				t.Fatal(err)
			}
			for _, b := range s.Records {
				if b.Mark != protocol.Completed {
					continue
				}
				completed++
				if !s.Supports(b.Round) {
					t.Fatalf("after record %d (%s): %s, and the verdict of that round is %+v", e.Seq, e.Event.Kind(), b, s.Round(b.Round))
				}
			}
		}
	})
	// Rapid draws too few whole rounds; plain dice make sure of some.
	for seed := range uint64(300) {
		s := &run.State{}
		looptest.Grow(s, rand.New(rand.NewPCG(seed, 1)).IntN, 150)
		for _, b := range s.Records {
			if b.Mark == protocol.Completed {
				completed++
				if !s.Supports(b.Round) {
					t.Fatalf("seed %d: %s stands without support", seed, b)
				}
			}
		}
	}
	if completed == 0 {
		t.Fatal("no record was ever completed, so nothing was tested")
	}
}

func TestHistoriesReachEveryKind(t *testing.T) {
	t.Parallel()
	left := run.Kinds()
	left["dreamt"] = run.Evidence
	for seed := range uint64(400) {
		for _, e := range looptest.Grow(&run.State{}, rand.New(rand.NewPCG(seed, 0)).IntN, 150) {
			delete(left, e.Event.Kind())
		}
	}
	if len(left) > 0 {
		t.Fatalf("no history has these, so their fold was never run: %v", left)
	}
}
