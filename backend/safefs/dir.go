package safefs

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Dir is an anchored directory. It stays the same directory when its path is
// renamed or replaced. Its methods may be called from several goroutines.
type Dir struct {
	f    *os.File
	path string
}

// OpenDir anchors the directory at an absolute path, following no link in
// any component: a parent swapped for a link is ErrSymlink.
func OpenDir(path string) (*Dir, error) {
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return nil, pathError("open folder", path, ErrBadName)
	}
	path = filepath.Clean(path)
	fd, err := openDirAt(unix.AT_FDCWD, path)
	if err != nil {
		return nil, pathError("open folder", path, err)
	}
	return newDir(fd, path), nil
}

// MakeDir is OpenDir that first creates what is missing, mode 0700. The
// folder itself, or the deepest one that is already there, is refused with
// ErrShared when its group or everyone may write to it and it is not sticky:
// whoever can rename entries there could swap ours.
func MakeDir(path string) (*Dir, error) {
	base, missing := filepath.Clean(path), ""
	d, err := OpenDir(base)
	for errors.Is(err, fs.ErrNotExist) && base != filepath.Dir(base) {
		missing = filepath.Join(filepath.Base(base), missing)
		base = filepath.Dir(base)
		d, err = OpenDir(base)
	}
	if err != nil {
		return nil, err
	}
	if err := d.refuseShared(); err != nil {
		_ = d.Close()
		return nil, err
	}
	if missing == "" {
		return d, nil
	}
	defer func() { _ = d.Close() }()
	return d.Mkdir(filepath.ToSlash(missing))
}

func newDir(fd int, path string) *Dir {
	return &Dir{f: os.NewFile(uintptr(fd), path), path: path}
}

func (d *Dir) refuseShared() error {
	err := d.fd(func(fd int) error {
		st, err := fstat(fd)
		if err == nil && st.Mode&0o022 != 0 && st.Mode&unix.S_ISVTX == 0 {
			err = ErrShared
		}
		return err
	})
	return pathError("use folder", d.path, err)
}

// Path is where the directory was when it was opened, for messages.
func (d *Dir) Path() string { return d.path }

// Close releases the directory. Files opened through it stay open.
func (d *Dir) Close() error { return d.f.Close() }

// Sync makes creations, renames and removals in the directory durable.
func (d *Dir) Sync() error {
	err := d.fd(func(fd int) error { return syncDirFD(fd, d.path) })
	return pathError("sync folder", d.path, err)
}

// Sub anchors a directory beneath this one.
func (d *Dir) Sub(name string) (*Dir, error) {
	var sub *Dir
	err := d.at("open folder", name, func(at int, base string) error {
		fd, err := openDirAt(at, base)
		if err == nil {
			sub = newDir(fd, d.join(name))
		}
		return err
	})
	return sub, err
}

// Mkdir is Sub that first creates what is missing, mode 0700, each new entry
// made durable. Real directories that exist are used as they are.
func (d *Dir) Mkdir(name string) (*Dir, error) {
	if err := checkName(name); err != nil {
		return nil, pathError("make folder", d.join(name), err)
	}
	var done string
	for part := range strings.SplitSeq(name, "/") {
		done = path.Join(done, part)
		err := d.at("make folder", done, func(at int, base string) error {
			err := call("mkdir", done, func() error { return unix.Mkdirat(at, base, 0o700) })
			if err != nil && !errors.Is(err, unix.EEXIST) {
				return err
			}
			// Also when it existed: who made it may have died before this.
			return syncDirFD(at, done)
		})
		if err != nil {
			return nil, err
		}
	}
	return d.Sub(name)
}

func (d *Dir) fd(do func(fd int) error) error { return withFD(d.f, do) }

func (d *Dir) join(name string) string { return d.path + "/" + name }

// at runs do with the directory that holds name's last component, and with
// that component. Errors get op and the whole path.
func (d *Dir) at(op, name string, do func(at int, base string) error) error {
	if err := checkName(name); err != nil {
		return pathError(op, d.join(name), err)
	}
	err := d.fd(func(fd int) error {
		parent, base := path.Split(name)
		if parent == "" {
			return do(fd, base)
		}
		sub, err := openDirAt(fd, strings.TrimSuffix(parent, "/"))
		if err != nil {
			return err
		}
		defer func() { _ = unix.Close(sub) }()
		return do(sub, base)
	})
	return pathError(op, d.join(name), err)
}

func checkName(name string) error {
	if strings.ContainsRune(name, 0) {
		return ErrBadName
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." {
			return ErrBadName
		}
	}
	return nil
}
