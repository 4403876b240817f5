package safefs

import (
	"crypto/rand"
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// tempPrefix starts the name of every file that is not finished yet.
const tempPrefix = ".tmp-"

// tempTries bounds how often a new temporary file may be taken from us.
const tempTries = 100

// WriteFile replaces name's content in one step that survives a power
// failure: a temporary file in the same folder, sync, rename, sync of the
// folder. A link or file under the name is replaced, not followed.
func (d *Dir) WriteFile(name string, data []byte) error {
	return d.replace(name, data, true)
}

// WriteCache is WriteFile without the syncs. The step is as atomic for
// readers, but after a power failure the file may be old, empty or damaged:
// it is for what can be rebuilt or checked.
func (d *Dir) WriteCache(name string, data []byte) error {
	return d.replace(name, data, false)
}

func (d *Dir) replace(name string, data []byte, durable bool) error {
	return d.at("write", name, func(at int, base string) error {
		f, temp, err := createTemp(at)
		if err != nil {
			return err
		}
		// Closed only after the rename: until then its lock tells Sweep that
		// it is in use.
		defer func() { _ = f.Close() }()
		err = fill(f, data, durable)
		if err == nil {
			err = renameat(at, temp, at, base)
		}
		if err != nil {
			_ = unlinkat(at, temp, 0) // or Sweep does it
			return err
		}
		if durable {
			return syncDirFD(at, name)
		}
		return nil
	})
}

func fill(f *os.File, data []byte, durable bool) error {
	if _, err := Write(f, data); err != nil {
		return err
	}
	if !durable {
		return nil
	}
	return withFD(f, func(fd int) error { return syncFD(fd, f.Name()) })
}

// createTemp makes a file and locks it. A Sweep between the two steps may
// have removed it; then it has no name any more and another one is made.
func createTemp(at int) (*os.File, string, error) {
	for range tempTries {
		name := tempPrefix + rand.Text()
		f, err := createAt(at, name, name)
		if errors.Is(err, unix.EEXIST) {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		if flock(f, unix.LOCK_EX) == nil && linked(f) {
			return f, name, nil
		}
		_ = f.Close()
	}
	return nil, "", errors.New("no temporary file could be kept")
}

func linked(f *os.File) bool {
	return withFD(f, func(fd int) error {
		st, err := fstat(fd)
		if err == nil && st.Nlink != 1 {
			err = ErrReplaced
		}
		return err
	}) == nil
}

// Sweep removes temporary files in this folder, not beneath it, whose writer
// died. Those being written now, by any process, are left alone.
func (d *Dir) Sweep() error {
	names, err := d.Names()
	if err != nil {
		return err
	}
	var failures []error
	for _, name := range names {
		if strings.HasPrefix(name, tempPrefix) {
			failures = append(failures, d.sweep(name))
		}
	}
	return errors.Join(failures...)
}

func (d *Dir) sweep(name string) error {
	f, err := d.Open(name)
	if err != nil {
		return ignoreGone(err)
	}
	defer func() { _ = f.Close() }()
	if err := flock(f, unix.LOCK_EX); err != nil {
		if errors.Is(err, ErrHeld) {
			return nil
		}
		return err
	}
	return ignoreGone(d.Remove(name))
}

// ignoreGone forgives what another Sweep, or a finished writer, took away,
// and leaves alone what no writer of ours can have made.
func ignoreGone(err error) error {
	for _, fine := range []error{os.ErrNotExist, ErrNotRegular, ErrSymlink} {
		if errors.Is(err, fine) {
			return nil
		}
	}
	return err
}
