package safefs

import (
	"errors"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

func datasync(fd int) error { return unix.Fdatasync(fd) }

func fullSync(fd int) error { return unix.Fsync(fd) }

// openDirAt opens a directory without following a link in any component.
func openDirAt(dir int, name string) (int, error) {
	how := unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	if !path.IsAbs(name) {
		how.Resolve |= unix.RESOLVE_BENEATH
	}
	fd := -1
	err := again(func() (err error) {
		fd, err = unix.Openat2(dir, name, &how)
		return err
	})
	// ENOSYS is a kernel before 5.6, EPERM a container's system call filter.
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		return walkDirAt(dir, name)
	}
	return fd, err
}

// walkDirAt does the same one component at a time. O_PATH lets it pass
// folders that may be entered but not listed.
func walkDirAt(dir int, name string) (int, error) {
	const pass = unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW
	start := "."
	if path.IsAbs(name) {
		start = "/"
	}
	at, err := openat(dir, start, pass, 0)
	if err != nil {
		return -1, err
	}
	for part := range strings.SplitSeq(strings.Trim(name, "/"), "/") {
		if part == "" {
			continue
		}
		next, err := openat(at, part, pass, 0)
		if errors.Is(err, unix.ENOTDIR) {
			if st, e := lstatAt(at, part); e == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
				err = ErrSymlink
			}
		}
		_ = unix.Close(at)
		if err != nil {
			return -1, err
		}
		at = next
	}
	defer func() { _ = unix.Close(at) }()
	return openat(at, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
}
