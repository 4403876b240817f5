package loop_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"longwatch/backend/ledger"
	"longwatch/backend/run"
	"longwatch/backend/safefs"
)

// journal is a real ledger and the state folded from what it gives back. Each
// append is a second after the one before it.
type journal struct {
	t     testing.TB
	dir   *safefs.Dir
	head  ledger.HeadStore
	w     *ledger.Writer
	state *run.State
	now   int64
	log   []string // the events, as people read them
}

const ledgerName = "ledger.jsonl"

func newJournal(t testing.TB, c run.Created, now int64) *journal {
	t.Helper()
	path, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	dir, err := safefs.OpenDir(path)
	must(t, err)
	t.Cleanup(func() { _ = dir.Close() })
	body, err := run.Encode(c)
	must(t, err)
	_, err = ledger.Create(dir, ledgerName, now, ledger.Draft{Kind: "created", Class: string(run.Decision), Body: body})
	must(t, err)
	j := &journal{t: t, dir: dir, head: ledger.FileHead(dir, "head"), now: now}
	j.open("started", run.Host{Guard: "detect"})
	return j
}

// open folds what is there and begins an epoch, as each worker does.
func (j *journal) open(kind string, host run.Host) {
	j.t.Helper()
	var err error
	j.w, err = ledger.Open(j.dir, ledgerName, ledger.Options{Head: j.head, Now: func() time.Time { return time.UnixMilli(j.now) }})
	must(j.t, err)
	j.state = refolded(j.t, j.dir)
	recs, err := j.w.Begin(kind, string(run.Accounting), func(e ledger.Epoch) any {
		return run.Resumed{Epoch: run.Epoch{Epoch: e.N, PublicKey: e.PublicKey, PrevHead: e.PrevHead}, Host: host}
	})
	must(j.t, err)
	for _, r := range recs {
		must(j.t, j.state.Apply(entry(j.t, r)))
	}
}

func (j *journal) close() {
	j.t.Helper()
	must(j.t, j.w.Close())
}

// View implements loop.Journal.
func (j *journal) View(look func(s *run.State)) { look(j.state) }

// Append implements loop.Journal. Nothing follows a refused event, but the
// ledger would have to be repaired by hand if a later one of a batch did not
// follow from the first.
func (j *journal) Append(events ...run.Event) error {
	if len(events) == 0 {
		return nil
	}
	if err := j.state.Accepts(events[0]); err != nil {
		return err
	}
	var drafts []ledger.Draft
	for _, e := range events {
		body, err := run.Encode(e)
		if err != nil {
			return err
		}
		drafts = append(drafts, ledger.Draft{Kind: string(e.Kind()), Class: string(run.ClassOf(e)), Body: body})
	}
	j.now += 1000
	recs, err := j.w.Append(drafts...)
	if err != nil {
		return err
	}
	for _, r := range recs {
		e := entry(j.t, r)
		if err := j.state.Apply(e); err != nil {
			return fmt.Errorf("written and not foldable: %w", err)
		}
		if line := tell(e.Event); line != "" {
			j.log = append(j.log, line)
		}
	}
	return nil
}

func entry(t testing.TB, r ledger.Record) run.Entry {
	t.Helper()
	e, err := run.Decode(run.Kind(r.Kind), run.Class(r.Class), r.Body)
	must(t, err)
	return run.Entry{Seq: r.Seq, Epoch: r.Epoch, At: r.At, Event: e}
}

func refolded(t testing.TB, dir *safefs.Dir) *run.State {
	t.Helper()
	s := &run.State{}
	for r, err := range ledger.Read(dir, ledgerName) {
		must(t, err)
		must(t, s.Apply(entry(t, r)))
	}
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
