package guard

import (
	"context"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

const (
	dirFlags  = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC | unix.O_NOFOLLOW | unix.O_NONBLOCK
	fileFlags = unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY

	maxOpenDirs = 64 // on the way down; deeper ancestors are closed and reopened

	otherFS = "other file system, not entered"
	moved   = "moved while it was read"
	changed = "changed while it was read"
)

// dirFD is a directory descriptor shared by the walk and waiting hash jobs.
type dirFD struct {
	fd   int
	refs atomic.Int32
}

func holdDir(fd int) *dirFD {
	d := &dirFD{fd: fd}
	d.refs.Store(1)
	return d
}

func (d *dirFD) release() {
	if d.refs.Add(-1) == 0 {
		_ = unix.Close(d.fd)
	}
}

// frame is a folder on the way from the root to where the walk is.
type frame struct {
	dir   *dirFD // nil while closed to save descriptors
	entry *Entry
	name  string
	todo  []subfolder // listed, not yet entered
}

type subfolder struct {
	entry *Entry
	name  string
}

// walker goes through the tree by directory descriptors, so that no path is
// ever resolved by the kernel: length does not matter and nothing that is
// swapped in on the way can lead outside.
type walker struct {
	ctx       context.Context
	opts      ScanOptions
	root      unix.Stat_t
	jobs      chan hashJob
	stack     []frame
	entries   []*Entry
	files     int64
	pathBytes int64
	buf       []byte
	names     []string
}

func newWalker(fd int, st unix.Stat_t, o ScanOptions) *walker {
	w := &walker{opts: o, root: st, jobs: make(chan hashJob, hashQueue), buf: make([]byte, 64<<10)}
	e := &Entry{Path: RootPath}
	e.fill(&st)
	w.entries = []*Entry{e}
	w.stack = []frame{{dir: holdDir(fd), entry: e, name: RootPath}}
	return w
}

func (w *walker) walk() error {
	defer func() {
		for _, f := range w.stack {
			if f.dir != nil {
				f.dir.release()
			}
		}
	}()
	if err := w.list(); err != nil {
		return err
	}
	for len(w.stack) > 0 {
		top := &w.stack[len(w.stack)-1]
		if len(top.todo) == 0 {
			w.leave()
			continue
		}
		next := top.todo[len(top.todo)-1]
		top.todo = top.todo[:len(top.todo)-1]
		if !w.enter(next) {
			continue
		}
		if err := w.list(); err != nil {
			return err
		}
	}
	return nil
}

// enter opens a sub folder of the top frame and makes it the top.
func (w *walker) enter(s subfolder) bool {
	top := &w.stack[len(w.stack)-1]
	fd, err := retryInt(func() (int, error) { return unix.Openat(top.dir.fd, s.name, dirFlags, 0) })
	if err != nil {
		s.entry.Err = err.Error()
		return false
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		s.entry.Err = err.Error()
		_ = unix.Close(fd)
		return false
	}
	// What was opened may be newer than what was listed.
	s.entry.fill(&st)
	if st.Dev != w.root.Dev {
		s.entry.Err = otherFS
		_ = unix.Close(fd)
		return false
	}
	w.stack = append(w.stack, frame{dir: holdDir(fd), entry: s.entry, name: s.name})
	// The root stays open: it is where a lost folder is looked for again.
	if i := len(w.stack) - 1 - maxOpenDirs; i > 0 && w.stack[i].dir != nil {
		w.stack[i].dir.release()
		w.stack[i].dir = nil
	}
	return true
}

// leave drops the top frame and makes sure its parent is open again, also when
// nothing is left to do there: the parent's parent is reached from it.
func (w *walker) leave() {
	n := len(w.stack) - 1
	child := w.stack[n]
	if n > 0 && w.stack[n-1].dir == nil {
		w.reopen(n-1, child.dir)
	}
	if child.dir != nil {
		child.dir.release()
	}
	w.stack = w.stack[:n]
}

// reopen gets a closed frame's descriptor back: through ".." of the child we
// still hold, else by its names from the nearest open ancestor. Either way it
// must be the very folder that was listed.
func (w *walker) reopen(i int, child *dirFD) {
	f := &w.stack[i]
	if child != nil {
		if fd, err := unix.Openat(child.fd, "..", dirFlags, 0); err == nil {
			if w.same(f, fd) {
				f.dir = holdDir(fd)
				return
			}
			_ = unix.Close(fd)
		}
	}
	j := i
	for w.stack[j].dir == nil {
		j--
	}
	at := w.stack[j].dir.fd
	for k := j + 1; k <= i; k++ {
		fd, err := unix.Openat(at, w.stack[k].name, dirFlags, 0)
		if k > j+1 {
			_ = unix.Close(at)
		}
		if err != nil {
			f.lose()
			return
		}
		at = fd
	}
	if !w.same(f, at) {
		_ = unix.Close(at)
		f.lose()
		return
	}
	f.dir = holdDir(at)
}

func (w *walker) same(f *frame, fd int) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Dev == w.root.Dev && st.Ino == f.entry.Ino
}

// lose gives up what is left to do in a folder that is not there any more.
func (f *frame) lose() {
	if len(f.todo) > 0 {
		f.entry.Err, f.todo = moved, nil
	}
}
