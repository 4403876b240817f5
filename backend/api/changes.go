package api

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"longwatch/backend/rundir"
)

const (
	// settle is how long after a sign of a record it is told: the head is
	// saved just before the record is written.
	settle = 25 * time.Millisecond
	// apart is the least time between two notices of one run.
	apart = 100 * time.Millisecond
	// poll is how often runs, leases and heads are looked at: a worker that
	// dies says nothing, and a notice of the system's may be lost.
	poll = 700 * time.Millisecond
)

// hub tells what changes. It looks only while somebody listens.
type hub struct {
	home *rundir.Home
	wake chan struct{} // have a look now

	done    chan struct{} // closed when it ends
	readers sync.WaitGroup

	mu        sync.Mutex
	listeners map[*listener]bool
	ended     bool
	warm      chan struct{} // closed when what is there is known

	runs map[string]*watched // of serve's goroutine alone
}

// watched is what is known of one run.
type watched struct {
	seq   uint64
	alive bool
	over  bool      // it has ended, and nothing is to be expected
	told  time.Time // last
	due   time.Time // zero: nothing to tell
}

// listener is one reader of changes. What it has not read yet is kept, one
// notice a run.
type listener struct {
	mu      sync.Mutex
	pending map[string]uint64
	order   []string
	wake    chan struct{}
}

func newHub(h *rundir.Home) *hub {
	return &hub{
		home: h, wake: make(chan struct{}, 1), done: make(chan struct{}),
		listeners: map[*listener]bool{}, warm: make(chan struct{}),
	}
}

// look has the hub look now instead of at its next poll.
func (h *hub) look() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// subscribe tells changes until ctx or the hub ends. When it returns, what
// happens from then on is told: whoever reads the runs after that misses
// nothing.
func (h *hub) subscribe(ctx context.Context) <-chan Changed {
	out := make(chan Changed)
	warm := h.enroll(ctx, out)
	h.look()
	select {
	case <-warm:
	case <-ctx.Done():
	case <-h.done:
	}
	return out
}

func (h *hub) enroll(ctx context.Context, out chan<- Changed) (warm <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		close(out)
		return h.warm
	}
	l := &listener{pending: map[string]uint64{}, wake: make(chan struct{}, 1)}
	h.listeners[l] = true
	h.readers.Go(func() {
		defer close(out)
		defer h.unsubscribe(l)
		l.pass(ctx, out, h.done)
	})
	return h.warm
}

func (h *hub) unsubscribe(l *listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.listeners, l)
}

// pass hands notices on as fast as they are read.
func (l *listener) pass(ctx context.Context, out chan<- Changed, done <-chan struct{}) {
	for {
		c, there := l.next()
		to := out
		if !there {
			to = nil // nothing to send: only wait
		}
		select {
		case to <- c:
		case <-l.wake:
			if there {
				l.back(c) // what came meanwhile may be newer
			}
		case <-ctx.Done():
			return
		case <-done:
			return
		}
	}
}

func (l *listener) next() (c Changed, there bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.order) == 0 {
		return c, false
	}
	c = Changed{Run: l.order[0], Seq: l.pending[l.order[0]]}
	delete(l.pending, c.Run)
	l.order = l.order[1:]
	return c, true
}

// back returns a notice that was not read, unless there is a newer one.
func (l *listener) back(c Changed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, there := l.pending[c.Run]; there {
		return
	}
	l.pending[c.Run] = c.Seq
	l.order = append([]string{c.Run}, l.order...)
}

func (l *listener) put(c Changed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, there := l.pending[c.Run]; !there {
		l.order = append(l.order, c.Run)
	}
	l.pending[c.Run] = c.Seq
	l.nudge()
}

func (l *listener) nudge() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (h *hub) tell(id string, seq uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range h.listeners {
		l.put(Changed{Run: id, Seq: seq})
	}
}

