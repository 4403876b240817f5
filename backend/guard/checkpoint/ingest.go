package checkpoint

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"

	"longwatch/backend/guard"
)

const (
	readers   = 2
	batch     = 128 // neighbours share folders
	readTries = 3
	readPause = 10 * time.Millisecond

	// A change this close to the start of the base's scan may have left the
	// ctime the base saw: older kernels tick every 1 to 10 ms.
	racyWindow = int64(20 * time.Millisecond)
)

// ingest reads the new content of a tree into a pack.
type ingest struct {
	blobs *blobs
	tree  *tree
	pack  *packWriter
	left  leftSet
	base  *base // may be nil

	mu     sync.Mutex
	lost   []Left // unstable or without attributes
	attrs  attributes
	stored int
}

func (in *ingest) run(ctx context.Context, entries []*guard.Entry) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	in.attrs = attributes{}
	jobs := make(chan []*guard.Entry)
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() {
			if err := in.work(ctx, jobs); err != nil {
				cancel(err)
			}
		})
	}
	for len(entries) > 0 && ctx.Err() == nil {
		n := min(batch, len(entries))
		select {
		case jobs <- entries[:n]:
			entries = entries[n:]
		case <-ctx.Done():
		}
	}
	close(jobs)
	wg.Wait()
	return context.Cause(ctx)
}

func (in *ingest) work(ctx context.Context, jobs <-chan []*guard.Entry) error {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20), zstd.WithEncoderCRC(false))
	if err != nil {
		return err
	}
	r := &reader{ingest: in, cursor: in.tree.cursor(), enc: enc}
	defer r.cursor.close()
	for entries := range jobs {
		for _, e := range entries {
			if err := r.entry(ctx, e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (in *ingest) holds(h hash) bool { return in.blobs.has(h) || in.pack.holds(h) }

// base lends the attributes of an older state.
type base struct {
	*state
	left leftSet         // their attributes were not read
	lost map[string]bool // nor were these
}

func newBase(p *state) *base {
	if p == nil {
		return nil
	}
	b := &base{p, newLeftSet(p.Left), map[string]bool{}}
	for _, l := range p.Left {
		b.lost[l.Path] = true
	}
	return b
}

// known takes the attributes over from the same inode, if they cannot have
// changed since.
func (b *base) known(e *guard.Entry) ([]attr, bool) {
	if b == nil || b.lost[e.Path] {
		return nil, false
	}
	o, ok := b.manifest.Lookup(e.Path)
	if !ok || o.Ino != e.Ino || o.Ctime != e.Ctime || o.Mode != e.Mode ||
		o.Ctime >= b.manifest.Start-racyWindow {
		return nil, false
	}
	if _, ok := b.left.covers(e.Path); ok {
		return nil, false
	}
	return b.attrs[e.Path], true
}

func (in *ingest) note(path string, attrs []attr) {
	if len(attrs) == 0 {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.attrs[path] = attrs
}

// lose notes what cannot be stored, or returns an error that is not about the
// one file.
func (in *ingest) lose(e *guard.Entry, why Why, err error) error {
	var store *storeError
	if errors.As(err, &store) {
		return store.err
	}
	for _, grave := range []error{
		unix.EMFILE, unix.ENFILE, unix.ENOMEM, context.Canceled, context.DeadlineExceeded,
	} {
		if errors.Is(err, grave) {
			return err
		}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.lost = append(in.lost, Left{Path: e.Path, Why: why, Detail: err.Error()})
	return nil
}

// storeError is a failure to write, in distinction from one to read.
type storeError struct{ err error }

func (e *storeError) Error() string { return e.err.Error() }
