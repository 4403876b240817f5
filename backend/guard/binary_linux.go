package guard

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// selfFD is above every number that starting a process rearranges, so that the
// new process still finds the file under its number when it executes it.
const selfFD = 64

func openSelf() (*Program, error) {
	f, err := os.Open("/proc/self/exe")
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, selfFD)
	if errors.Is(err, unix.EINVAL) { // the limit of descriptors is below that number
		err = unix.EMFILE
	}
	if err != nil {
		return nil, err
	}
	path := "/proc/self/fd/" + strconv.Itoa(fd)
	return &Program{Path: path, file: os.NewFile(uintptr(fd), path)}, nil
}
