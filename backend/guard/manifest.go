package guard

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// RootPath is the path of the scanned folder's own entry.
const RootPath = "."

// Entry is one name in the folder, as fstatat and the content describe it.
type Entry struct {
	Path         string   // raw bytes, slash separated, relative; RootPath for the folder itself
	Mode         uint32   // st_mode: type and permission bits
	Nlink        uint32   //
	UID, GID     uint32   //
	Size         int64    // bytes; 0 for folders
	Mtime, Ctime int64    // unix nanoseconds
	Ino          uint64   //
	Hash         [32]byte // SHA-256 of a file's content; zero if Err or Unstable
	Link         string   // a symbolic link's target, raw bytes
	Err          string   // why it could not be read, or was not
	Unstable     bool     // kept changing while it was read: no content is known
}

// Kind is file, dir, symlink, fifo, socket or device, or unknown when not
// even its type could be read.
func (e *Entry) Kind() string {
	switch e.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return "file"
	case unix.S_IFDIR:
		return "dir"
	case unix.S_IFLNK:
		return "symlink"
	case unix.S_IFIFO:
		return "fifo"
	case unix.S_IFSOCK:
		return "socket"
	case unix.S_IFBLK, unix.S_IFCHR:
		return "device"
	}
	return "unknown"
}

func (e *Entry) isDir() bool  { return e.Mode&unix.S_IFMT == unix.S_IFDIR }
func (e *Entry) isFile() bool { return e.Mode&unix.S_IFMT == unix.S_IFREG }

// sameStat reports whether the kernel says nothing happened to the inode.
func (e *Entry) sameStat(o *Entry) bool {
	return e.Mode == o.Mode && e.Size == o.Size && e.Ino == o.Ino &&
		e.Mtime == o.Mtime && e.Ctime == o.Ctime &&
		e.Nlink == o.Nlink && e.UID == o.UID && e.GID == o.GID
}

// Manifest describes a folder at one time. It is not changed after Scan.
type Manifest struct {
	Start   int64    // unix nanoseconds, before the first entry was read
	Entries []*Entry // sorted by the bytes of Path, each path once
	Files   int64    // plain files found
	Hashed  int64    // files whose content was read, counting each try
	Bytes   int64    // bytes of content hashed
}

// Lookup finds an entry by its exact path.
func (m *Manifest) Lookup(path string) (*Entry, bool) {
	i, ok := slices.BinarySearchFunc(m.Entries, path, func(e *Entry, p string) int {
		return strings.Compare(e.Path, p)
	})
	if !ok {
		return nil, false
	}
	return m.Entries[i], true
}

// Digest names the content of the folder: paths, types and permission bits,
// sizes, hashes, link targets and read errors, but no times, inodes, link
// counts or owners. Two folders with equal digests hold the same things. It is
// 64 hexadecimal digits.
func (m *Manifest) Digest() string {
	h := sha256.New()
	var b []byte
	for _, e := range m.Entries {
		// Every text carries its length, so no two lists share one encoding.
		b = appendText(b[:0], e.Path)
		b = binary.BigEndian.AppendUint32(b, e.Mode)
		b = binary.BigEndian.AppendUint64(b, uint64(e.Size))
		b = append(b, e.Hash[:]...)
		b = appendText(b, e.Link)
		b = appendText(b, e.Err)
		if e.Unstable {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// validPath reports whether p can be the path of an entry: RootPath, or
// relative, with no empty, "." or ".." part and no NUL.
func validPath(p string) bool {
	if p == RootPath {
		return true
	}
	if strings.IndexByte(p, 0) >= 0 {
		return false
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}
