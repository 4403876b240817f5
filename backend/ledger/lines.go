package ledger

import (
	"bytes"
	"errors"
	"io"
)

// errLongLine: what follows cannot be one of our lines.
var errLongLine = errors.New("line is too long")

const readSize = 4 * maxLine

// lines reads terminated lines from a file that may be growing. After
// io.EOF it may be asked again; the end of the file is then read afresh.
type lines struct {
	src io.ReaderAt
	// off is where the next line begins.
	off int64
	buf []byte
	// unread is the part of buf read from the file but not returned; it
	// begins at off.
	unread []byte
	ended  bool
}

func newLines(src io.ReaderAt) *lines {
	return &lines{src: src, buf: make([]byte, readSize)}
}

// next returns the next line with its newline, valid until the next call;
// io.EOF when no whole line follows; errLongLine when none can.
func (l *lines) next() ([]byte, error) {
	if l.ended {
		l.forget()
	}
	for {
		if i := bytes.IndexByte(l.unread, '\n'); i >= 0 && i < maxLine {
			raw := l.unread[:i+1]
			l.unread = l.unread[i+1:]
			l.off += int64(len(raw))
			return raw, nil
		}
		if len(l.unread) >= maxLine {
			return nil, errLongLine
		}
		if err := l.fill(); err != nil {
			l.ended = true
			return nil, err
		}
	}
}

// forget drops what was read ahead: since then the file may have been cut
// and written again behind the last whole line.
func (l *lines) forget() { l.unread, l.ended = nil, false }

// rest is what stands after the last whole line, right after io.EOF.
func (l *lines) rest() []byte { return l.unread }

func (l *lines) fill() error {
	kept := copy(l.buf, l.unread)
	n, err := l.src.ReadAt(l.buf[kept:], l.off+int64(kept))
	l.unread = l.buf[:kept+n]
	if n > 0 {
		return nil
	}
	if err == nil {
		return io.ErrNoProgress
	}
	return err
}
