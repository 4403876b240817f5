package safefs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"golang.org/x/sys/unix"
)

// Rename moves an entry within the directory, over a file of the new name if
// there is one. It is durable after Sync of both folders.
func (d *Dir) Rename(old, new string) error { return d.RenameTo(old, d, new) }

// RenameTo moves an entry into another anchored directory of the same file
// system. It is durable after Sync of both.
func (d *Dir) RenameTo(old string, to *Dir, new string) error {
	return d.at("rename", old, func(from int, oldBase string) error {
		return to.at("rename to", new, func(at int, newBase string) error {
			return renameat(from, oldBase, at, newBase)
		})
	})
}

// Remove removes a file, a link itself, or an empty directory.
func (d *Dir) Remove(name string) error {
	return d.at("remove", name, func(at int, base string) error {
		st, err := lstatAt(at, base)
		if err != nil {
			return err
		}
		if st.Mode&unix.S_IFMT == unix.S_IFDIR {
			return unlinkat(at, base, unix.AT_REMOVEDIR)
		}
		return unlinkat(at, base, 0)
	})
}

// RemoveAll removes an entry and what is beneath it, following no link. A
// missing entry is fine.
func (d *Dir) RemoveAll(name string) error {
	return d.at("remove", name, func(at int, base string) error {
		return removeAll(at, base)
	})
}

// Names lists the directory's entries, sorted by their bytes.
func (d *Dir) Names() ([]string, error) {
	var names []string
	err := d.fd(func(fd int) (err error) {
		names, err = list(fd)
		return err
	})
	return names, pathError("list", d.path, err)
}

// Stat describes an entry without following a link. Sys returns the
// *unix.Stat_t.
func (d *Dir) Stat(name string) (fs.FileInfo, error) {
	var entry *info
	err := d.at("stat", name, func(at int, base string) error {
		st, err := lstatAt(at, base)
		entry = &info{name: path.Base(base), st: st}
		return err
	})
	if err != nil {
		return nil, err
	}
	return entry, nil
}

func removeAll(at int, base string) error {
	st, err := lstatAt(at, base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return unlinkat(at, base, 0)
	}
	if err := empty(at, base); err != nil {
		return err
	}
	return unlinkat(at, base, unix.AT_REMOVEDIR)
}

func empty(at int, base string) error {
	fd, err := openDirAt(at, base)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	names, err := list(fd)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := removeAll(fd, name); err != nil {
			return err
		}
	}
	return nil
}

// list opens the directory a second time because a read position is shared
// by everyone who uses the first descriptor.
func list(fd int) ([]string, error) {
	again, err := openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(again), ".")
	defer func() { _ = f.Close() }()
	names, err := f.Readdirnames(-1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	slices.Sort(names)
	return names, nil
}

func renameat(from int, old string, to int, new string) error {
	return call("rename", new, func() error { return unix.Renameat(from, old, to, new) })
}

func unlinkat(at int, base string, flags int) error {
	return call("remove", base, func() error { return unix.Unlinkat(at, base, flags) })
}
