package loop_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"longwatch/backend/loop"
	"longwatch/backend/loop/looptest"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

// judge reports what is wrong with what is decided in a state, if anything.
func judge(s *run.State, now int64) (loop.Decision, error) {
	before, err := json.Marshal(s)
	if err != nil {
		return loop.Decision{}, err
	}
	d, err := loop.Decide(s, now)
	if err != nil {
		return d, fmt.Errorf("a state that can be decided on is not: %w", err)
	}
	again, err := loop.Decide(s, now)
	if diff := cmp.Diff(d, again); diff != "" || err != nil {
		return d, fmt.Errorf("the same state was decided in two ways, error %w:\n%s", err, diff)
	}
	if after, _ := json.Marshal(s); string(after) != string(before) {
		return d, fmt.Errorf("deciding changed the state:\n%s", cmp.Diff(string(before), string(after)))
	}
	if err := follows(s, d); err != nil {
		return d, fmt.Errorf("%s: %w", said(d), err)
	}
	if err := hidesNothing(s, d, now); err != nil {
		return d, fmt.Errorf("%s: %w", said(d), err)
	}
	return d, nil
}

// follows checks that the ledger takes the record of a decision.
func follows(s *run.State, d loop.Decision) error {
	st := d.Step
	switch st.Do {
	case loop.DoPhase, loop.DoGiveUp:
		return s.Accepts(run.PhaseStarted{Round: st.Round, Phase: st.Phase, Attempt: st.Attempt})
	case loop.DoReap:
		return s.Accepts(run.Interrupted{Round: st.Round, Phase: st.Phase})
	case loop.DoGate:
		return s.Accepts(st.Gate.Opened(s))
	case loop.DoClose:
		return s.Accepts(run.RoundClosed{Round: st.Round, End: st.End})
	case loop.DoRefuse:
		return s.Accepts(run.DoneRefused{Round: st.Round, Missing: st.Missing})
	case loop.DoFinish:
		return s.Accepts(run.Finished{Outcome: st.Outcome})
	case loop.DoUndo:
		if s.Worse == 0 {
			return fmt.Errorf("nothing is to be undone")
		}
	case loop.DoRestore, loop.DoProbe:
		if s.Violated == nil && s.Missing == nil {
			return fmt.Errorf("nothing is to be repaired")
		}
	case "":
		if d.Disposition != loop.Wait && d.Disposition != loop.AskUser && d.Disposition != loop.Terminal {
			return fmt.Errorf("nothing is done and nothing is waited for")
		}
	default:
		return fmt.Errorf("an action that there is not")
	}
	return nil
}

// hidesNothing checks that the row that won did not win over one that must not
// lose: each of these would be a wrong end, or work nobody wanted.
func hidesNothing(s *run.State, d loop.Decision, now int64) error {
	rows := loop.DecidingRows(s, now)
	loses := func(n ...int) error {
		for _, i := range n {
			if r, ok := rows[i]; ok && i != d.Row {
				return fmt.Errorf("wins over: %s", said(r))
			}
		}
		return nil
	}
	st := d.Step
	work := st.Do == loop.DoPhase && st.Phase != run.Report
	switch {
	case work && (s.Stop || s.Abort || s.Paused || s.Gate != nil || s.Ended != nil || s.Finished != nil || s.Open != nil):
		return fmt.Errorf("work begins in a run that is held, ending or at work already")
	case work && st.Phase.Role() != run.Longwatch && s.RetryAt > now:
		return fmt.Errorf("a throttled provider is called")
	case st.Do == loop.DoFinish && st.Outcome == run.Complete && s.Ended == nil,
		st.Gate != nil && st.Gate.Trigger == run.GateCompleted:
		// What a person did not accept must hold by itself.
		if len(s.OpenRequirements()) > 0 || len(s.Staleness()) > 0 {
			return fmt.Errorf("open requirements, or stale: %v", s.Staleness())
		}
		if v, _ := s.LatestVerdict(); v == nil || !v.Verdict.Supports() {
			return fmt.Errorf("the latest verdict does not support it: %+v", v)
		}
		return loses(1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 13, 14)
	case work && (st.Phase == run.Plan || st.Phase == run.Execute):
		return loses(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
	case d.Row == 6, d.Row == 7:
		return loses(1, 2, 3, 4, 5, 11, 12) // what is outstanding is settled first
	case st.Do == loop.DoClose:
		return loses(1, 2, 3, 4, 5, 11, 13, 14)
	}
	return nil
}

func TestEveryStateHasOneDecisionThatCanFollow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := &run.State{}
		looptest.Grow(s, func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "d") }, rapid.IntRange(0, 60).Draw(t, "events"))
		if _, err := judge(s, s.At+int64(rapid.IntRange(0, 100_000).Draw(t, "later"))); err != nil {
			t.Fatal(err)
		}
	})
}

