package safefs

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestNamesOutsideTheFolderAreRefused(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	for _, name := range []string{"", ".", "..", "/etc", "a/../b", "../a", "a//b", "a/", "a\x00b", "./a"} {
		_, openErr := d.Open(name)
		_, mkdirErr := d.Mkdir(name)
		_, statErr := d.Stat(name)
		for _, err := range []error{openErr, mkdirErr, statErr, d.WriteFile(name, nil), d.Remove(name), d.RemoveAll(name), d.Rename(name, "x")} {
			if !errors.Is(err, ErrBadName) {
				t.Errorf("name %q: got %v, want ErrBadName", name, err)
			}
		}
	}
	if _, err := OpenDir("relative"); !errors.Is(err, ErrBadName) {
		t.Errorf("relative base: got %v, want ErrBadName", err)
	}
}

func TestNoLinkIsFollowedInAnyComponent(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	real, err := d.Mkdir("a/b")
	must(t, err)
	must(t, real.WriteFile("file", []byte("x")))
	must(t, d.Rename("a/b", "a/real"))
	must(t, os.Symlink("real", filepath.Join(d.Path(), "a/b")))
	must(t, os.Symlink("file", filepath.Join(d.Path(), "a/real/link")))

	_, viaParent := d.Open("a/b/file")
	_, last := d.Open("a/real/link")
	_, sub := d.Sub("a/b")
	_, made := d.Mkdir("a/b/c")
	_, base := OpenDir(filepath.Join(d.Path(), "a/b"))
	_, appended := d.OpenAppend("a/real/link")
	_, named := ReadRegular(filepath.Join(d.Path(), "a/real/link"), 10)
	_, locked := d.Lock("a/real/link")
	for what, err := range map[string]error{
		"parent": viaParent, "last": last, "sub": sub, "mkdir": made, "base": base,
		"append": appended, "named": named, "lock": locked, "write": d.WriteFile("a/b/file", nil),
	} {
		if !errors.Is(err, ErrSymlink) {
			t.Errorf("%s: got %v, want ErrSymlink", what, err)
		}
	}
	if data, err := real.ReadFile("file", 10); err != nil || string(data) != "x" {
		t.Errorf("file behind the link: %q, %v", data, err)
	}
}

func TestFolderStaysAnchoredWhenItsPathIsSwapped(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	sub, err := d.Mkdir("sub")
	must(t, err)
	must(t, d.Rename("sub", "moved"))
	_, err = d.Mkdir("sub")
	must(t, err)
	must(t, sub.WriteFile("file", []byte("x")))
	if _, err := d.Stat("moved/file"); err != nil {
		t.Error(err)
	}
}

// Would hang, and then fail by the test's deadline, if a FIFO were waited for.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	at := func(name string) string { return filepath.Join(d.Path(), name) }
	must(t, unix.Mkfifo(at("FIFO"), 0o600))
	must(t, os.Mkdir(at("folder"), 0o700))
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	must(t, err)
	defer func() { _ = unix.Close(fd) }()
	must(t, unix.Bind(fd, &unix.SockaddrUnix{Name: at("socket")}))
	for _, kind := range []string{"FIFO", "folder", "socket"} {
		_, open := d.Open(kind)
		_, appended := d.OpenAppend(kind)
		_, existing := d.OpenExisting(kind)
		_, read := d.ReadFile(kind, 10)
		_, named := ReadRegular(at(kind), 10)
		_, lock := d.Lock(kind)
		for _, err := range []error{open, appended, existing, read, named, lock} {
			if !errors.Is(err, ErrNotRegular) || !strings.Contains(err.Error(), kind) {
				t.Errorf("%s: got %v, want ErrNotRegular with its kind", kind, err)
			}
		}
	}
	if _, err := ReadRegular("/dev/null", 10); !errors.Is(err, ErrNotRegular) || !strings.Contains(err.Error(), "device") {
		t.Errorf("device: got %v", err)
	}
}

func TestReadingPassesOnMissingAndForbidden(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	if _, err := ReadRegular(filepath.Join(d.Path(), "none"), 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if os.Geteuid() == 0 {
		return // root may read everything
	}
	must(t, d.WriteFile("closed", nil))
	must(t, os.Chmod(filepath.Join(d.Path(), "closed"), 0))
	if _, err := d.ReadFile("closed", 10); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("forbidden: %v", err)
	}
}

func TestReadFileRefusesMoreThanTheLimit(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	must(t, d.WriteFile("file", []byte("12345")))
	if data, err := d.ReadFile("file", 5); err != nil || string(data) != "12345" {
		t.Errorf("at the limit: %q, %v", data, err)
	}
	if _, err := d.ReadFile("file", 4); !errors.Is(err, ErrTooLarge) {
		t.Errorf("above the limit: %v", err)
	}
}

func TestCreateRefusesAnyEntryOfThatName(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	must(t, os.Symlink("nowhere", filepath.Join(d.Path(), "link")))
	f, err := d.Create("file")
	must(t, err)
	defer func() { _ = f.Close() }()
	for _, name := range []string{"file", "link"} {
		if _, err := d.Create(name); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: got %v, want fs.ErrExist", name, err)
		}
	}
	entry, err := d.Stat("file")
	must(t, err)
	if entry.Mode() != 0o600 {
		t.Errorf("mode %v", entry.Mode())
	}
}

func TestAppendFileMustBeOursAndHaveOneName(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	at := func(name string) string { return filepath.Join(d.Path(), name) }
	f, err := d.OpenAppend("file")
	must(t, err)
	defer func() { _ = f.Close() }()
	if _, err := Write(f, []byte("abc")); err != nil {
		t.Fatal(err)
	}
	if size, err := d.Sole("file", f); err != nil || size != 3 {
		t.Errorf("size %d, %v", size, err)
	}
	must(t, os.Link(at("file"), at("second")))
	if _, err := d.OpenAppend("file"); !errors.Is(err, ErrHardLink) {
		t.Errorf("hard link: %v", err)
	}
	must(t, d.Remove("second"))
	must(t, d.WriteFile("other", nil))
	must(t, d.Rename("other", "file"))
	if _, err := d.Sole("file", f); !errors.Is(err, ErrReplaced) {
		t.Errorf("replaced: %v", err)
	}
	if _, err := d.OpenExisting("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if os.Geteuid() == 0 {
		must(t, os.Chown(at("file"), 1000, 1000))
		if _, err := d.OpenAppend("file"); !errors.Is(err, ErrOwner) {
			t.Errorf("owner: %v", err)
		}
	}
}

func FuzzAcceptedNamesStayBeneath(f *testing.F) {
	for _, seed := range []string{"a", "a/b", "..", "a/../..", "/", "a//b", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if checkName(name) != nil {
			return
		}
		if path.Clean(name) != name || path.IsAbs(name) || !filepath.IsLocal(name) {
			t.Errorf("%q was accepted", name)
		}
	})
}
