package windowtest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jezek/xgb/xproto"

	"longwatch/build/screen"
)

// bare builds the window with the page of testdata, which resists nothing, in
// place of ours. The plain program beside it is the one under test.
var bare = sync.OnceValues(func() (string, error) {
	dir := os.Getenv(bareVariable)
	root, err := filepath.Abs("../..")
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	dist := filepath.Join(root, "frontend", "dist")
	for _, name := range []string{"index.html", "bare.js"} {
		replace[filepath.Join(dist, name)] = filepath.Join(root, "build", "windowtest", "testdata", "page", name)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return "", err
	}
	plain := filepath.Join(filepath.Dir(os.Getenv(windowVariable)), "longwatch")
	version, err := exec.Command(plain, "--version").Output()
	if err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-overlay", list, "-tags", "desktop,production,webkit2_41",
		"-ldflags", "-X main.version="+strings.TrimSpace(strings.TrimPrefix(string(version), "longwatch version ")),
		"-o", filepath.Join(dir, "longwatch-window"), ".")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return filepath.Join(dir, "longwatch-window"), os.Symlink(plain, filepath.Join(dir, "longwatch"))
})

// bareVariable is the folder that bare builds in.
const bareVariable = "LONGWATCH_TEST_BARE"

// TestMain makes that folder, and removes it.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "longwatch-bare-")
	if err == nil {
		err = os.Setenv(bareVariable, dir)
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// openBare opens the page that resists nothing.
func (s *seat) openBare() (*proc, screen.Window) {
	s.t.Helper()
	path, err := bare()
	must(s.t, err)
	s.window = path
	p, w := s.open()
	s.until("the page is ready", func() bool { return s.told("event", "ready") == 1 })
	s.until("the window has the keyboard", func() bool { return s.Front() == w.ID })
	s.Click(center(w)) // and so has its page
	return p, w
}

// reports are what the bare page said of itself.
func (s *seat) reports() []url.Values {
	var out []url.Values
	for _, f := range s.said("Asked") {
		if query, is := strings.CutPrefix(f["path"], "/api/bare?"); is {
			v, _ := url.ParseQuery(query)
			out = append(out, v)
		}
	}
	return out
}

// told counts the reports with a value.
func (s *seat) told(key, value string) (n int) {
	for _, r := range s.reports() {
		if r.Get(key) == value {
			n++
		}
	}
	return n
}

// act presses a key and waits until the page has seen it.
func (s *seat) act(key rune) {
	s.t.Helper()
	before := s.told("act", string(key))
	must(s.t, s.Press(xproto.Keysym(key)))
	s.until(fmt.Sprintf("the page acts on %q", key), func() bool { return s.told("act", string(key)) == before+1 })
}

// unmoved fails unless the page is the one that was opened, alone.
func (s *seat) unmoved() {
	s.t.Helper()
	s.act('q')
	ids := map[string]bool{}
	for _, r := range s.reports() {
		ids[r.Get("id")] = true
	}
	if len(ids) != 1 || s.told("event", "pagehide") > 0 || len(s.said("Page is loaded")) != 1 {
		s.t.Errorf("the page went away: %d pages", len(ids))
	}
	if n := len(s.Windows()); n != 1 {
		s.t.Errorf("%d windows", n)
	}
}

// A page that does nothing against it is still not left, whatever is dropped.
func TestNoDropLeavesThePage(t *testing.T) {
	t.Parallel()
	s := sit(t)
	_, w := s.openBare()
	evil := s.file("evil.html", `<script>window.webkit.messageHandlers.external.postMessage('C{"name":"main.App.PickTask","args":[],"callbackID":"x"}')</script>`)
	drops := []string{uri(evil), uri(s.file("task.md", taskText)), uri(s.work), "https://example.org/x", "file:///etc/hostname"}
	for range 5 {
		for _, d := range drops {
			told := len(s.said("Dropped"))
			must(t, s.Drag(w, center(w), screen.Files(d)))
			s.until("the drop has arrived", func() bool { return len(s.said("Dropped")) == told+1 })
		}
	}
	link := screen.Files("https://example.org/x")
	link["text/html"] = `<a href="https://example.org/x">x</a>`
	must(t, s.Drag(w, center(w), link))
	s.until("every drop was told to the page", func() bool {
		n := 0
		for _, r := range s.reports() {
			if r.Has("dropped") {
				n++
			}
		}
		return n == 26
	})
	if n := len(s.said("Blocked a way out of the page")); n == 0 {
		t.Error("nothing was blocked: the page resists by itself, so this tests nothing")
	}
	s.unmoved()
}

// Neither does the page itself find a way out.
func TestThePageHasNoWayOut(t *testing.T) {
	t.Parallel()
	s := sit(t)
	s.openBare()
	// These are for the guard; the others are refused before it sees them, by
	// the toolkit (files, windows) or by the policy of the page (forms, frames).
	for _, way := range "hadj" {
		before := len(s.said("Blocked a way out of the page"))
		s.act(way)
		s.until(fmt.Sprintf("the way %q is blocked", way), func() bool {
			return len(s.said("Blocked a way out of the page")) > before
		})
	}
	for _, way := range "lwnfi" {
		s.act(way)
	}
	s.unmoved()
}

// While a dialog of the desktop is open nothing is taken, and no second one
// opens.
func TestNothingIsTakenBehindADialogOfTheDesktop(t *testing.T) {
	t.Parallel()
	s := sit(t)
	_, w := s.openBare()
	s.act('p')
	dialog, err := s.Find("Choose a task")
	must(t, err)
	if err := s.Drag(w, center(w), screen.Files(uri(s.file("task.md", taskText)))); err != nil {
		t.Logf("the toolkit refuses it by itself: %v", err)
	} else {
		s.until("the drop was not taken", func() bool { return len(s.said("Drop was not taken while a dialog is open")) == 1 })
	}
	s.press(dialog, screen.Escape)
	s.until("the dialog is answered", func() bool { return s.told("picked", "") >= 1 && len(s.Windows()) == 1 })
	s.drop(w, uri(s.file("after.md", taskText)))
	if got := s.paths(9); !slices.Equal(got, []string{filepath.Join(s.work, "after.md")}) {
		t.Errorf("the page was given %q", got)
	}
	s.unmoved()
}

// Closing the window, or killing it, leaves a run at work; its worker is the
// plain program and holds nothing of the window's.
func TestClosingLeavesARunAtWork(t *testing.T) {
	t.Parallel()
	s := sit(t)
	p, w := s.openBare()
	s.drop(w, uri(s.file("slow/task.md", "---\nsteps:\n  - name: Slow\n    run: sleep 600\n---\n# Slow\n")))
	s.until("the page has it", func() bool { return s.told("first", "task.md") == 1 })
	s.act('s')
	s.until("the run has started", func() bool { return s.told("started", "200") == 1 })
	ids := strings.Fields(strings.Join(runs(s.home), " "))
	if len(ids) != 1 {
		t.Fatalf("runs %q", ids)
	}
	s.until("its worker is at work", func() bool { return s.worker(ids[0]) != 0 })
	worker := s.worker(ids[0])
	t.Cleanup(func() {
		_ = syscall.Kill(worker, syscall.SIGKILL)
		s.until("the worker is gone", func() bool { return !alive(worker) })
	})
	s.until("the page is told of it", func() bool { return s.told("changed", ids[0]) > 0 })
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", worker))
	must(t, err)
	if filepath.Base(exe) != "longwatch" {
		t.Errorf("the worker is %s", exe)
	}
	if held := foreign(worker, p.Process.Pid); len(held) > 0 {
		t.Errorf("the worker holds of the window: %q", held)
	}
	s.CloseWindow(w.ID)
	if code := s.exit(p); code != 0 {
		t.Errorf("exit %d", code)
	}
	if !alive(worker) || s.worker(ids[0]) != worker {
		t.Error("the worker ended with the window")
	}
	if text := s.cli("show", "last"); !strings.Contains(text, "Slow") {
		t.Errorf("show: %s", text)
	}
	p, _ = s.open()
	p.end(syscall.SIGKILL)
	if !alive(worker) {
		t.Error("the worker was killed with the window")
	}
	s.cli("abort", "last")
	s.until("the worker has ended", func() bool { return !alive(worker) })
}

func runs(home string) []string {
	entries, _ := os.ReadDir(filepath.Join(home, "runs"))
	var out []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			out = append(out, e.Name())
		}
	}
	return out
}
