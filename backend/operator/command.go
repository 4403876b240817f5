package operator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// ReceiptWithin is how long a command waits for the worker's receipt. A worker
// takes commands while a phase runs too, so this is seconds, not minutes.
const ReceiptWithin = 30 * time.Second

// lookEvery is how often a wait looks whether there is a worker.
const lookEvery = 300 * time.Millisecond

// ErrNotTaken is wrapped when no worker took a command in time.
var ErrNotTaken = errors.New("no worker took the command")

// Receipts is where the records of a run are looked through for a receipt.
type Receipts interface {
	// Find looks through what is there.
	Find(command string) (run.Entry, bool, error)
	// Wait returns when there may be more, or when ctx ends.
	Wait(ctx context.Context)
}

// Await waits for the record that carries a command's id. A worker is started
// when there is none.
func (at *Attendant) Await(ctx context.Context, command string, in Receipts) (run.Entry, error) {
	ctx, cancel := context.WithTimeout(ctx, ReceiptWithin)
	defer cancel()
	for {
		if e, ok, err := in.Find(command); ok || err != nil {
			return e, err
		}
		if err := at.Attend(false); err != nil {
			return run.Entry{}, err
		}
		look, stop := context.WithTimeout(ctx, lookEvery)
		in.Wait(look)
		stop()
		if ctx.Err() != nil {
			return run.Entry{}, fmt.Errorf("%w within %s: %s", ErrNotTaken, ReceiptWithin, at.Run.LastLog())
		}
	}
}

// Here refuses to go on with an imported run where it cannot, before a command
// is left that no worker would take.
func Here(h *rundir.Home, r *rundir.Run, s *run.State) error {
	if _, imported, err := r.Origin(); err != nil || !imported {
		return err
	}
	own, err := h.Own()
	if err != nil {
		return err
	}
	spec, err := r.Spec(s.Created)
	if err != nil {
		return err
	}
	return r.GoOn(spec, own)
}

// ErrComplete: a run that is complete goes on only when it is told with what.
var ErrComplete = errors.New("the run is complete")

// Resume says with commands what it means to let a run go on in a state, with
// something to do next and rounds to add, both of which may be missing. Without
// commands a worker is all that is wanted.
func Resume(s *run.State, text string, rounds int) ([]rundir.Command, error) {
	if s.Outcome() == run.Complete && text == "" {
		return nil, ErrComplete
	}
	var out []rundir.Command
	if s.Paused {
		out = append(out, rundir.Command{Kind: rundir.CommandGo})
	}
	if s.Gate != nil && (text != "" || rounds > 0) {
		return append(out, rundir.Command{Kind: rundir.CommandAnswer, Gate: s.Gate.Gate, Text: text, Rounds: rounds}), nil
	}
	if rounds > 0 {
		out = append(out, rundir.Command{Kind: rundir.CommandLimits, Rounds: rounds})
	}
	if text != "" {
		out = append(out, rundir.Command{Kind: rundir.CommandSend, Text: text})
	}
	return out, nil
}
