package guard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"
)

// WatchOptions bound a watch.
type WatchOptions struct {
	Ignored Matcher // neither reported nor, if folders, watched
	Pending int     // paths kept for a slow reader; 0 means 4096
	Folders int     // folders watched at most; 0 means 100 000

	poll time.Duration // how often the root is looked at; 0 means 1 s
}

// blindRescan is how often a watcher that does not see everything asks for a
// rescan, rewatch how often it tries to see again what it could not. An
// exhausted limit is not tried harder: that would keep a processor busy.
const (
	blindRescan = 10
	rewatch     = 60
)

// Sight is one path at which something happened. What is a guess from the last
// events: a file that took another's place looks Added, other changes of a
// file look like Content or Meta.
type Sight struct {
	Path string // raw bytes, relative
	What What
	At   time.Time // of the last event
	n    uint64
}

// Sighting is what was seen since the last one.
type Sighting struct {
	Seen []Sight // by time; each path once
	// Missed says why there may have been more: a rescan is due. Empty if
	// nothing is known to be missed.
	Missed string
	// Blind says why not everything is watched at present.
	Blind string
}

// Watcher is the eye on a folder: it tells at once where something happens, for
// people to see and to stop early by. It is never the proof; see [Scan]. Writes
// through mapped memory or a hard link elsewhere it does not see at all.
//
// Its memory is bounded whatever happens in the folder and however slowly its
// news are taken. What it cannot see or keep it says.
type Watcher struct {
	root   string
	opts   WatchOptions
	fs     *fsnotify.Watcher
	cancel context.CancelFunc
	done   chan struct{}
	news   chan struct{}
	tree   *watchTree

	mu     sync.Mutex
	seen   map[string]Sight
	n      uint64
	missed string
	blind  string
}

// ErrNoWatch: this system has no way to watch a folder that we would use.
var ErrNoWatch = errors.New("folders cannot be watched on this system")

// Watch begins to watch the folder root and all folders in it, on its own file
// system and following no link. When it returns, what happens is seen. Close it;
// the end of ctx only stops it.
func Watch(ctx context.Context, root string, o WatchOptions) (*Watcher, error) {
	if !watchable {
		return nil, ErrNoWatch
	}
	o.Pending, o.Folders = cmp.Or(o.Pending, 4096), cmp.Or(o.Folders, 100_000)
	o.poll = cmp.Or(o.poll, time.Second)
	fd, st, err := openRoot(root)
	if err != nil {
		return nil, fmt.Errorf("watch %q: %w", root, err)
	}
	_ = unix.Close(fd)
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch %q: %w", root, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &Watcher{
		root: root, opts: o, fs: fs, cancel: cancel,
		done: make(chan struct{}), news: make(chan struct{}, 1), seen: map[string]Sight{},
	}
	w.tree = &watchTree{Watcher: w, root: st, folders: map[string]bool{}}
	w.tree.add(RootPath, false)
	go w.run(ctx)
	return w, nil
}

// News has a value when Take has something to tell.
func (w *Watcher) News() <-chan struct{} { return w.news }

// Take returns what is new and forgets it.
func (w *Watcher) Take() Sighting {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := Sighting{Missed: w.missed, Blind: w.blind}
	for _, e := range w.seen {
		s.Seen = append(s.Seen, e)
	}
	slices.SortFunc(s.Seen, func(a, b Sight) int { return cmp.Compare(a.n, b.n) })
	clear(w.seen)
	w.missed = ""
	return s
}

// Close ends the watch and waits for all that belongs to it.
func (w *Watcher) Close() error {
	w.cancel()
	<-w.done
	return w.fs.Close()
}

func (w *Watcher) run(ctx context.Context) {
	defer close(w.done)
	tick := time.NewTicker(w.opts.poll)
	defer tick.Stop()
	for ticks := 1; ; {
		select {
		case <-ctx.Done():
			return
		case ev, ok := <-w.fs.Events:
			if !ok {
				return
			}
			w.tree.event(ev)
		case err, ok := <-w.fs.Errors:
			if !ok {
				return
			}
			w.tree.trouble(err)
		case <-tick.C:
			w.tree.tick(ticks)
			ticks++
		}
	}
}

// note keeps that something happened at a path.
func (w *Watcher) note(path string, what What) {
	w.mu.Lock()
	defer w.mu.Unlock()
	old, known := w.seen[path]
	if !known && len(w.seen) >= w.opts.Pending {
		w.missed = cmp.Or(w.missed, fmt.Sprintf("more than %d changes came before they were taken", w.opts.Pending))
		return
	}
	w.n++
	s := Sight{Path: path, What: what, At: time.Now(), n: w.n}
	if known {
		s.What = joined(old.What, what)
	}
	w.seen[path] = s
	w.tell()
}

// joined is what two events of one path look like together.
func joined(a, b What) What {
	switch {
	case a == Added && (b == Content || b == Meta):
		return Added
	case a == Removed && b == Added, a == Content && b != Removed:
		return Content
	}
	return b
}

// miss asks for a rescan.
func (w *Watcher) miss(why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.missed = why
	w.tell()
}

// blinded says that from now on not everything is seen, or, without a reason,
// that it is again.
func (w *Watcher) blinded(why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.blind == why {
		return
	}
	if why == "" {
		w.missed = cmp.Or(w.missed, w.blind)
	} else {
		w.missed = why
	}
	w.blind = why
	w.tell()
}

func (w *Watcher) tell() {
	select {
	case w.news <- struct{}{}:
	default:
	}
}

// listing bounds how many names of a folder are held at once.
const listing = 512

// names reads the entries of a folder, following no link at its end.
func names(path string, each func(os.DirEntry)) error {
	f, err := os.OpenFile(path, dirFlags, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		list, err := f.ReadDir(listing)
		for _, e := range list {
			each(e)
		}
		if err != nil || len(list) == 0 {
			return nil
		}
	}
}
