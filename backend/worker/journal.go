package worker

import (
	"fmt"
	"sync"

	"longwatch/backend/ledger"
	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// journal joins the ledger and the state folded from it. It implements
// loop.Journal; the engine and the inbox append to it from two goroutines.
type journal struct {
	mu    sync.Mutex
	w     *ledger.Writer
	state *run.State
	told  func(*run.State) // called with the lock held, after each append
}

// openJournal folds everything that is there.
func openJournal(w *ledger.Writer) (*journal, error) {
	j := &journal{w: w, state: &run.State{}, told: func(*run.State) {}}
	for rec, err := range w.Records() {
		if err != nil {
			return nil, err
		}
		if err := j.take(rec); err != nil {
			return nil, err
		}
	}
	return j, nil
}

func (j *journal) take(rec ledger.Record) error {
	e, err := rundir.Entry(rec)
	if err != nil {
		return err
	}
	return j.state.Apply(e)
}

// begin opens this worker's epoch.
func (j *journal) begin(kind run.Kind, body func(run.Epoch) run.Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	class := string(run.Kinds()[kind])
	recs, err := j.w.Begin(string(kind), class, func(e ledger.Epoch) any {
		return body(run.Epoch{Epoch: e.N, PublicKey: e.PublicKey, PrevHead: e.PrevHead})
	})
	if err != nil {
		return err
	}
	return j.fold(recs)
}

// View implements loop.Journal.
func (j *journal) View(look func(s *run.State)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	look(j.state)
}

// Append implements loop.Journal.
func (j *journal) Append(events ...run.Event) error {
	return j.appendIf(func(*run.State) []run.Event { return events })
}

// appendIf appends what decide makes of the state, with nobody between.
func (j *journal) appendIf(decide func(*run.State) []run.Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	events := decide(j.state)
	if len(events) == 0 {
		return nil
	}
	// Only the first event can be held against the state before writing; the
	// later ones of a batch follow from it.
	if err := j.state.Accepts(events[0]); err != nil {
		return err
	}
	drafts, lazy, err := draft(events)
	if err != nil {
		return err
	}
	write := j.w.Append
	if lazy {
		write = j.w.Note
	}
	recs, err := write(drafts...)
	if err != nil {
		return err
	}
	return j.fold(recs)
}

func (j *journal) fold(recs []ledger.Record) error {
	for _, rec := range recs {
		if err := j.take(rec); err != nil {
			return fmt.Errorf("the record just written does not follow: %w", err)
		}
	}
	j.told(j.state)
	return nil
}

// draft makes ledger drafts of events. Lazy means that nothing depends on them
// being durable at once: closing a round settles the books, and is decided
// again from the verdict if it is lost.
func draft(events []run.Event) (drafts []ledger.Draft, lazy bool, err error) {
	lazy = true
	for _, e := range events {
		body, err := run.Encode(e)
		if err != nil {
			return nil, false, err
		}
		seal := false
		switch e.(type) {
		case run.Audited, run.StopRequested, run.GateAnswered, run.Finished:
			seal, lazy = true, false
		case run.RoundClosed, run.BudgetNoted:
		default:
			lazy = false
		}
		drafts = append(drafts, ledger.Draft{Kind: string(e.Kind()), Class: string(run.ClassOf(e)), Body: body, Seal: seal})
	}
	return drafts, lazy, nil
}
