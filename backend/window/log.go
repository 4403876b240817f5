package window

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"

	"longwatch/backend/safefs"
)

const logName = "window.log"

// largestLog bounds the log, in bytes. When it is reached most of what is old goes.
const largestLog = 1 << 20

// Log is the window's log: a file that stays small. Its methods may be called
// from several goroutines.
type Log struct {
	mu   sync.Mutex
	f    *os.File
	size int64
	most int64
}

// OpenLog opens the log in the window's folder.
func OpenLog(dir *safefs.Dir) (*Log, error) {
	f, err := dir.OpenAppend(logName)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return &Log{f: f, size: st.Size(), most: largestLog}, nil
}

// File is where a crash of the whole program may write its last words.
func (l *Log) File() *os.File { return l.f }

// Write implements io.Writer. A line that is longer than half the log is cut.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := p
	if int64(len(text)) > l.most/2 {
		text = append(text[:l.most/2:l.most/2], " …\n"...)
	}
	if l.size+int64(len(text)) > l.most {
		if err := l.shorten(); err != nil {
			return 0, err
		}
	}
	n, err := safefs.Write(l.f, text)
	l.size += int64(n)
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// shorten keeps the newest lines, at most a quarter of the log.
func (l *Log) shorten() error {
	keep := l.most / 4
	kept := make([]byte, min(keep, l.size))
	n, err := l.f.ReadAt(kept, l.size-int64(len(kept)))
	if err != nil && err != io.EOF {
		return err
	}
	_, kept, _ = bytes.Cut(kept[:n], []byte("\n"))
	head := fmt.Sprintf("(older lines were removed: the log holds %d bytes)\n", l.most)
	if err := safefs.Truncate(l.f, 0); err != nil {
		return err
	}
	m, err := safefs.Write(l.f, append([]byte(head), kept...))
	l.size = int64(m)
	return err
}

// Close closes the file.
func (l *Log) Close() error { return l.f.Close() }
