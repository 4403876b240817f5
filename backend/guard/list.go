package guard

import (
	"errors"

	"golang.org/x/sys/unix"
)

// list records everything in the top frame's folder.
func (w *walker) list() error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	top := &w.stack[len(w.stack)-1]
	if err := w.readNames(top.dir.fd); errors.Is(err, ErrTooLarge) {
		return err
	} else if err != nil {
		top.entry.Err = err.Error()
	}
	for _, name := range w.names {
		path := name
		if len(w.stack) > 1 {
			path = top.entry.Path + "/" + name
		}
		if w.opts.Skip != nil && w.opts.Skip(path) {
			continue
		}
		if err := w.record(top, name, path); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) readNames(fd int) error {
	w.names = w.names[:0]
	for {
		n, err := retryInt(func() (int, error) { return unix.ReadDirent(fd, w.buf) })
		if err != nil || n <= 0 {
			return err
		}
		_, _, w.names = unix.ParseDirent(w.buf[:n], -1, w.names)
		if len(w.entries)+len(w.names) > w.opts.MaxEntries {
			return ErrTooLarge
		}
	}
}

func (w *walker) record(top *frame, name, path string) error {
	e := &Entry{Path: path}
	var st unix.Stat_t
	err := unix.Fstatat(top.dir.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	if errors.Is(err, unix.ENOENT) {
		return nil // gone since it was listed
	}
	w.pathBytes += int64(len(path))
	if w.pathBytes > maxPathBytes {
		return ErrTooLarge
	}
	w.entries = append(w.entries, e)
	if err != nil {
		e.Err = err.Error()
		return nil
	}
	e.fill(&st)
	if e.isFile() {
		w.files++
	}
	if st.Dev != w.root.Dev {
		e.Err = otherFS
		return nil
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		top.todo = append(top.todo, subfolder{entry: e, name: name})
	case unix.S_IFLNK:
		e.readLink(top.dir.fd, name)
	case unix.S_IFREG:
		if w.reuse(e) {
			return nil
		}
		top.dir.refs.Add(1)
		select {
		case w.jobs <- hashJob{entry: e, dir: top.dir, name: name}:
		case <-w.ctx.Done():
			top.dir.release()
			return w.ctx.Err()
		}
	}
	return nil
}

// reuse takes the base's hash if the file cannot have changed since.
func (w *walker) reuse(e *Entry) bool {
	if w.opts.Base == nil {
		return false
	}
	b, ok := w.opts.Base.Lookup(e.Path)
	if !ok || b.Unstable || b.Err != "" || !b.sameStat(e) {
		return false
	}
	if max(b.Mtime, b.Ctime) >= w.opts.Base.Start-racyWindow {
		return false
	}
	e.Hash = b.Hash
	return true
}

func (e *Entry) readLink(dir int, name string) {
	buf := make([]byte, 4096)
	for {
		n, err := unix.Readlinkat(dir, name, buf)
		if err != nil {
			e.Err = err.Error()
			return
		}
		if n < len(buf) {
			e.Link = string(buf[:n])
			return
		}
		if len(buf) >= maxLink {
			e.Err = "link target too long"
			return
		}
		buf = make([]byte, 2*len(buf))
	}
}

// fill takes over everything the manifest keeps of a stat.
func (e *Entry) fill(st *unix.Stat_t) {
	e.Mode, e.Nlink = uint32(st.Mode), uint32(st.Nlink)
	e.UID, e.GID, e.Ino = st.Uid, st.Gid, st.Ino
	e.Mtime, e.Ctime = st.Mtim.Nano(), st.Ctim.Nano()
	e.Size = st.Size
	if e.isDir() {
		e.Size = 0 // means nothing and depends on the file system
	}
}
