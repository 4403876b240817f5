package safefs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestMakeDirRefusesFoldersOthersMayWrite(t *testing.T) {
	t.Parallel()
	base := tempDir(t).Path()
	for _, c := range []struct {
		mode fs.FileMode
		want error
	}{
		{0o700, nil},
		{0o755, nil},
		{0o770, ErrShared},
		{0o702, ErrShared},
		{0o777 | fs.ModeSticky, nil},
	} {
		path := filepath.Join(base, c.mode.String())
		must(t, os.Mkdir(path, 0o700))
		must(t, os.Chmod(path, c.mode))
		for _, p := range []string{path, filepath.Join(path, "new/er")} {
			d, err := MakeDir(p)
			if !errors.Is(err, c.want) {
				t.Errorf("%v: got %v, want %v", c.mode, err, c.want)
			}
			if err == nil {
				must(t, d.Close())
			}
		}
	}
}

func TestMkdirMakesPrivateFoldersAndAcceptsExistingOnes(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	for range 2 {
		sub, err := d.Mkdir("a/b/c")
		must(t, err)
		must(t, sub.Close())
	}
	entry, err := d.Stat("a/b/c")
	must(t, err)
	if entry.Mode() != fs.ModeDir|0o700 {
		t.Errorf("mode %v", entry.Mode())
	}
	must(t, d.WriteFile("a/file", nil))
	if _, err := d.Mkdir("a/file"); !errors.Is(err, unix.ENOTDIR) {
		t.Errorf("over a file: %v", err)
	}
}

func TestRenameMovesBetweenFolders(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	from, err := d.Mkdir("from")
	must(t, err)
	to, err := d.Mkdir("to/deep")
	must(t, err)
	must(t, from.WriteFile("b", []byte("b")))
	must(t, from.WriteFile("a", []byte("a")))
	must(t, from.RenameTo("a", d, "to/deep/c"))
	must(t, from.Rename("b", "d"))
	must(t, d.Sync())

	left, err := from.Names()
	must(t, err)
	right, err := to.Names()
	must(t, err)
	if diff := cmp.Diff([][]string{{"d"}, {"c"}}, [][]string{left, right}); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

func TestNamesAreSortedEachTime(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	for _, name := range []string{"b", "a", "C"} {
		must(t, d.WriteCache(name, nil))
	}
	for range 2 {
		got, err := d.Names()
		must(t, err)
		if diff := cmp.Diff([]string{"C", "a", "b"}, got); diff != "" {
			t.Errorf("names (-want +got):\n%s", diff)
		}
	}
}

func TestRemoveAllFollowsNoLink(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	for _, name := range []string{"tree/deep", "kept"} {
		_, err := d.Mkdir(name)
		must(t, err)
	}
	must(t, d.WriteFile("kept/file", nil))
	must(t, d.WriteFile("tree/deep/file", nil))
	must(t, os.Symlink("../kept", filepath.Join(d.Path(), "tree/link")))
	if err := d.Remove("tree"); !errors.Is(err, unix.ENOTEMPTY) {
		t.Errorf("Remove of a full folder: %v", err)
	}
	for range 2 {
		must(t, d.RemoveAll("tree"))
	}
	if _, err := d.Stat("kept/file"); err != nil {
		t.Error(err)
	}
	must(t, d.Remove("kept/file"))
	must(t, d.Remove("kept"))
	if got, err := d.Names(); err != nil || len(got) != 0 {
		t.Errorf("left: %v, %v", got, err)
	}
}

func TestStatDescribesTheEntryItself(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	at := func(name string) string { return filepath.Join(d.Path(), name) }
	must(t, d.WriteFile("file", []byte("abc")))
	must(t, os.Chmod(at("file"), 0o640|fs.ModeSetgid|fs.ModeSticky))
	must(t, os.Symlink("file", at("link")))
	must(t, unix.Mkfifo(at("fifo"), 0o600))
	for _, name := range []string{"file", "link", "fifo"} {
		want, err := os.Lstat(at(name))
		must(t, err)
		got, err := d.Stat(name)
		must(t, err)
		type facts struct {
			Name string
			Size int64
			Mode fs.FileMode
			Time int64
			Dir  bool
		}
		view := func(i fs.FileInfo) facts {
			return facts{i.Name(), i.Size(), i.Mode(), i.ModTime().UnixNano(), i.IsDir()}
		}
		if diff := cmp.Diff(view(want), view(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
