package safefs

import (
	"errors"

	"golang.org/x/sys/unix"
)

func datasync(fd int) error { return fullSync(fd) }

// fullSync uses F_FULLFSYNC: on macOS fsync only reaches the drive's cache.
// Volumes that do not know the command (network, some FAT) get fsync.
func fullSync(fd int) error {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_FULLFSYNC, 0)
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTTY) {
		return unix.Fsync(fd)
	}
	return err
}

// openDirAt opens a directory without following a link in any component.
// O_NOFOLLOW_ANY is older than any macOS this Go version runs on.
func openDirAt(dir int, name string) (int, error) {
	return openat(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW_ANY, 0)
}
