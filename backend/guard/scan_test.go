package guard

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func scanned(t testing.TB, root string, o ScanOptions) *Manifest {
	t.Helper()
	m, err := Scan(context.Background(), root, o)
	check(t, err)
	return m
}

// settle returns once a write now gets another ctime than all before it, and
// is out of the racy window of a scan that starts afterwards.
func settle(t testing.TB, dir string) {
	t.Helper()
	probe := filepath.Join(t.TempDir(), "probe")
	var first, now unix.Stat_t
	write(t, probe, "")
	check(t, unix.Stat(probe, &first))
	waitFor(t, "the clock of "+dir, func() bool {
		write(t, probe, "")
		return unix.Stat(probe, &now) == nil && now.Ctim.Nano()-first.Ctim.Nano() > 2*racyWindow
	})
}

// brief is what a test wants to see of an entry.
type brief struct {
	Kind, Link, Err string
	Size            int64
	Content         bool // the hash is that of the content
}

func TestScanRecordsEveryKindOfEntry(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), "content")
	write(t, filepath.Join(dir, "sub/new\nline"), "x")
	write(t, filepath.Join(dir, "sub/\xff\xfe"), "invalid")
	check(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	check(t, os.Symlink(".", filepath.Join(dir, "loop")))
	check(t, unix.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	check(t, os.Link(filepath.Join(dir, "file"), filepath.Join(dir, "hard")))
	check(t, os.WriteFile(filepath.Join(dir, "setuid"), nil, 0o755))
	check(t, os.Chmod(filepath.Join(dir, "setuid"), 0o755|os.ModeSetuid))
	want := map[string]brief{
		".":             {Kind: "dir"},
		"file":          {Kind: "file", Size: 7, Content: true},
		"hard":          {Kind: "file", Size: 7, Content: true},
		"setuid":        {Kind: "file", Content: true},
		"sub":           {Kind: "dir"},
		"sub/new\nline": {Kind: "file", Size: 1, Content: true},
		"sub/\xff\xfe":  {Kind: "file", Size: 7, Content: true},
		"dangling":      {Kind: "symlink", Link: "nowhere", Size: 7},
		"loop":          {Kind: "symlink", Link: ".", Size: 1},
		"fifo":          {Kind: "fifo"},
	}
	m := scanned(t, dir, ScanOptions{})
	got := map[string]brief{}
	for _, e := range m.Entries {
		b := brief{Kind: e.Kind(), Link: e.Link, Err: e.Err, Size: e.Size}
		if e.isFile() { // a FIFO would never open
			text, err := os.ReadFile(filepath.Join(dir, e.Path))
			check(t, err)
			b.Content = e.Hash == sha256.Sum256(text)
		}
		got[e.Path] = b
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if e, _ := m.Lookup("setuid"); e.Mode&unix.S_ISUID == 0 {
		t.Error("the setuid bit is not in the mode")
	}
	if e, _ := m.Lookup("hard"); e.Nlink != 2 {
		t.Errorf("hard link count %d, want 2", e.Nlink)
	}
	if m.Files != 5 || m.Hashed != 5 || m.Bytes != 22 {
		t.Errorf("counted files %d, hashed %d, bytes %d; want 5, 5, 22", m.Files, m.Hashed, m.Bytes)
	}
}

func TestScanHashesSparseFilesAsTheirContent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "d", "sparse")
	write(t, path, "")
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	check(t, err)
	defer func() { _ = f.Close() }()
	for _, off := range []int64{1 << 20, 5<<20 + 13} {
		_, err := f.WriteAt([]byte("island"), off)
		check(t, err)
	}
	check(t, f.Truncate(8<<20+5))
	text, err := os.ReadFile(path)
	check(t, err)
	e, _ := scanned(t, filepath.Dir(path), ScanOptions{}).Lookup("sparse")
	if e.Hash != sha256.Sum256(text) || e.Size != int64(len(text)) {
		t.Errorf("sparse file: hash %x, size %d", e.Hash, e.Size)
	}
}

func TestScanFindsThousandsOfFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 3000 {
		write(t, filepath.Join(dir, strconv.Itoa(i%40), strconv.Itoa(i)), strconv.Itoa(i))
	}
	m := scanned(t, dir, ScanOptions{})
	if m.Files != 3000 || len(m.Entries) != 3041 {
		t.Errorf("%d files in %d entries, want 3000 in 3041", m.Files, len(m.Entries))
	}
	for i := range 3000 {
		e, ok := m.Lookup(fmt.Sprintf("%d/%d", i%40, i))
		if !ok || e.Hash != sha256.Sum256([]byte(strconv.Itoa(i))) {
			t.Fatalf("file %d: %+v", i, e)
		}
	}
}

func TestScanReusesHashesOnlyOfUntouchedFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if fd, err := unix.Open(dir, unix.O_RDONLY, 0); err != nil || !timesTell(fd) {
		t.Skip("this file system's times do not tell of every write")
	}
	for _, name := range []string{"a", "b", "c"} {
		write(t, filepath.Join(dir, name), name)
	}
	settle(t, dir)
	base := scanned(t, dir, ScanOptions{SyncFirst: true})
	write(t, filepath.Join(dir, "b"), "B")
	next := scanned(t, dir, ScanOptions{Base: base})
	if next.Hashed != 1 {
		t.Errorf("read %d files, want only the written one", next.Hashed)
	}
	if got := scanned(t, dir, ScanOptions{Base: base, FullHash: true}); got.Hashed != 3 {
		t.Errorf("full hash read %d files, want 3", got.Hashed)
	}
	racy := *base
	e, _ := base.Lookup("a")
	racy.Start = e.Ctime + racyWindow
	if got := scanned(t, dir, ScanOptions{Base: &racy}); got.Hashed != 3 {
		t.Errorf("with a base made right after the writes: read %d files, want 3", got.Hashed)
	}
	e.Unstable = true
	if got := scanned(t, dir, ScanOptions{Base: base}); got.Hashed != 2 {
		t.Errorf("with an unstable entry in the base: read %d files, want 2", got.Hashed)
	}
}

