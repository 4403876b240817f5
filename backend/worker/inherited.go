package worker

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// letGo closes what we inherited besides input, output and errors. A window's
// toolkit opens descriptors that every process it starts inherits; held by a
// worker, an answer to its page would not end for as long as the run lasts, and
// agents would inherit it in turn. Everything of our own closes on exec, so
// that tells the two apart.
func letGo() {
	names, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, n := range names {
		fd, err := strconv.Atoi(n.Name())
		if err != nil || fd <= 2 {
			continue
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd)
		}
	}
}
