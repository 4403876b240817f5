package guard

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// scanElsewhere scans in a process with few descriptors that is not root.
func scanElsewhere(t *testing.T, dir string) map[string]string {
	t.Helper()
	own, err := Binary()
	check(t, err)
	defer own.Close()
	c := exec.Command(own.Path, "target", "scan", dir)
	c.Dir, c.Stderr = "/", os.Stderr
	if os.Getuid() == 0 {
		check(t, os.Chmod(filepath.Dir(dir), 0o755)) // t.TempDir is private above
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 1000, Gid: 1000}}
	}
	out, err := c.Output()
	check(t, err)
	got := map[string]string{}
	check(t, json.Unmarshal(out, &got))
	return got
}

func TestScanRecordsWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "secret"), "x")
	write(t, filepath.Join(dir, "closed/inside"), "x")
	write(t, filepath.Join(dir, "blind/inside"), "x")
	for name, mode := range map[string]os.FileMode{"secret": 0, "closed": 0, "blind": 0o444} {
		path := filepath.Join(dir, name)
		check(t, os.Chmod(path, mode))
		t.Cleanup(func() { check(t, os.Chmod(path, 0o755)) })
	}
	want := map[string]string{
		"": "1 5", "secret": "permission denied", "closed": "permission denied",
		"blind/inside": "permission denied",
	}
	if diff := cmp.Diff(want, scanElsewhere(t, dir)); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

// TestScanReachesAnyDepthWithFewDescriptors has a second folder at each level,
// so that every closed ancestor must be found again on the way back.
func TestScanReachesAnyDepthWithFewDescriptors(t *testing.T) {
	t.Parallel()
	const depth = 2500
	dir := t.TempDir()
	t.Cleanup(func() { check(t, exec.Command("rm", "-rf", "--", dir).Run()) })
	at, err := unix.Open(dir, dirFlags, 0)
	check(t, err)
	for i := range depth {
		// Names in turn, as one order of listing them may hold everywhere.
		down, side := "one", "two"
		if i%2 == 0 {
			down, side = side, down
		}
		check(t, unix.Mkdirat(at, down, 0o755))
		check(t, unix.Mkdirat(at, side, 0o755))
		check(t, os.WriteFile("/proc/self/fd/"+strconv.Itoa(at)+"/"+side+"/file", []byte("x"), 0o644))
		next, err := unix.Openat(at, down, dirFlags, 0)
		check(t, err)
		check(t, unix.Close(at))
		at = next
	}
	check(t, unix.Close(at))
	if len("one/")*depth < unix.PathMax {
		t.Fatal("the deepest path is not longer than the system takes")
	}
	want := map[string]string{"": strconv.Itoa(depth) + " " + strconv.Itoa(3*depth+1)}
	if diff := cmp.Diff(want, scanElsewhere(t, dir)); diff != "" {
		t.Errorf("files, entries and errors (-want +got):\n%s", diff)
	}
}

// TestScanIsNotLedOutsideByMovingFolders takes two ancestors away while the
// walk is far below them and has let go of both.
func TestScanIsNotLedOutsideByMovingFolders(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "secret/secret"), "x")
	const depth = maxOpenDirs + 20
	at, upper, lower := dir, "", ""
	for i := range depth {
		down, side := "one", "two"
		if i%2 == 0 {
			down, side = side, down
		}
		check(t, os.MkdirAll(filepath.Join(at, side, "in"), 0o755))
		at = filepath.Join(at, down)
		check(t, os.Mkdir(at, 0o755))
		switch i {
		case 4:
			upper = at
		case 9:
			lower = at
		}
	}
	write(t, filepath.Join(at, "deepest"), "x")
	m := scanned(t, dir, ScanOptions{Skip: func(p string) bool {
		if filepath.Base(p) == "deepest" {
			check(t, os.Rename(lower, filepath.Join(outside, "secret/lower")))
			check(t, os.Rename(upper, filepath.Join(outside, "secret/upper")))
		}
		return false
	}})
	lost := 0
	for _, e := range m.Entries {
		if strings.Contains(e.Path, "secret") {
			t.Errorf("came to %q outside", e.Path)
		}
		if e.Err == moved {
			lost++
		}
	}
	if lost == 0 {
		t.Error("no folder is recorded as moved away")
	}
}

