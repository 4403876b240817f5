package guard

import (
	"context"
	"crypto/sha256"
	"hash"

	"golang.org/x/sys/unix"
)

const hashTries = 3

type hashJob struct {
	entry *Entry
	dir   *dirFD
	name  string
}

// hasher reads files; each one belongs to one goroutine.
type hasher struct {
	ctx   context.Context
	dev   uint64
	max   int64
	sum   hash.Hash
	buf   []byte
	zero  []byte
	files int64
	bytes int64
}

func (h *hasher) run(jobs <-chan hashJob) {
	h.sum, h.buf, h.zero = sha256.New(), make([]byte, 128<<10), make([]byte, 128<<10)
	for j := range jobs {
		if h.ctx.Err() == nil {
			h.file(j)
		}
		j.dir.release()
	}
}

func (h *hasher) file(j hashJob) {
	fd, err := retryInt(func() (int, error) { return unix.Openat(j.dir.fd, j.name, fileFlags, 0) })
	switch err {
	case nil:
	case unix.ENOENT, unix.ELOOP, unix.ENXIO:
		// It was a plain file a moment ago: removed, or now a link or a socket.
		j.entry.Err, j.entry.Unstable = changed, true
		return
	default:
		j.entry.Err = err.Error()
		return
	}
	defer func() { _ = unix.Close(fd) }()
	for range hashTries {
		if h.try(fd, j.entry) {
			return
		}
	}
	j.entry.Unstable = true
}

// try reads the file once. It reports false if the file changed meanwhile.
func (h *hasher) try(fd int, e *Entry) bool {
	var before, after unix.Stat_t
	if err := unix.Fstat(fd, &before); err != nil {
		e.Err = err.Error()
		return true
	}
	e.fill(&before)
	switch {
	case !e.isFile():
		e.Err, e.Unstable = changed, true
		return true
	case uint64(before.Dev) != h.dev:
		e.Err = otherFS
		return true
	case before.Size > h.max:
		e.Err = "too large to hash"
		return true
	}
	h.sum.Reset()
	h.files++
	n, err := h.read(fd, &before)
	h.bytes += n
	if err != nil {
		e.Err = err.Error()
		return true
	}
	if err := unix.Fstat(fd, &after); err != nil {
		e.Err = err.Error()
		return true
	}
	e.fill(&after)
	if n != after.Size || before.Size != after.Size ||
		before.Mtim != after.Mtim || before.Ctim != after.Ctim {
		return false
	}
	h.sum.Sum(e.Hash[:0])
	return true
}

// read feeds the file to the hash: at most one byte more than its size, so
// that a file that grows forever ends. Holes are not read but fed as zeros.
func (h *hasher) read(fd int, st *unix.Stat_t) (int64, error) {
	var off int64
	if st.Blocks*512 < st.Size {
		for off < st.Size {
			data, end, ok := nextData(fd, off)
			if !ok {
				break
			}
			if err := h.feedZeros(min(data, st.Size) - off); err != nil {
				return off, err
			}
			off = min(data, st.Size)
			n, err := h.readRange(fd, off, min(end, st.Size))
			if off += n; err != nil || off < min(end, st.Size) {
				return off, err
			}
		}
	}
	n, err := h.readRange(fd, off, st.Size+1)
	return off + n, err
}

func (h *hasher) readRange(fd int, off, end int64) (int64, error) {
	start := off
	for off < end {
		if err := h.ctx.Err(); err != nil {
			return off - start, err
		}
		b := h.buf[:min(int64(len(h.buf)), end-off)]
		n, err := retryInt(func() (int, error) { return unix.Pread(fd, b, off) })
		if err != nil || n == 0 {
			return off - start, err
		}
		h.sum.Write(b[:n])
		off += int64(n)
	}
	return off - start, nil
}

func (h *hasher) feedZeros(n int64) error {
	for n > 0 {
		if err := h.ctx.Err(); err != nil {
			return err
		}
		b := h.zero[:min(int64(len(h.zero)), n)]
		h.sum.Write(b)
		n -= int64(len(b))
	}
	return nil
}
