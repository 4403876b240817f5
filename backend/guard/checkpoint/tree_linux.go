package checkpoint

import (
	"errors"
	"strconv"

	"golang.org/x/sys/unix"
)

// passFlags open a folder on the way: it need not be listable.
const (
	passFlags = unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC | unix.O_NOFOLLOW
	utimeOmit = unix.UTIME_OMIT
	errNoAttr = unix.ENODATA
	errRange  = unix.ERANGE
)

// chmod never follows a link. Kernels before 6.6 need the way through a
// descriptor.
func (n node) chmod(mode uint32) error {
	err := unix.Fchmodat(n.dir, n.name, mode, unix.AT_SYMLINK_NOFOLLOW)
	if !errors.Is(err, unix.EOPNOTSUPP) && !errors.Is(err, unix.EPERM) {
		return err
	}
	fd, err := unix.Openat(n.dir, n.name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFLNK {
		return unix.EOPNOTSUPP
	}
	return unix.Chmod("/proc/self/fd/"+strconv.Itoa(fd), mode)
}

// way leads to the entry itself: the calls that take it follow no link in the
// last part, and the part before is the folder we hold.
func (n node) way() string { return "/proc/self/fd/" + strconv.Itoa(n.dir) + "/" + n.name }

func (n node) listAttrs() ([]byte, error) {
	names, err := readAll(func(b []byte) (int, error) { return unix.Llistxattr(n.way(), b) })
	if errors.Is(err, unix.EOPNOTSUPP) {
		return nil, nil
	}
	return names, err
}

func (n node) attr(name string) ([]byte, error) {
	return readAll(func(b []byte) (int, error) { return unix.Lgetxattr(n.way(), name, b) })
}

func (n node) setAttr(name string, value []byte) error {
	return unix.Lsetxattr(n.way(), name, value, 0)
}

func (n node) removeAttr(name string) error { return unix.Lremovexattr(n.way(), name) }

// writeBack makes all that was restored durable.
func (t *tree) writeBack() error { return unix.Syncfs(t.fd) }
