package safefs

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Open opens a regular file for reading.
func (d *Dir) Open(name string) (*os.File, error) {
	return d.open("open", name, unix.O_RDONLY)
}

// Create makes a new file, mode 0600, for reading and writing. An entry of
// that name, whatever it is, is fs.ErrExist. The name is durable after Sync.
func (d *Dir) Create(name string) (*os.File, error) {
	var f *os.File
	err := d.at("create", name, func(at int, base string) (err error) {
		f, err = createAt(at, base, d.join(name))
		return err
	})
	return f, err
}

// OpenAppend opens a file of ours for reading and appending and creates it,
// mode 0600, if it is missing. A file with a second name is ErrHardLink, a
// file of another user ErrOwner.
func (d *Dir) OpenAppend(name string) (*os.File, error) {
	return d.openSole(name, unix.O_RDWR|unix.O_APPEND|unix.O_CREAT)
}

// OpenExisting is OpenAppend that creates nothing.
func (d *Dir) OpenExisting(name string) (*os.File, error) {
	return d.openSole(name, unix.O_RDWR|unix.O_APPEND)
}

// OpenUpdate opens a file of ours for reading and for writing in place, and
// creates it, mode 0600, if it is missing.
func (d *Dir) OpenUpdate(name string) (*os.File, error) {
	return d.openSole(name, unix.O_RDWR|unix.O_CREAT)
}

// Sole returns the size of f after making sure that name still leads to f,
// that f has no other name, and that f is ours. It fails with ErrReplaced,
// ErrHardLink, ErrOwner, or what else stands under the name.
func (d *Dir) Sole(name string, f *os.File) (size int64, err error) {
	err = d.at("check", name, func(at int, base string) error {
		return withFD(f, func(fd int) error {
			size, err = soleAt(at, base, fd)
			return err
		})
	})
	return size, err
}

// ReadFile returns a regular file's content, or ErrTooLarge above max bytes.
func (d *Dir) ReadFile(name string, max int64) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := readAll(f, max)
	return data, pathError("read", d.join(name), err)
}

// ReadRegular reads a file at any path a person named. Links on the way are
// followed, but the last component must itself be a regular file: a link is
// ErrSymlink, a folder, FIFO, device or socket ErrNotRegular.
func ReadRegular(path string, max int64) ([]byte, error) {
	fd, err := openRegular(unix.AT_FDCWD, path, unix.O_RDONLY)
	if err != nil {
		return nil, pathError("read", path, err)
	}
	f := os.NewFile(uintptr(fd), path)
	defer func() { _ = f.Close() }()
	data, err := readAll(f, max)
	return data, pathError("read", path, err)
}

func (d *Dir) openSole(name string, flags int) (*os.File, error) {
	f, err := d.open("open", name, flags)
	if err != nil {
		return nil, err
	}
	if _, err := d.Sole(name, f); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func (d *Dir) open(op, name string, flags int) (*os.File, error) {
	var f *os.File
	err := d.at(op, name, func(at int, base string) error {
		fd, err := openRegular(at, base, flags)
		if err == nil {
			f = os.NewFile(uintptr(fd), d.join(name))
		}
		return err
	})
	return f, err
}

// openRegular looks before it opens, because opening alone can already do
// something to a device; and looks again at what it got, because the entry
// may have changed in between. O_NONBLOCK keeps a FIFO from holding us.
func openRegular(at int, base string, flags int) (int, error) {
	if st, err := lstatAt(at, base); err == nil {
		if err := kindError(uint32(st.Mode)); err != nil {
			return -1, err
		}
	}
	fd := -1
	err := call("open", base, func() (err error) {
		const safe = unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY
		fd, err = openat(at, base, flags|safe, 0o600)
		return err
	})
	if err != nil {
		return -1, err
	}
	st, err := fstat(fd)
	if err == nil {
		err = kindError(uint32(st.Mode))
	}
	if err == nil {
		err = unix.SetNonblock(fd, false)
	}
	if err != nil {
		_ = unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

func createAt(at int, base, path string) (*os.File, error) {
	fd := -1
	err := call("create", path, func() (err error) {
		fd, err = openat(at, base, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, 0o600)
		return err
	})
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

func soleAt(at int, base string, fd int) (int64, error) {
	own, err := fstat(fd)
	if err != nil {
		return 0, err
	}
	named, err := lstatAt(at, base)
	if err != nil {
		return 0, err
	}
	if err := kindError(uint32(named.Mode)); err != nil {
		return 0, err
	}
	switch {
	case named.Dev != own.Dev || named.Ino != own.Ino:
		return 0, ErrReplaced
	case own.Nlink != 1:
		return 0, ErrHardLink
	case int(own.Uid) != os.Geteuid():
		return 0, ErrOwner
	}
	return own.Size, nil
}

// readAll reads one byte past the limit to notice a file that is longer, or
// that grows while it is read.
func readAll(f *os.File, max int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > max {
		return nil, tooLarge(max)
	}
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > max {
		return nil, tooLarge(max)
	}
	return data, nil
}
