package api

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"time"

	"longwatch/backend/ledger"
	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// live is the fold of one run that somebody looks at, kept up to date: what is
// new in the ledger is added, and the rest is not read again. It has two files
// open.
type live struct {
	users int // of the collection; guarded by its lock
	out   bool

	mu      sync.Mutex
	home    *rundir.Home
	dir     *rundir.Run
	led     *ledger.Follower
	state   *run.State
	spec    rundir.Spec // empty while it cannot be read
	track   track
	seen    stamp
	problem string // why it cannot be read on; empty: it can
	end     string // how its end differs from the remembered one; empty: it does not
	// Answers to a question from before dropped are whole: what was told may
	// have been taken back. droppedSum is the digest of that record.
	dropped    uint64
	droppedSum string

	alive bool
	pid   int
	away  time.Time // since when nobody is at work, as far as was seen
}

// stamp tells whether a file was touched.
type stamp struct {
	size int64
	at   time.Time
}

// sumsKept is how many record digests are kept to hold the remembered end
// against: more than can be in the making at once.
const sumsKept = 1024

func openLive(h *rundir.Home, id string) (*live, error) {
	dir, err := h.Open(id)
	if err != nil {
		return nil, err
	}
	return &live{home: h, dir: dir, state: &run.State{}}, nil
}

func (l *live) close() error {
	var err error
	if l.led != nil {
		err = l.led.Close()
	}
	return errors.Join(err, l.dir.Close())
}

// update takes in what is new. The error is [rundir.ErrNoRun] when the run is
// not there any more; what is wrong with the records becomes the problem.
func (l *live) update() error {
	l.breath()
	head, remembered, headErr := l.dir.Head().Load()
	info, err := l.dir.LedgerInfo()
	if gone(err) {
		// Another run may be there under its name.
		if err := l.reopen(); err != nil {
			return err
		}
		info, err = l.dir.LedgerInfo()
	}
	if err != nil {
		l.seen, l.problem = stamp{}, err.Error()
		if gone(err) {
			l.problem = "the ledger is gone"
		}
		return nil
	}
	l.refresh(stamp{info.Size(), info.ModTime()})
	l.end = ""
	switch {
	case headErr != nil:
		l.end = headErr.Error()
	case remembered && l.problem == "":
		l.end = l.track.against(head, l.state.Seq)
	}
	return nil
}

// refresh reads on, or anew where something was done to the file.
func (l *live) refresh(now stamp) {
	if l.seen.size == now.size && l.seen.at != now.at || l.problem != "" && l.seen != now {
		l.drop() // written, but not longer: not by a worker
	} else if l.problem != "" {
		return
	}
	err := l.read()
	if err != nil {
		// A writer that takes back what it could not finish leaves a ledger
		// that is whole, so it is read once more.
		l.drop()
		err = l.read()
	}
	l.seen, l.problem = now, ""
	if err != nil {
		l.problem = err.Error()
	}
}

func (l *live) reopen() error {
	dir, err := l.home.Open(l.dir.ID)
	if err != nil {
		return err
	}
	_ = l.dir.Close()
	l.dir, l.spec = dir, rundir.Spec{}
	l.drop()
	return nil
}

// wrong is the first thing that is not as written, empty if all is.
func (l *live) wrong() string { return cmp.Or(l.problem, l.end) }

// breath looks whether a worker is there.
func (l *live) breath() {
	l.pid, l.alive = l.dir.Worker()
	switch {
	case l.alive:
		l.away = time.Time{}
	case l.away.IsZero():
		l.away = time.Now()
	}
}

// drop forgets everything, to read it anew.
func (l *live) drop() {
	if l.led != nil {
		_ = l.led.Close()
	}
	if l.state.Seq >= l.dropped {
		l.dropped, l.droppedSum = l.state.Seq, l.track.sum(l.state.Seq)
	}
	l.led, l.state, l.track, l.problem = nil, &run.State{}, track{}, ""
}

func (l *live) read() (err error) {
	if l.led == nil {
		if l.led, err = l.dir.Follow(); err != nil {
			l.led = nil
			return err
		}
	}
	for {
		recs, err := l.led.Next()
		if err != nil {
			return err
		}
		if len(recs) == 0 {
			break
		}
		for _, rec := range recs {
			if err := l.take(rec); err != nil {
				return err
			}
		}
	}
	if l.state.Seq == 0 {
		return errors.New("the ledger has no record")
	}
	if l.spec.Run == "" {
		l.spec, err = l.dir.Spec(l.state.Created)
	}
	return err
}

func (l *live) take(rec ledger.Record) error {
	e, err := rundir.Entry(rec)
	if err != nil {
		return err
	}
	if err := l.state.Apply(e); err != nil {
		return err
	}
	l.track.note(e, rec.Sum, l.state)
	if e.Seq == l.dropped && rec.Sum == l.droppedSum {
		l.dropped = 0 // it is what was told before
	}
	return nil
}

// since is from which record on an answer may leave things out: after, or 0
// when the page cannot be told by what is new alone.
func (l *live) since(after uint64) uint64 {
	if after > l.state.Seq || l.dropped > 0 && after <= l.dropped {
		return 0
	}
	return after
}

// lives are the runs that somebody looks at. The one that was looked at longest
// ago makes room for another.
type lives struct {
	home *rundir.Home

	mu    sync.Mutex
	known map[string]*live
	order []string // least recently used first
}

// mostLives bounds the runs that are kept folded: a window shows one, a browser
// perhaps another.
const mostLives = 8

func newLives(h *rundir.Home) *lives { return &lives{home: h, known: map[string]*live{}} }

// look brings a run up to date and has do look at it, alone.
func (ls *lives) look(id string, do func(*live) error) error {
	l, err := ls.take(id)
	if err != nil {
		return err
	}
	defer ls.leave(l)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err = rundir.ErrNoRun; ls.home.Has(id) {
		err = l.update()
	}
	if errors.Is(err, rundir.ErrNoRun) {
		ls.drop(id, l)
	}
	if err != nil {
		return err
	}
	return do(l)
}

// take finds a run, or opens it, for its caller to leave.
func (ls *lives) take(id string) (*live, error) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l := ls.known[id]
	if l == nil {
		var err error
		if l, err = openLive(ls.home, id); err != nil {
			return nil, err
		}
		ls.known[id] = l
	}
	l.users++
	ls.order = append(slices.DeleteFunc(ls.order, func(o string) bool { return o == id }), id)
	if len(ls.order) > mostLives {
		ls.remove(ls.order[0])
	}
	return l, nil
}

// leave closes a run that was removed, when the last who looked at it goes.
func (ls *lives) leave(l *live) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if l.users--; l.users == 0 && l.out {
		_ = l.close()
	}
}

// drop removes a run, unless another one has its name by now.
func (ls *lives) drop(id string, l *live) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.known[id] == l {
		ls.remove(id)
	}
}

// forget removes a run by its name.
func (ls *lives) forget(id string) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.known[id] != nil {
		ls.remove(id)
	}
}

func (ls *lives) remove(id string) {
	l := ls.known[id]
	delete(ls.known, id)
	ls.order = slices.DeleteFunc(ls.order, func(o string) bool { return o == id })
	if l.out = true; l.users == 0 {
		_ = l.close()
	}
}

// has reports whether a run is kept.
func (ls *lives) has(id string) bool {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	return ls.known[id] != nil
}

func (ls *lives) close() error {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	for id := range ls.known {
		ls.remove(id)
	}
	return nil
}