func TestScanMarksAFileThatKeepsChanging(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "busy")
	write(t, path, "")
	check(t, os.Truncate(path, 64<<20))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := int64(0); ; i++ {
			select {
			case <-stop:
				return
			default:
				_ = os.Chtimes(path, time.Time{}, time.Unix(i, 0))
			}
		}
	}()
	m := scanned(t, dir, ScanOptions{})
	close(stop)
	<-stopped
	e, _ := m.Lookup("busy")
	if !e.Unstable || e.Hash != [32]byte{} || m.Hashed != hashTries {
		t.Errorf("unstable %t, hash %x, tries %d", e.Unstable, e.Hash, m.Hashed)
	}
	if got := Diff(m, m); len(got) != 1 || got[0].What != Content || got[0].Path != "busy" {
		t.Errorf("difference to itself %+v, want content of busy: it is unknown", got)
	}
}

func TestScanSkipsAndLimits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "keep/a"), "a")
	write(t, filepath.Join(dir, "skip/b/c"), "b")
	write(t, filepath.Join(dir, "big"), "12345")
	m := scanned(t, dir, ScanOptions{MaxHash: 4, Skip: func(p string) bool { return p == "skip" }})
	var paths []string
	for _, e := range m.Entries {
		paths = append(paths, e.Path)
	}
	if diff := cmp.Diff([]string{".", "big", "keep", "keep/a"}, paths); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
	if e, _ := m.Lookup("big"); e.Err == "" || e.Hash != [32]byte{} {
		t.Errorf("a file over MaxHash: %+v, want an error and no hash", e)
	}
	if _, err := Scan(context.Background(), dir, ScanOptions{MaxEntries: 4}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("over MaxEntries: %v, want ErrTooLarge", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Scan(ctx, dir, ScanOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestScanNamesWhatIsWrongWithTheRoot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), "")
	check(t, os.Symlink(".", filepath.Join(dir, "link")))
	check(t, os.Mkdir(filepath.Join(dir, "root"), 0o755))
	check(t, os.Mkdir(filepath.Join(dir, "root/sub"), 0o755))
	swap := func(string) bool {
		check(t, os.Rename(filepath.Join(dir, "root"), filepath.Join(dir, "was")))
		check(t, os.Mkdir(filepath.Join(dir, "root"), 0o755))
		return false
	}
	for name, c := range map[string]struct {
		root string
		skip func(string) bool
		want error
	}{
		"missing":          {"absent", nil, ErrRootMissing},
		"a file":           {"file", nil, ErrRootNotDir},
		"a symbolic link":  {"link", nil, ErrRootNotDir},
		"replaced in time": {"root", swap, ErrRootReplaced},
	} {
		_, err := Scan(context.Background(), filepath.Join(dir, c.root), ScanOptions{Skip: c.skip})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestDigestIsOfContentAlone(t *testing.T) {
	t.Parallel()
	one, two := t.TempDir(), t.TempDir()
	for _, dir := range []string{one, two} {
		check(t, os.Chmod(dir, 0o755))
		write(t, filepath.Join(dir, "a/b"), "same")
		check(t, os.Symlink("a", filepath.Join(dir, "l")))
	}
	check(t, os.Chtimes(filepath.Join(two, "a/b"), time.Time{}, time.Unix(1, 0)))
	digest := func(dir string) string { return scanned(t, dir, ScanOptions{}).Digest() }
	want := digest(one)
	if got := digest(two); got != want {
		t.Errorf("same content, other times and inodes: %s, want %s", got, want)
	}
	seen := map[string]string{want: "the original"}
	for name, change := range map[string]func() error{
		"content":    func() error { return os.WriteFile(filepath.Join(two, "a/b"), []byte("othe"), 0o644) },
		"mode":       func() error { return os.Chmod(filepath.Join(two, "a/b"), 0o755) },
		"a new file": func() error { return os.WriteFile(filepath.Join(two, "n"), nil, 0o644) },
		"link target": func() error {
			return errors.Join(os.Remove(filepath.Join(two, "l")), os.Symlink("n", filepath.Join(two, "l")))
		},
	} {
		check(t, change())
		got := digest(two)
		if other, ok := seen[got]; ok {
			t.Errorf("after a change of %s the digest is that of %s", name, other)
		}
		seen[got] = name
	}
}

func BenchmarkScan(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		dir := b.TempDir()
		for i := range n {
			write(b, filepath.Join(dir, strconv.Itoa(i%(n/50)), strconv.Itoa(i)), fmt.Sprintf("%01000d", i))
		}
		settle(b, dir)
		base := scanned(b, dir, ScanOptions{SyncFirst: true})
		for name, o := range map[string]ScanOptions{"full": {}, "base": {Base: base}} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				for b.Loop() {
					scanned(b, dir, o)
				}
			})
		}
	}
}
