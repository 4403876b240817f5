package guard

import (
	"errors"

	"golang.org/x/sys/unix"
)

// timesTell reports whether, once dirty pages are written back, every later
// write moves ctime, a store through a memory map included. That was measured
// on these file systems; tmpfs has no write-back and is known not to. An
// overlay answers for its layers: one whose upper layer is tmpfs is not told
// from one on disk, so a caller who mounts such a thing asks for FullHash.
func timesTell(fd int) bool {
	var st unix.Statfs_t
	if unix.Fstatfs(fd, &st) != nil {
		return false
	}
	switch int64(st.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.OVERLAYFS_SUPER_MAGIC:
		return true
	}
	return false
}

func syncFS(fd int) error { return unix.Syncfs(fd) }

// nextData finds the first stretch of data at or after off. ok is false where
// the file system cannot say. With no more data both ends are the file's end
// as far as the caller is concerned.
func nextData(fd int, off int64) (data, end int64, ok bool) {
	data, err := unix.Seek(fd, off, unix.SEEK_DATA)
	if errors.Is(err, unix.ENXIO) {
		return 1<<63 - 1, 1<<63 - 1, true
	}
	if err != nil {
		return 0, 0, false
	}
	end, err = unix.Seek(fd, data, unix.SEEK_HOLE)
	return data, end, err == nil && end > data
}
