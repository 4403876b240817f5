package safefs

import (
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// info is fs.FileInfo over the kernel's own struct: the os package has no
// way to stat beneath a descriptor without following links.
type info struct {
	name string
	st   unix.Stat_t
}

func (i *info) Name() string       { return i.name }
func (i *info) Size() int64        { return i.st.Size }
func (i *info) IsDir() bool        { return i.Mode().IsDir() }
func (i *info) ModTime() time.Time { return time.Unix(i.st.Mtim.Unix()) }
func (i *info) Sys() any           { return &i.st }

func (i *info) Mode() fs.FileMode {
	raw := uint32(i.st.Mode)
	mode := fs.FileMode(raw & 0o777)
	switch raw & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	default:
		mode |= fs.ModeIrregular
	}
	for _, b := range specialBits {
		if raw&b.kernel != 0 {
			mode |= b.mode
		}
	}
	return mode
}

var specialBits = []struct {
	kernel uint32
	mode   fs.FileMode
}{
	{unix.S_ISUID, fs.ModeSetuid},
	{unix.S_ISGID, fs.ModeSetgid},
	{unix.S_ISVTX, fs.ModeSticky},
}
