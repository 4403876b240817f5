package windowtest

import (
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A second start ends at once, and the window that is there comes to the front;
// only then, and with the file that was named.
func TestASecondStartRaisesTheFirst(t *testing.T) {
	t.Parallel()
	s := sit(t)
	_, w := s.open()
	cover, err := s.Cover("in front")
	must(t, err)
	s.until("the other window is in front", func() bool { return s.Top() == cover.ID })
	path := s.file("named.md", taskText)
	s.drop(w, uri(s.file("dropped.md", taskText)))
	s.until("the page has taken the drop", func() bool { return s.asked("POST", "/api/inspect") == 1 })
	if s.Top() != cover.ID {
		t.Error("the window came to the front because of a drop")
	}
	second := s.start("named.md") // relative to where it is started
	if code := s.exit(second); code != 0 {
		t.Fatalf("exit %d\n%s", code, second.out)
	}
	s.until("the window is in front and has the keyboard", func() bool { return s.Top() == w.ID && s.Front() == w.ID })
	s.until("the file is shown", func() bool { return s.asked("POST", "/api/inspect") == 2 })
	if got := s.paths(1); len(got) != 1 || got[0] != path {
		t.Errorf("the page was given %q, want %q", got, path)
	}
	if n := len(s.Windows()); n != 2 {
		t.Errorf("%d windows", n)
	}
}

// A file named at the first start is shown as soon as the page listens.
func TestAFileNamedAtTheStartIsShown(t *testing.T) {
	t.Parallel()
	s := sit(t)
	path := s.file("at the start.md", taskText)
	s.open(path)
	s.until("the file is shown", func() bool { return s.asked("POST", "/api/inspect") == 1 })
	missing := s.start("missing.md")
	if code := s.exit(missing); code != 1 || !strings.Contains(missing.out.String(), "missing.md") {
		t.Errorf("a file that is not there: exit %d, %s", code, missing.out)
	}
}

// Two state folders are two windows.
func TestEachStateFolderHasItsWindow(t *testing.T) {
	t.Parallel()
	s := sit(t)
	s.open()
	first := s.home
	s.home = filepath.Join(s.work, strings.Repeat("a-long-name/", 12), "state") // longer than a socket's path may be
	s.open()
	s.until("there are two windows", func() bool { return len(s.Windows()) == 2 })
	second := s.start()
	if code := s.exit(second); code != 0 {
		t.Errorf("a second start at a long path: exit %d\n%s", code, second.out)
	}
	if n := len(s.said("Called by a second start")); n != 1 {
		t.Errorf("called %d times", n)
	}
	s.home = first
	if n := len(s.said("Called by a second start")); n != 0 {
		t.Errorf("the other window was called %d times", n)
	}
}

// A killed window leaves nothing that has to be cleaned up.
func TestAKilledWindowCanBeStartedAgain(t *testing.T) {
	t.Parallel()
	s := sit(t)
	for range 3 {
		p, w := s.open()
		helpers := children(p.Process.Pid)
		if len(helpers) == 0 {
			t.Error("a page without a process of its own")
		}
		p.end(syscall.SIGKILL)
		s.until("its window is gone", func() bool { return len(s.Windows()) == 0 })
		s.until("its helpers are gone", func() bool {
			for _, pid := range helpers {
				if alive(pid) {
					return false
				}
			}
			return true
		})
		_ = w
	}
	p, w := s.open()
	s.CloseWindow(w.ID)
	if code := s.exit(p); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// Where the window was, it is again.
func TestTheWindowIsWhereItWas(t *testing.T) {
	t.Parallel()
	s := sit(t)
	p, w := s.open()
	want := image.Rect(60, 70, 60+1010, 70+640)
	s.Resize(w.ID, want)
	s.until("it has its new size", func() bool { return s.rect().Size() == want.Size() })
	s.CloseWindow(w.ID)
	s.exit(p)
	was := s.rectWas
	p, w = s.open()
	s.until("it is where it was", func() bool { return s.rect() == was })
	// A place that no screen has is not used.
	s.CloseWindow(w.ID)
	s.exit(p)
	look := filepath.Join(s.home, "window", "look.json")
	must(t, os.WriteFile(look, []byte(`{"width":1000,"height":700,"x":5000,"y":5000,"placed":true}`), 0o600))
	_, _ = s.open()
	s.until("it is on the screen", func() bool { return s.rect().In(image.Rect(0, 0, 1400, 900)) && s.rect().Dx() == 1000 })
	must(t, os.WriteFile(look, []byte("rubbish"), 0o600))
}

// rect is where the window is now, and remembers it.
func (s *seat) rect() image.Rectangle {
	for _, w := range s.Windows() {
		if w.Name == "Longwatch" {
			s.rectWas = w.Rect
			return w.Rect
		}
	}
	return image.Rectangle{}
}

// What cannot work is said, and ends.
func TestWithoutADisplayOrAProgramItSaysSo(t *testing.T) {
	t.Parallel()
	s := sit(t)
	for name, tt := range map[string]struct {
		env  []string
		want string
	}{
		"no display":   {[]string{"DISPLAY="}, "no display"},
		"dead display": {[]string{"DISPLAY=:65000"}, "GTK"},
	} {
		c := exec.Command(s.window)
		c.Env = s.env(tt.env...)
		out, err := c.CombinedOutput()
		if c.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), tt.want) {
			t.Errorf("%s: %v, %s", name, err, out)
		}
	}
	alone := filepath.Join(s.work, "alone", "longwatch-window")
	must(t, os.Mkdir(filepath.Dir(alone), 0o700))
	data, err := os.ReadFile(s.window)
	must(t, err)
	must(t, os.WriteFile(alone, data, 0o700))
	c := exec.Command(alone)
	c.Env = s.env("PATH=/usr/bin:/bin")
	out, err := c.CombinedOutput()
	if c.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "neither beside this one nor in PATH") {
		t.Errorf("no program: %v, %s", err, out)
	}
	other := filepath.Join(filepath.Dir(alone), "longwatch")
	must(t, os.WriteFile(other, []byte("#!/bin/sh\necho longwatch version of-another-time\n"), 0o700))
	s.window = alone
	p := s.start()
	w, err := s.Find("Longwatch cannot start runs")
	must(t, err)
	s.press(w, ' ') // its button
	if code := s.exit(p); code != 0 || !strings.Contains(p.out.String(), "of-another-time") {
		t.Errorf("another version: exit %d, %s", code, p.out)
	}
}