func TestEveryRowIsReachedByChance(t *testing.T) {
	t.Parallel()
	left := map[int]bool{}
	for n := range 16 {
		left[n+1] = true
	}
	for seed := range uint64(200) {
		d := rand.New(rand.NewPCG(seed, 7)).IntN
		s := &run.State{}
		for range 30 {
			looptest.Grow(s, d, 4)
			got, err := judge(s, s.At+int64(d(60_000)))
			if err != nil {
				t.Fatalf("seed %d, record %d: %v", seed, s.Seq, err)
			}
			delete(left, got.Row)
		}
	}
	if len(left) > 0 {
		t.Errorf("no state came to rows %v", left)
	}
}

// driver carries decisions out with dice in place of roles and person.
type driver struct {
	s       *run.State
	now     int64
	dice    looptest.Dice
	answers int
}

func (r *driver) add(e run.Event) error {
	r.now += int64(r.dice(3000))
	return r.s.Apply(run.Entry{Seq: r.s.Seq + 1, Epoch: 1, At: r.now, Event: e})
}

// carryOut does what was decided; whatever a phase may come to, it comes to.
func (r *driver) carryOut(d loop.Decision) error {
	st := d.Step
	switch st.Do {
	case loop.DoPhase, loop.DoGiveUp:
		if err := r.add(run.PhaseStarted{Round: st.Round, Phase: st.Phase, Attempt: st.Attempt}); err != nil {
			return err
		}
		for r.s.Open != nil && r.dice(30) > 0 {
			e := looptest.Outcome(r.s, r.dice)
			if st.Phase == run.Plan && r.dice(3) > 0 {
				e = r.honest()
			}
			if r.s.Accepts(e) == nil {
				if err := r.add(e); err != nil {
					return err
				}
			}
		}
		return nil
	case loop.DoReap:
		return r.add(run.Interrupted{Round: st.Round, Phase: st.Phase})
	case loop.DoGate:
		return r.add(st.Gate.Opened(r.s))
	case loop.DoClose:
		return r.add(run.RoundClosed{Round: st.Round, End: st.End})
	case loop.DoRefuse:
		return r.add(run.DoneRefused{Round: st.Round, Missing: st.Missing})
	case loop.DoFinish:
		return r.add(run.Finished{Outcome: st.Outcome})
	case loop.DoRestore, loop.DoUndo:
		return r.add(run.Restored{})
	case loop.DoProbe:
		return r.add(run.CapabilityMissing{Name: "x", Owner: "longwatch", Tries: st.Attempt})
	}
	return r.sitOut(d)
}

// honest is the plan of a manager that cites what was verified, and then says
// done.
func (r *driver) honest() run.Event {
	p := protocol.Plan{Route: protocol.CLI, Task: "t"}
	for n := range len(r.s.Rounds) {
		for _, b := range r.s.OpenRequirements() {
			if r.s.Supports(n) {
				p.Route, p.Records = protocol.Done, append(p.Records, looptest.Completed(b.ID, n))
			}
		}
	}
	if v, _ := r.s.LatestVerdict(); v != nil && len(r.s.OpenRequirements()) == 0 {
		p.Route = protocol.Done
	}
	return run.Planned{Round: len(r.s.Rounds), Plan: p}
}

// sitOut is a person who answers, at last with end, and never pauses for ever.
func (r *driver) sitOut(d loop.Decision) error {
	switch {
	case r.s.Gate != nil:
		r.answers++
		return r.add(run.GateAnswered{Gate: r.s.Gate.Gate, Rounds: r.dice(3), End: r.answers > 4 || r.dice(4) == 0})
	case d.Until > 0:
		r.now = d.Until
		return nil
	}
	return r.add(run.PauseSet{})
}

func TestEveryRunComesToAnEnd(t *testing.T) {
	t.Parallel()
	outcomes := map[run.Outcome]int{}
	for seed := range uint64(150) {
		r := &driver{s: &run.State{}, now: looptest.Epoch0, dice: rand.New(rand.NewPCG(seed, 3)).IntN}
		if err := r.add(looptest.Created(r.dice)); err != nil {
			t.Fatal(err)
		}
		for step := 0; r.s.Finished == nil; step++ {
			d, err := judge(r.s, r.now)
			if err == nil {
				err = r.carryOut(d)
			}
			if err != nil || step > 2000 {
				t.Fatalf("seed %d, step %d: %s: %v", seed, step, said(d), err)
			}
		}
		outcomes[r.s.Finished.Outcome]++
	}
	if outcomes[run.Complete] == 0 || outcomes[run.Incomplete] == 0 {
		t.Errorf("outcomes %v: both kinds of end were to be seen", outcomes)
	}
}

func FuzzDecide(f *testing.F) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 0))
		data := make([]byte, 600)
		for i := range data {
			data[i] = byte(r.IntN(256))
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, s := looptest.Bytes(data), &run.State{}
		for range min(40, 1+len(data)/8) {
			looptest.Grow(s, d, 2)
			if _, err := judge(s, s.At+int64(d(200))*500); err != nil {
				t.Fatal(err)
			}
		}
	})
}
