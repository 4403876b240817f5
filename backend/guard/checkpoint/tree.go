package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"longwatch/backend/guard"
)

const (
	fileFlags = unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY
	rootFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC | unix.O_NOFOLLOW
)

func isFile(e *guard.Entry) bool { return e.Mode&unix.S_IFMT == unix.S_IFREG }
func isDir(e *guard.Entry) bool  { return e.Mode&unix.S_IFMT == unix.S_IFDIR }
func isLink(e *guard.Entry) bool { return e.Mode&unix.S_IFMT == unix.S_IFLNK }

// tree is an open workspace.
type tree struct {
	fd  int
	dev uint64
	ino uint64
}

func openTree(root string) (*tree, error) {
	fd, err := unix.Open(root, rootFlags, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open folder", Path: root, Err: err}
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		_ = unix.Close(fd)
		return nil, &os.PathError{Op: "open folder", Path: root, Err: err}
	}
	return &tree{fd, uint64(st.Dev), st.Ino}, nil
}

// describedBy reports whether m is a manifest of this very folder.
func (t *tree) describedBy(m *guard.Manifest) bool {
	e, ok := m.Lookup(guard.RootPath)
	return ok && e.Ino == t.ino
}

func (t *tree) close() { _ = unix.Close(t.fd) }

// cursor finds the entries of a tree by directory descriptors, one name after
// the other, so that nothing swapped in on the way leads outside and a path
// may have any length. It keeps the last folder open.
type cursor struct {
	tree *tree
	path string
	fd   int // -1 without a folder
}

func (t *tree) cursor() *cursor { return &cursor{tree: t, fd: -1} }

func (c *cursor) close() {
	if c.fd >= 0 {
		_ = unix.Close(c.fd)
		c.fd = -1
	}
}

// node is a name in an open folder. It is valid until its cursor moves.
type node struct {
	dir  int
	name string
}

func (c *cursor) at(p string) (node, error) {
	dir := parent(p)
	if p == guard.RootPath || dir == guard.RootPath {
		return node{c.tree.fd, p}, nil
	}
	if c.fd < 0 || c.path != dir {
		if err := c.move(dir); err != nil {
			return node{}, err
		}
	}
	return node{c.fd, path.Base(p)}, nil
}

func (c *cursor) move(dir string) error {
	at, rest := c.tree.fd, dir
	if c.fd >= 0 && strings.HasPrefix(dir, c.path+"/") {
		at, rest = c.fd, dir[len(c.path)+1:]
	}
	for name := range strings.SplitSeq(rest, "/") {
		next, err := again(func() (int, error) { return unix.Openat(at, name, passFlags, 0) })
		if at != c.tree.fd && at != c.fd {
			_ = unix.Close(at)
		}
		if err != nil {
			return fmt.Errorf("folder %q: %w", dir, err)
		}
		at = next
	}
	var st unix.Stat_t
	err := unix.Fstat(at, &st)
	if err == nil && uint64(st.Dev) != c.tree.dev {
		err = errors.New("another file system")
	}
	if err != nil {
		_ = unix.Close(at)
		return fmt.Errorf("folder %q: %w", dir, err)
	}
	c.close()
	c.fd, c.path = at, dir
	return nil
}

func (n node) stat() (unix.Stat_t, error) {
	var st unix.Stat_t
	err := unix.Fstatat(n.dir, n.name, &st, unix.AT_SYMLINK_NOFOLLOW)
	return st, err
}

func (n node) chown(uid, gid uint32) error {
	return unix.Fchownat(n.dir, n.name, int(uid), int(gid), unix.AT_SYMLINK_NOFOLLOW)
}

// setMtime leaves the time of the last access alone.
func (n node) setMtime(ns int64) error {
	omit := unix.NsecToTimespec(0)
	omit.Nsec = utimeOmit
	times := []unix.Timespec{omit, unix.NsecToTimespec(ns)}
	return unix.UtimesNanoAt(n.dir, n.name, times, unix.AT_SYMLINK_NOFOLLOW)
}

func (n node) remove(dir bool) error {
	flags := 0
	if dir {
		flags = unix.AT_REMOVEDIR
	}
	return unix.Unlinkat(n.dir, n.name, flags)
}

// again repeats a call that a signal interrupted.
func again(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
