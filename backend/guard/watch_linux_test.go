package guard

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

// onlooker watches a folder and gathers what is seen.
type onlooker struct {
	t      *testing.T
	w      *Watcher
	seen   map[string]What
	missed []string
	blind  string
}

func watching(t *testing.T, root string, o WatchOptions) *onlooker {
	t.Helper()
	o.poll = 10 * time.Millisecond
	w, err := Watch(t.Context(), root, o)
	check(t, err)
	t.Cleanup(func() { check(t, w.Close()) })
	return &onlooker{t: t, w: w, seen: map[string]What{}}
}

// until takes news until something holds.
func (w *onlooker) until(what string, cond func() bool) {
	w.t.Helper()
	waitFor(w.t, what, func() bool {
		s := w.w.Take()
		for _, e := range s.Seen {
			if old, known := w.seen[e.Path]; known {
				e.What = joined(old, e.What)
			}
			w.seen[e.Path] = e.What
		}
		if s.Missed != "" {
			w.missed = append(w.missed, s.Missed)
		}
		w.blind = s.Blind
		return cond()
	})
}

func (w *onlooker) saw(path string, what What) {
	w.t.Helper()
	w.until(fmt.Sprintf("%s %s; seen are %v", path, what, w.seen), func() bool { return w.seen[path] == what })
}

func TestWatcherSeesEveryFileOfNewFolders(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	w := watching(t, root, WatchOptions{})
	var want []string
	for i := range 200 {
		name := fmt.Sprintf("a%d/b%d/c%d/leaf%d", i%5, i%20, i, i)
		write(t, filepath.Join(root, name), "x")
		want = append(want, name)
	}
	missing := func() (out []string) {
		for _, name := range want {
			if _, ok := w.seen[name]; !ok {
				out = append(out, name)
			}
		}
		return out
	}
	w.until("200 leaves", func() bool { return len(missing()) == 0 })
	if len(w.missed) > 0 || w.blind != "" {
		t.Errorf("missed %v, blind %q", w.missed, w.blind)
	}
}

func TestWatcherSaysWhatHappened(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, filepath.Join(root, "old"), "x")
	write(t, filepath.Join(root, "gone"), "x")
	write(t, filepath.Join(root, "mode"), "x")
	w := watching(t, root, WatchOptions{})
	write(t, filepath.Join(root, "new"), "x")
	write(t, filepath.Join(root, "old"), "y")
	check(t, os.Remove(filepath.Join(root, "gone")))
	check(t, os.Chmod(filepath.Join(root, "mode"), 0o600))
	w.saw("new", Added)
	w.saw("old", Content)
	w.saw("gone", Removed)
	w.saw("mode", Meta)
	if diff := cmp.Diff(map[string]What{"new": Added, "old": Content, "gone": Removed, "mode": Meta}, w.seen); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Editors write beside the file and rename over it, or move the old one away.
func TestWatcherSeesAtomicSaves(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, filepath.Join(root, "over"), "x")
	write(t, filepath.Join(root, "aside"), "x")
	ignored, err := Ignored([]string{"*~", "*.swp"})
	check(t, err)
	w := watching(t, root, WatchOptions{Ignored: ignored})
	write(t, filepath.Join(root, ".over.swp"), "y")
	check(t, os.Rename(filepath.Join(root, ".over.swp"), filepath.Join(root, "over")))
	check(t, os.Rename(filepath.Join(root, "aside"), filepath.Join(root, "aside~")))
	write(t, filepath.Join(root, "aside"), "y")
	w.until("both", func() bool { return w.seen["over"] != "" && w.seen["aside"] != "" && w.seen["aside"] != Removed })
	if diff := cmp.Diff(2, len(w.seen)); diff != "" {
		t.Errorf("%v: -want +got\n%s", w.seen, diff)
	}
}

func TestWatcherFollowsARenamedFolder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, filepath.Join(root, "a/b/c"), "x")
	w := watching(t, root, WatchOptions{})
	check(t, os.Rename(filepath.Join(root, "a"), filepath.Join(root, "z")))
	w.saw("a", Removed)
	w.saw("z/b/c", Added)
	delete(w.seen, "z/b/c")
	write(t, filepath.Join(root, "z/b/c"), "y")
	w.saw("z/b/c", Content)
	// Another folder of the old name is watched as well.
	write(t, filepath.Join(root, "a/b/d"), "x")
	w.saw("a/b/d", Added)
}

func TestWatcherIgnoresAndFollowsNoLink(t *testing.T) {
	t.Parallel()
	root, outside := t.TempDir(), t.TempDir()
	check(t, os.Symlink(outside, filepath.Join(root, "before")))
	ignored, err := Ignored([]string{"cache/"})
	check(t, err)
	w := watching(t, root, WatchOptions{Ignored: ignored})
	check(t, os.Symlink(outside, filepath.Join(root, "link")))
	write(t, filepath.Join(root, "sub/cache/x"), "x")
	write(t, filepath.Join(outside, "x"), "x")
	write(t, filepath.Join(root, "last"), "x")
	w.saw("last", Added)
	w.saw("sub", Added)
	for p := range w.seen {
		if p != "link" && p != "sub" && p != "last" {
			t.Errorf("%s was seen", p)
		}
	}
}

