package guard

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// BecomeSubreaper is not to be had on macOS: orphans go to launchd. Trees are
// found there by parent, group and environment mark only.
func BecomeSubreaper() error {
	return fmt.Errorf("become subreaper: %w", errors.ErrUnsupported)
}

// harden marks our descriptors. macOS has no switch against gaining privileges
// by setuid programs.
func harden() error {
	list, err := os.ReadDir("/dev/fd")
	if err != nil {
		return fmt.Errorf("close descriptors on exec: %w", err)
	}
	for _, e := range list {
		var fd int
		if _, err := fmt.Sscan(e.Name(), &fd); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// descendant selects this process's children and everything that carries the
// tree's mark. A program that left its parents and wiped its environment, or
// one of Apple's own, whose environment is hidden, is missed.
func (f *face) descendant(p proc) bool {
	return p.ppid == os.Getpid() || !p.zombie && p.carries(f.mark())
}

func (f *face) mark() string {
	env := f.spec.Env
	if len(env) == 0 {
		return ""
	}
	return string(env[len(env)-1]) // the worker puts it last
}

// reap collects the program, kills its group, and then watches until nothing
// that can be found is left.
func (f *face) reap() {
	defer close(f.empty)
	var st unix.WaitStatus
	for {
		_, err := unix.Wait4(f.pid, &st, 0, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	f.mu.Lock()
	f.ended(st)
	f.mu.Unlock()
	close(f.exited)
	h := newHunt(f.descendant)
	for {
		if list, err := h.live(); err == nil && len(list) == 0 {
			return
		}
		time.Sleep(4 * sweepPause)
	}
}