// A window that nobody started from a terminal has what the login shell says.
func TestADoubleClickKnowsWhereProgramsAre(t *testing.T) {
	t.Parallel()
	s := sit(t)
	shell := filepath.Join(s.work, "shell")
	must(t, os.WriteFile(shell, []byte("#!/bin/sh\nPATH=/from/the/shell:$PATH; export PATH; exec /bin/sh \"$2\" \"$3\"\n"), 0o700))
	s.more = []string{"SHELL=" + shell}
	p, w := s.open()
	// It starts a worker, whose environment can be read; its own is what it was
	// started with.
	s.drop(w, uri(s.file("slow/task.md", "---\nsteps:\n  - name: Slow\n    run: sleep 600\n---\n# Slow\n")))
	s.until("the task is shown", func() bool { return s.asked("POST", "/api/inspect") > 0 })
	s.settled(w)
	s.Click(w.Rect.Max.Sub(image.Pt(60, 58))) // "Start run"
	s.until("the run has a worker", func() bool { return len(runs(s.home)) == 1 && s.worker(runs(s.home)[0]) != 0 })
	worker := s.worker(runs(s.home)[0])
	t.Cleanup(func() { _ = syscall.Kill(worker, syscall.SIGKILL) })
	env, err := os.ReadFile("/proc/" + strconv.Itoa(worker) + "/environ")
	must(t, err)
	if !strings.Contains("\x00"+string(env), "\x00PATH=/from/the/shell:") {
		t.Errorf("the worker has %q", env)
	}
	s.cli("abort", "last")
	s.until("the worker has ended", func() bool { return !alive(worker) })
	p.end(syscall.SIGTERM)
}

// The plain program without a word becomes the window, where there is one and
// a display.
func TestThePlainProgramOpensTheWindow(t *testing.T) {
	t.Parallel()
	s := sit(t)
	s.window = filepath.Join(filepath.Dir(s.window), "longwatch")
	p, _ := s.open()
	exe, err := os.Readlink("/proc/" + strconv.Itoa(p.Process.Pid) + "/exe")
	must(t, err)
	if filepath.Base(exe) != "longwatch-window" {
		t.Errorf("it is %s", exe)
	}
	c := exec.Command(s.window)
	c.Env = s.env("DISPLAY=")
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "longwatch init") {
		t.Errorf("without a display: %v, %s", err, out)
	}
}
