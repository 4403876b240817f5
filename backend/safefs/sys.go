package safefs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// call makes one system call, again while a signal interrupts it. Everything
// in this package that creates, changes, syncs or removes a file comes
// through here with the operation and the name it is about: it is the one
// place where a fault can be put in; see Inject.
func call(op, name string, do func() error) error {
	if err := fault(op, name); err != nil {
		return err
	}
	return again(do)
}

// again is call for what changes nothing.
func again(do func() error) error {
	for {
		if err := do(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// Write writes all of p to f and returns how much of it is known to be
// written. It exists beside f.Write so that every write has one route.
func Write(f *os.File, p []byte) (int, error) {
	var n int
	err := call("write", f.Name(), func() error {
		m, err := f.Write(p[n:])
		n += m
		return err
	})
	if err != nil && n == 0 {
		n, err = tear(err, p, f.Write)
	}
	return n, err
}

// WriteAt writes all of p into f at an offset, in place.
func WriteAt(f *os.File, p []byte, off int64) error {
	err := call("write", f.Name(), func() error {
		n, err := f.WriteAt(p, off)
		p, off = p[n:], off+int64(n)
		return err
	})
	if err != nil {
		_, err = tear(err, p, func(p []byte) (int, error) { return f.WriteAt(p, off) })
	}
	return err
}

// Truncate cuts f to size bytes.
func Truncate(f *os.File, size int64) error {
	return call("truncate", f.Name(), func() error { return f.Truncate(size) })
}

// Datasync returns when the content of f, and its length, would survive a
// power failure. Times and mode may still be on their way.
func Datasync(f *os.File) error {
	return withFD(f, func(fd int) error {
		return call("datasync", f.Name(), func() error { return datasync(fd) })
	})
}

func syncFD(fd int, name string) error {
	return call("sync", name, func() error { return fullSync(fd) })
}

// syncDirFD makes the entries of a directory durable. Some network and
// FUSE file systems cannot and say EINVAL; nothing more can be done there.
func syncDirFD(fd int, name string) error {
	if err := syncFD(fd, name); !errors.Is(err, unix.EINVAL) {
		return err
	}
	return nil
}

// withFD runs do with the descriptor of f, which stays open that long even
// if another goroutine closes f.
func withFD(f *os.File, do func(fd int) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failure error
	if err := raw.Control(func(fd uintptr) { failure = do(int(fd)) }); err != nil {
		return err
	}
	return failure
}

func openat(dir int, name string, flags int, mode uint32) (fd int, err error) {
	err = again(func() error {
		fd, err = unix.Openat(dir, name, flags|unix.O_CLOEXEC, mode)
		return err
	})
	return fd, err
}

func lstatAt(dir int, name string) (st unix.Stat_t, err error) {
	err = again(func() error {
		return unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	})
	return st, err
}

func fstat(fd int) (st unix.Stat_t, err error) {
	err = again(func() error { return unix.Fstat(fd, &st) })
	return st, err
}
