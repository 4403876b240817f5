package checkpoint

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"

	"longwatch/backend/guard"
)

// reader is one goroutine of an ingest.
type reader struct {
	*ingest
	cursor *cursor
	enc    *zstd.Encoder
	buf    []byte
	out    []byte
}

func (r *reader) entry(ctx context.Context, e *guard.Entry) error {
	if !isFile(e) && !isDir(e) {
		return nil
	}
	if _, ok := r.left.covers(e.Path); ok {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	attrs, known := r.base.known(e)
	wanted := isFile(e) && !r.holds(e.Hash)
	if known && !wanted {
		r.note(e.Path, attrs)
		return nil
	}
	n, err := r.cursor.at(e.Path)
	if err != nil {
		return r.lose(e, Unstable, err)
	}
	if wanted {
		if err := r.content(ctx, n, e); errors.Is(err, errChanged) {
			return r.lose(e, Unstable, err)
		} else if err != nil {
			return r.lose(e, Unreadable, err)
		}
	}
	if !known {
		if attrs, err = n.attrs(); err != nil {
			if err := r.lose(e, Attributes, err); err != nil {
				return err
			}
		}
	}
	r.note(e.Path, attrs)
	return nil
}

var errChanged = errors.New("changed while stored")

// content reads a file until it is what the manifest says.
func (r *reader) content(ctx context.Context, n node, e *guard.Entry) error {
	err := r.try(ctx, n, e)
	for try := 1; err != nil && try < readTries; try++ {
		var store *storeError
		if errors.As(err, &store) {
			return err
		}
		select {
		case <-time.After(readPause):
		case <-ctx.Done():
			return ctx.Err()
		}
		err = r.try(ctx, n, e)
	}
	if err == nil {
		r.mu.Lock()
		r.stored++
		r.mu.Unlock()
	}
	return err
}

func (r *reader) try(ctx context.Context, n node, e *guard.Entry) error {
	fd, err := again(func() (int, error) { return unix.Openat(n.dir, n.name, fileFlags, 0) })
	if err != nil {
		return fmt.Errorf("%w: %w", errChanged, err)
	}
	f := os.NewFile(uintptr(fd), n.name)
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() != e.Size {
		return errChanged
	}
	if e.Size > chunkSize {
		return r.large(ctx, f, e)
	}
	data, err := r.fill(f, e.Size+1)
	if err != nil {
		return err
	}
	if int64(len(data)) != e.Size || sha256.Sum256(data) != e.Hash {
		return errChanged
	}
	return r.put(e.Hash, data)
}

// fill reads up to n bytes, fewer only at the end of the file.
func (r *reader) fill(f io.Reader, n int64) ([]byte, error) {
	if int64(cap(r.buf)) < n {
		r.buf = make([]byte, max(n, 64<<10))
	}
	got, err := io.ReadFull(f, r.buf[:n])
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return r.buf[:got], err
}

// large stores a file in pieces. Pieces of a file that then turns out to have
// changed stay in the pack, named by what they are.
func (r *reader) large(ctx context.Context, f io.Reader, e *guard.Entry) error {
	if (e.Size/chunkSize+1)*32 > maxList {
		return errors.New("too large to store")
	}
	whole := sha256.New()
	var list []byte
	for rest := e.Size; rest > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := r.fill(f, min(rest, chunkSize))
		if err != nil {
			return err
		}
		if len(data) == 0 {
			return errChanged
		}
		whole.Write(data)
		h := sha256.Sum256(data)
		if err := r.put(h, data); err != nil {
			return err
		}
		list = append(list, h[:]...)
		rest -= int64(len(data))
	}
	if hash(whole.Sum(nil)) != e.Hash {
		return errChanged
	}
	if err := r.pack.put(e.Hash, chunks, list, 0); err != nil {
		return &storeError{err}
	}
	return nil
}

// put stores a piece, packed if that saves a sixteenth.
func (r *reader) put(h hash, data []byte) error {
	if r.holds(h) {
		return nil
	}
	k, out := raw, data
	if len(data) > 64 {
		r.out = r.enc.EncodeAll(data, r.out[:0])
		if len(r.out) < len(data)/16*15 {
			k, out = packed, r.out
		}
	}
	if err := r.pack.put(h, k, out, len(data)); err != nil {
		return &storeError{err}
	}
	return nil
}
