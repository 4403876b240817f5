package safefs

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// Errors a caller may branch on. They arrive inside an *fs.PathError;
// fs.ErrNotExist, fs.ErrExist and fs.ErrPermission pass through it too.
var (
	// ErrBadName: the name is empty, absolute, or leaves the directory.
	ErrBadName = errors.New("name is not a path beneath the folder")
	// ErrSymlink: a symbolic link stands somewhere in the name.
	ErrSymlink = errors.New("a symbolic link is not followed")
	// ErrNotRegular: the message adds which kind of entry it is.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge: the file is longer than the caller allows.
	ErrTooLarge = errors.New("file is too large")
	// ErrHeld: another process or another open file has the lock.
	ErrHeld = errors.New("held by another")
	// ErrHardLink: the file can be changed through a second name.
	ErrHardLink = errors.New("file has another name (hard link)")
	// ErrOwner: the file belongs to another user.
	ErrOwner = errors.New("file belongs to another user")
	// ErrReplaced: the name now leads to a different file.
	ErrReplaced = errors.New("another file has taken its place")
	// ErrShared: others could swap what is kept in this folder.
	ErrShared = errors.New("folder is writable by others")
)

// pathError adds what was done to what, and says ErrSymlink in words where
// the kernel says "too many levels of symbolic links".
func pathError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, unix.ELOOP) {
		err = ErrSymlink
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

// kindError returns nil for a regular file, else what stands in its place.
func kindError(mode uint32) error {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return nil
	case unix.S_IFLNK:
		return ErrSymlink
	case unix.S_IFDIR:
		return fmt.Errorf("%w but a folder", ErrNotRegular)
	case unix.S_IFIFO:
		return fmt.Errorf("%w but a FIFO", ErrNotRegular)
	case unix.S_IFSOCK:
		return fmt.Errorf("%w but a socket", ErrNotRegular)
	case unix.S_IFBLK, unix.S_IFCHR:
		return fmt.Errorf("%w but a device", ErrNotRegular)
	default:
		return fmt.Errorf("%w but an entry of unknown kind", ErrNotRegular)
	}
}

func tooLarge(max int64) error {
	return fmt.Errorf("%w: the limit is %d bytes", ErrTooLarge, max)
}
