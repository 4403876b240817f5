package safefs

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// The walk is what old kernels and filtered containers get; it must refuse
// the same as openat2.
func TestWalkRefusesLinksAsOpenat2Does(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	_, err := d.Mkdir("a/b/c")
	must(t, err)
	must(t, os.Symlink("b", filepath.Join(d.Path(), "a/link")))
	must(t, os.Chmod(filepath.Join(d.Path(), "a"), 0o100))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(d.Path(), "a"), 0o700) })
	for name, want := range map[string]error{
		"a/b/c": nil, "a/link": ErrSymlink, "a/link/c": ErrSymlink, "a/none/c": unix.ENOENT,
	} {
		for _, from := range []struct {
			dir  int
			name string
		}{{int(d.f.Fd()), name}, {unix.AT_FDCWD, filepath.Join(d.Path(), name)}} {
			fd, err := walkDirAt(from.dir, from.name)
			if !errors.Is(err, want) {
				t.Errorf("walk %s: got %v, want %v", from.name, err, want)
			}
			if err == nil {
				_ = unix.Close(fd)
			}
			fd, err = openDirAt(from.dir, from.name)
			if (err == nil) != (want == nil) {
				t.Errorf("openat2 %s: got %v, want %v", from.name, err, want)
			}
			if err == nil {
				_ = unix.Close(fd)
			}
		}
	}
}
