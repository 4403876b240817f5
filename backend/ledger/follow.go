package ledger

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/fsnotify/fsnotify"

	"longwatch/backend/safefs"
)

// followBatch bounds what one Next returns, followPoll how long a change may
// go unseen where the system does not report it.
const (
	followBatch = 1000
	followPoll  = time.Second
)

// Follower reads a ledger while another process writes it. It is for one
// goroutine.
//
// After a *BrokenError it returns only that. One honest cause is a full
// disk: the writer takes back a batch that it could not finish, of which the
// Follower may have seen the first lines. Whoever wants to know more calls
// Verify, or starts again with a new Follower.
type Follower struct {
	dir   *safefs.Dir
	name  string
	file  *os.File
	chain *chain
	known map[string]string
	// seen is the file's size when Next last looked.
	seen  int64
	watch *fsnotify.Watcher
	err   error
}

// Follow starts before the first record. dir must stay open until Close.
func Follow(dir *safefs.Dir, name string) (*Follower, error) {
	f, err := openSole(dir, name)
	if err != nil {
		return nil, fileError(name, err)
	}
	return &Follower{dir: dir, name: name, file: f, chain: newChain(f), known: map[string]string{}}, nil
}

// Next returns records that were not returned before, at most 1000, each
// checked to follow the one before it; none means that there are no more
// yet. A line that is not terminated is left for later.
func (f *Follower) Next() ([]Record, error) {
	if f.err == nil {
		f.err = f.look()
	}
	if f.err != nil {
		return nil, f.err
	}
	var records []Record
	for len(records) < followBatch {
		l, err := f.chain.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return records, fileError(f.name, err)
		}
		records = append(records, l.record(f.known))
	}
	if f.chain.broken != nil {
		f.err = &BrokenError{Name: f.name, Broken: *f.chain.broken}
		if len(records) == 0 {
			return nil, f.err
		}
	}
	return records, nil
}

// look notices a file that was cut or swapped.
func (f *Follower) look() error {
	size, err := f.dir.Sole(f.name, f.file)
	if err != nil {
		return fileError(f.name, err)
	}
	if read := f.chain.lines.off; size < read {
		return &BrokenError{Name: f.name, Broken: Broken{
			Seq: f.chain.seq, Offset: size, Why: "it was read, and is now cut off",
		}, Err: ErrTampered}
	}
	f.chain.lines.forget()
	f.seen = size
	return nil
}

// Wait returns when Next has something to tell, be it an error, or when ctx
// ends, with ctx's error. It may return early. Call it after a Next that
// returned nothing.
func (f *Follower) Wait(ctx context.Context) error {
	events, failures := f.events()
	poll := time.NewTicker(followPoll)
	defer poll.Stop()
	for !f.changed() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case _, ok := <-events:
			if !ok {
				events = nil
			}
		case _, ok := <-failures:
			if !ok {
				failures = nil
			}
		case <-poll.C:
		}
	}
	return nil
}

func (f *Follower) changed() bool {
	size, err := f.dir.Sole(f.name, f.file)
	return f.err != nil || err != nil || size != f.seen
}

// events starts the watch when it is first needed. Where it cannot be had,
// for too many watches or a folder that moved, the poll alone remains: a
// receive from a nil channel never happens.
func (f *Follower) events() (<-chan fsnotify.Event, <-chan error) {
	if f.watch == nil {
		watch, err := fsnotify.NewWatcher()
		if err != nil {
			return nil, nil
		}
		if err := watch.Add(f.file.Name()); err != nil {
			_ = watch.Close()
			return nil, nil
		}
		f.watch = watch
	}
	return f.watch.Events, f.watch.Errors
}

// Close ends the watch and closes the file.
func (f *Follower) Close() error {
	var err error
	if f.watch != nil {
		err = f.watch.Close()
	}
	return errors.Join(err, f.file.Close())
}
