package checkpoint

import (
	"errors"

	"golang.org/x/sys/unix"
)

const (
	passFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC | unix.O_NOFOLLOW
	utimeOmit = -2 // UTIME_OMIT of sys/stat.h
	errNoAttr = unix.ENOATTR
	errRange  = unix.ERANGE
)

func (n node) chmod(mode uint32) error {
	return unix.Fchmodat(n.dir, n.name, mode, unix.AT_SYMLINK_NOFOLLOW)
}

// open runs do with a descriptor of the entry itself.
func (n node) open(do func(fd int) error) error {
	fd, err := unix.Openat(n.dir, n.name, fileFlags, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	return do(fd)
}

func (n node) listAttrs() (names []byte, err error) {
	err = n.open(func(fd int) (err error) {
		names, err = readAll(func(b []byte) (int, error) { return unix.Flistxattr(fd, b) })
		return err
	})
	if errors.Is(err, unix.ENOTSUP) {
		return nil, nil
	}
	return names, err
}

func (n node) attr(name string) (value []byte, err error) {
	err = n.open(func(fd int) (err error) {
		value, err = readAll(func(b []byte) (int, error) { return unix.Fgetxattr(fd, name, b) })
		return err
	})
	return value, err
}

func (n node) setAttr(name string, value []byte) error {
	return n.open(func(fd int) error { return unix.Fsetxattr(fd, name, value, 0) })
}

func (n node) removeAttr(name string) error {
	return n.open(func(fd int) error { return unix.Fremovexattr(fd, name) })
}

// writeBack makes all that was restored durable, as far as macOS offers it.
func (t *tree) writeBack() error { return unix.Sync() }
