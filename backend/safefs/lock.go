package safefs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A lock can be taken for an instant without a holder: by a Holder call, or
// by a process that a dead holder was just starting, which inherits the lock
// until it executes its program. So we look more than once before we believe
// that somebody has it.
const (
	lockTries = 20
	lockPause = 2 * time.Millisecond
)

// maxHolder bounds what a lease says about who has it, in bytes.
const maxHolder = 64 << 10

// Lease is a lock that ends with Release or with the process, however that
// ends.
type Lease struct{ f *os.File }

// Lock takes the exclusive lock named name, or fails with ErrHeld. The lock
// is on a file, mode 0600, that is never removed: if it were, one process
// could lock the removed file and another a new one of the same name, and
// both would believe that they are alone.
func (d *Dir) Lock(name string) (*Lease, error) {
	var l *Lease
	err := ErrHeld
	for try := 0; try < lockTries && retryable(err); try++ {
		if try > 0 {
			time.Sleep(lockPause)
		}
		l, err = d.tryLock(name)
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

func retryable(err error) bool {
	return errors.Is(err, ErrHeld) || errors.Is(err, ErrReplaced) || errors.Is(err, fs.ErrNotExist)
}

func (d *Dir) tryLock(name string) (*Lease, error) {
	f, err := d.open("lock", name, unix.O_RDWR|unix.O_CREAT)
	if err != nil {
		return nil, err
	}
	err = pathError("lock", d.join(name), flock(f, unix.LOCK_EX))
	if err == nil {
		_, err = d.Sole(name, f)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return &Lease{f}, nil
}

// Write stores who holds the lease, at most 64 KiB, for Holder to show. A
// Holder call at the same instant may see it empty or in part.
func (l *Lease) Write(content []byte) error {
	if len(content) > maxHolder {
		return pathError("write", l.f.Name(), tooLarge(maxHolder))
	}
	if err := Truncate(l.f, 0); err != nil {
		return err
	}
	return WriteAt(l.f, content, 0)
}

// Release empties the file and gives the lock up.
func (l *Lease) Release() error {
	return errors.Join(Truncate(l.f, 0), Drop(l.f), l.f.Close())
}

// Holder reads what the holder of a lock wrote, and whether somebody holds
// it now. Content without a holder is left from a process that was killed;
// a lock that nobody ever took is not an error.
func (d *Dir) Holder(name string) (content []byte, held bool, err error) {
	f, err := d.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = f.Close() }()
	err = flock(f, unix.LOCK_SH)
	if held = errors.Is(err, ErrHeld); err != nil && !held {
		return nil, false, pathError("look at lock", d.join(name), err)
	}
	if !held {
		err = Drop(f)
	} else {
		err = nil
	}
	if err == nil {
		content, err = io.ReadAll(io.LimitReader(f, maxHolder))
	}
	return content, held, pathError("read", d.join(name), err)
}

// Hold locks an open file until Drop or the end of the process, or fails
// with ErrHeld within 40 ms.
func Hold(f *os.File) error {
	err := flock(f, unix.LOCK_EX)
	for try := 1; try < lockTries && errors.Is(err, ErrHeld); try++ {
		time.Sleep(lockPause)
		err = flock(f, unix.LOCK_EX)
	}
	return err
}

// Drop gives a lock up. Closing the file is not enough while a process that
// was just started has not let go of what it inherited.
func Drop(f *os.File) error { return flock(f, unix.LOCK_UN) }

func flock(f *os.File, how int) error {
	err := withFD(f, func(fd int) error {
		return again(func() error { return unix.Flock(fd, how|unix.LOCK_NB) })
	})
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrHeld
	}
	return err
}