// heard reports whether somebody listens. If not, what is known grows cold:
// whoever comes next begins by having everything looked at.
func (h *hub) heard() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.listeners) > 0 {
		return true
	}
	if h.runs != nil {
		h.runs, h.warm = nil, make(chan struct{})
	}
	return false
}

// again tells a run that has nothing new but the time.
func (h *hub) again(id string) {
	r, err := h.home.Open(id)
	if err != nil {
		return // it is gone, or we are
	}
	defer r.Close()
	h.tell(id, r.End())
}

// serve watches until ctx ends.
func (h *hub) serve(ctx context.Context) {
	defer h.close()
	var notices chan fsnotify.Event
	var losses chan error
	if watch, err := fsnotify.NewWatcher(); err == nil {
		defer watch.Close()
		if watch.Add(h.home.HeadsPath()) == nil {
			notices, losses = watch.Events, watch.Errors
		}
	}
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		var due <-chan time.Time
		if at, any := h.soonest(); any {
			due = time.After(max(time.Until(at), 0))
		}
		select {
		case <-ctx.Done():
			return
		case e := <-notices:
			h.notice(e.Name)
			continue
		case <-losses: // the poll sees what was lost
		case <-due:
			h.flush()
			continue
		case <-tick.C:
		case <-h.wake:
		}
		if h.heard() {
			h.sweep()
		}
	}
}

func (h *hub) close() {
	defer h.readers.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
	close(h.done)
}

// notice takes the name of a file that was touched among the heads.
func (h *hub) notice(path string) {
	name := path[strings.LastIndexByte(path, '/')+1:]
	id, _, is := strings.Cut(name, ".json")
	if w := h.runs[id]; is && w != nil {
		w.over = false
		w.tellAfter(settle)
	}
}

func (w *watched) tellAfter(d time.Duration) {
	at := time.Now().Add(d)
	if next := w.told.Add(apart); next.After(at) {
		at = next
	}
	if w.due.IsZero() {
		w.due = at
	}
}

func (h *hub) soonest() (at time.Time, any bool) {
	for _, w := range h.runs {
		if !w.due.IsZero() && (!any || w.due.Before(at)) {
			at, any = w.due, true
		}
	}
	return at, any
}

// flush tells what is due.
func (h *hub) flush() {
	now := time.Now()
	for id, w := range h.runs {
		if w.due.IsZero() || w.due.After(now) {
			continue
		}
		w.due, w.told = time.Time{}, now
		if r, err := h.home.Open(id); err == nil {
			// The lease too: a worker may live and die between two sweeps.
			_, w.alive = r.Worker()
			w.seq = r.End()
			_ = r.Close()
		}
		h.tell(id, w.seq)
	}
}

// sweep looks at everything that says nothing by itself.
func (h *hub) sweep() {
	first := h.runs == nil
	if first {
		h.runs = map[string]*watched{}
		defer close(h.warm)
	}
	ids, err := h.home.IDs()
	if err != nil {
		return
	}
	there := make(map[string]bool, len(ids))
	for _, id := range ids {
		there[id] = true
		w := h.runs[id]
		if w == nil {
			w = &watched{}
			h.runs[id] = w
			h.check(id, w)
			if !first {
				h.tell(id, 0)
			}
			continue
		}
		if !w.over && h.check(id, w) {
			w.tellAfter(0)
		}
	}
	for id := range h.runs {
		if !there[id] {
			delete(h.runs, id)
			h.tell(id, 0)
		}
	}
}

// check looks at one run and reports whether something is new.
func (h *hub) check(id string, w *watched) (changed bool) {
	r, err := h.home.Open(id)
	if err != nil {
		return false
	}
	defer r.Close()
	_, alive := r.Worker()
	seq := r.End()
	changed = alive != w.alive || seq != w.seq
	w.alive, w.seq = alive, seq
	if !alive {
		sum, fresh := r.Cached()
		w.over = fresh && sum.State == "ended"
	}
	return changed
}