func TestWatcherSaysThatAReaderWasTooSlow(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	w := watching(t, root, WatchOptions{Pending: 10})
	for i := range 100 {
		write(t, filepath.Join(root, fmt.Sprint(i)), "x")
	}
	waitFor(t, "ten kept", func() bool {
		w.w.mu.Lock()
		defer w.w.mu.Unlock()
		return w.w.missed != ""
	})
	s := w.w.Take()
	if len(s.Seen) != 10 || s.Missed == "" || s.Blind != "" {
		t.Errorf("%d seen, missed %q, blind %q", len(s.Seen), s.Missed, s.Blind)
	}
	// What was dropped is not made up for, but what comes later is seen.
	w.until("later", func() bool {
		write(t, filepath.Join(root, "later"), "x")
		return w.seen["later"] != ""
	})
}

// The system's own queue is as long as it is; the goroutine that drains it is
// held up as a long listing would.
func TestWatcherSeesNewFoldersAfterAnOverflow(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	queue := 16384
	if b, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events"); err == nil {
		_, _ = fmt.Sscan(string(b), &queue)
	}
	if queue > 1<<17 {
		t.Skipf("the queue holds %d events", queue)
	}
	w := watching(t, root, WatchOptions{Pending: 100})
	w.w.mu.Lock() // the watcher cannot note anything, so it drains nothing
	name := filepath.Join(root, "f")
	for range queue { // two events each
		check(t, os.WriteFile(name, nil, 0o600))
		check(t, os.Remove(name))
	}
	check(t, os.MkdirAll(filepath.Join(root, "unseen", "deep"), 0o700))
	w.w.mu.Unlock()
	w.until("an overflow", func() bool { return strings.Contains(strings.Join(w.missed, "\n"), "than the system reports") })
	w.saw("unseen/deep", Added)
	clear(w.seen)
	write(t, filepath.Join(root, "unseen", "deep", "x"), "x")
	w.saw("unseen/deep/x", Added)
}

func TestWatcherSaysThatThereAreTooManyFolders(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	check(t, os.MkdirAll(filepath.Join(root, "a/b/c/d"), 0o700))
	w := watching(t, root, WatchOptions{Folders: 3})
	w.until("blindness", func() bool { return w.blind != "" })
	w.missed = nil
	w.until("another call for a rescan", func() bool { return len(w.missed) > 0 })
	// Where there is room again everything is seen again.
	check(t, os.RemoveAll(filepath.Join(root, "a/b")))
	w.until("sight", func() bool { return w.blind == "" })
}

func TestWatcherSaysThatItsFolderIsGoneAndComesBack(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "ws")
	check(t, os.Mkdir(root, 0o700))
	w := watching(t, root, WatchOptions{})
	check(t, os.Rename(root, root+".aside"))
	w.until("blindness", func() bool { return w.blind != "" })
	check(t, os.Mkdir(root, 0o700))
	w.until("sight", func() bool { return w.blind == "" })
	if len(w.missed) < 2 {
		t.Errorf("missed %v", w.missed)
	}
	write(t, filepath.Join(root, "x"), "x")
	w.saw("x", Added)
}

// With a limit of watches in a namespace of its own.
func TestWatcherSaysThatTheLimitOfWatchesIsReached(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	check(t, os.Chmod(root, 0o755))
	for i := range 40 {
		check(t, os.Mkdir(filepath.Join(root, fmt.Sprint(i)), 0o755))
	}
	cmd := exec.Command(self(t), "target", "watch-limit", root)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if err != nil && len(out) == 0 || strings.HasPrefix(string(out), "no limit") {
		t.Skipf("no limit can be set here: %v %s", err, out)
	}
	if got := string(out); err != nil || !strings.HasPrefix(got, "the system's limit") {
		t.Errorf("%q, %v", got, err)
	}
}

// limitedWatch is the child: it lowers its limit and says what a watcher says.
func limitedWatch(root string) int {
	if err := os.WriteFile("/proc/sys/user/max_inotify_watches", []byte("10"), 0o644); err != nil {
		fmt.Println("no limit:", err)
		return 0
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	w, err := Watch(context.Background(), root, WatchOptions{})
	must(err)
	s := w.Take()
	must(w.Close())
	fmt.Fprintln(out, s.Blind)
	if s.Missed == "" {
		fmt.Fprintln(out, "and no rescan")
		return 1
	}
	return 0
}

func TestWatcherLeavesNothingBehind(t *testing.T) {
	// Not parallel: goroutines of other tests would be in the way.
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	root := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	w, err := Watch(ctx, root, WatchOptions{})
	check(t, err)
	write(t, filepath.Join(root, "x"), "x")
	<-w.News()
	cancel()
	check(t, w.Close())
	if _, err := Watch(context.Background(), filepath.Join(root, "none"), WatchOptions{}); err == nil {
		t.Error("a folder that is not there is watched")
	}
}