func TestScanRecordsSocketsWithoutOpeningThem(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "s") // socket paths must be short
	check(t, err)
	t.Cleanup(func() { check(t, os.RemoveAll(dir)) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	check(t, err)
	defer func() { _ = l.Close() }()
	e, ok := scanned(t, dir, ScanOptions{}).Lookup("s")
	if !ok || e.Kind() != "socket" || e.Err != "" {
		t.Errorf("entry %+v", e)
	}
}

func TestScanDoesNotEnterOtherFileSystems(t *testing.T) {
	t.Parallel()
	var root, shm unix.Stat_t
	if unix.Stat("/dev", &root) != nil || unix.Stat("/dev/shm", &shm) != nil || root.Dev == shm.Dev {
		t.Skip("/dev/shm is no mount here")
	}
	e, _ := scanned(t, "/dev", ScanOptions{}).Lookup("shm")
	if e == nil || e.Err != otherFS {
		t.Errorf("a mount: %+v", e)
	}
}

func TestDiffSeesExtendedAttributesByCtime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	write(t, path, "x")
	settle(t, dir)
	base := scanned(t, dir, ScanOptions{SyncFirst: true})
	if err := unix.Setxattr(path, "user.note", []byte("x"), 0); errors.Is(err, unix.ENOTSUP) {
		t.Skip("no extended attributes here")
	} else {
		check(t, err)
	}
	got := Diff(base, scanned(t, dir, ScanOptions{Base: base}))
	if len(got) != 1 || got[0].What != Meta {
		t.Errorf("changes %+v, want one of meta", got)
	}
}

// TestDiffSeesStoresThroughAnOldMemoryMap is the one write that a plain stat
// manifest misses: to a page that was dirty before the baseline.
func TestDiffSeesStoresThroughAnOldMemoryMap(t *testing.T) {
	t.Parallel()
	for _, parent := range []string{t.TempDir(), "/dev/shm"} {
		dir, err := os.MkdirTemp(parent, "guard")
		if err != nil {
			continue // no such place here
		}
		t.Cleanup(func() { check(t, os.RemoveAll(dir)) })
		path := filepath.Join(dir, "f")
		write(t, path, strings.Repeat("x", 4096))
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		check(t, err)
		mem, err := unix.Mmap(int(f.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		check(t, err)
		check(t, f.Close())
		mem[0] = 'y'
		settle(t, dir)
		base := scanned(t, dir, ScanOptions{SyncFirst: true})
		mem[0] = 'z'
		got := Diff(base, scanned(t, dir, ScanOptions{Base: base}))
		if len(got) != 1 || got[0].What != Content {
			t.Errorf("in %s: changes %+v, want one of content", parent, got)
		}
		check(t, unix.Munmap(mem))
	}
}

func FuzzParseStat(f *testing.F) {
	row, err := os.ReadFile("/proc/self/stat")
	check(f, err)
	f.Add(row)
	f.Add([]byte("7 (a) b) (c) Z 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 99 0"))
	f.Add([]byte(")("))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := parseStat(b)
		if err != nil && p != (proc{}) {
			t.Errorf("%q: both %+v and %v", b, p, err)
		}
	})
}

func TestParseStatIsNotFooledByTheName(t *testing.T) {
	t.Parallel()
	row := func(state, threads string) []byte {
		return []byte("7 (a) Z 1 (b) " + state + " 5 8 6 0 -1 0 0 0 0 0 0 0 0 0 20 0 " + threads + " 0 99 0\n")
	}
	for _, c := range []struct {
		state, threads string
		zombie         bool
	}{{"S", "1", false}, {"Z", "1", true}, {"Z", "2", false}, {"X", "0", true}} {
		got, err := parseStat(row(c.state, c.threads))
		check(t, err)
		want := proc{pid: 7, ppid: 5, pgrp: 8, session: 6, start: 99, zombie: c.zombie}
		if got != want {
			t.Errorf("state %s, %s threads: %+v, want %+v", c.state, c.threads, got, want)
		}
	}
}
