package guard

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// BecomeSubreaper makes this process inherit the descendants of its dead
// children. A worker calls it at its start: it is what lets Wait find a tree
// whose launcher was killed.
func BecomeSubreaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become subreaper: %w", err)
	}
	return nil
}

// harden runs on the thread that will fork the program.
func harden() error {
	if err := BecomeSubreaper(); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	// The program has our user id: keep it from our memory and from our
	// descriptors, through which it could write its own report. Its exec makes
	// it an ordinary process again.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("hide the launcher's memory: %w", err)
	}
	return closeOnExec()
}

// closeOnExec keeps every descriptor of ours, known or inherited, out of the
// program.
func closeOnExec() error {
	err := unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC)
	if err == nil {
		return nil
	}
	if !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("close descriptors on exec: %w", err)
	}
	list, err := os.ReadDir("/proc/self/fd") // before Linux 5.11
	if err != nil {
		return fmt.Errorf("close descriptors on exec: %w", err)
	}
	for _, e := range list {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// descendant selects this process's children, and with them, as it is their
// subreaper, everything that was ever started below it.
func (f *face) descendant(p proc) bool { return p.ppid == os.Getpid() }

// reap collects every child, born here or inherited, until there is none. No
// child means no descendant.
func (f *face) reap() {
	for {
		// Only look: the number must not be free before mu is held.
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOWAIT|unix.WALL, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || !f.collect() {
			close(f.empty)
			return
		}
	}
}

// collect reaps all that are dead now, and reports whether children remain.
func (f *face) collect() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	was := f.reaped
	left := true
	for {
		var st unix.WaitStatus
		pid, err := unix.Wait4(-1, &st, unix.WNOHANG|unix.WALL, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if pid == f.pid && !f.reaped {
			f.ended(st)
		}
		if err != nil || pid == 0 {
			left = err == nil
			break
		}
	}
	if f.reaped && !was {
		f.alone = !left
		close(f.exited)
	}
	return left
}
