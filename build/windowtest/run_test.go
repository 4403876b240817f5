package windowtest

import (
	"image"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The sample is dropped on the window, started with a click, and done; the
// answer is given elsewhere, and the page hears of it.
func TestADroppedTaskIsRunFromTheWindow(t *testing.T) {
	t.Parallel()
	s := sit(t)
	_, w := s.open()
	must(t, os.CopyFS(filepath.Join(s.work, "sample"), os.DirFS("../../examples/quarterly-report")))
	path := filepath.Join(s.work, "sample", "task.md")
	text, err := os.ReadFile(path)
	must(t, err)
	// A dropped task works in a new folder unless it says where.
	must(t, os.WriteFile(path, []byte(strings.Replace(string(text), "---\n", "---\nworkspace: .\n", 1)), 0o600))
	s.drop(w, uri(path))
	s.until("the task is shown", func() bool { return s.asked("POST", "/api/inspect") > 0 })
	s.settled(w)
	s.Click(w.Rect.Max.Sub(image.Pt(60, 58))) // "Start run", at the lower right
	s.until("the run has started", func() bool { return len(runs(s.home)) == 1 })
	run := runs(s.home)[0]
	t.Cleanup(func() {
		if pid := s.worker(run); pid != 0 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	s.until("it asks whether the result is accepted", func() bool {
		return strings.Contains(s.cli("show", run, "--json"), `"state": "needs you"`)
	})
	s.until("the page shows the run", func() bool { return s.asked("GET", "/api/runs/"+run) > 1 })
	s.settled(w)
	before := s.asked("GET", "/api/runs/"+run+"?after=")
	s.cli("answer", run, "end")
	s.until("the page hears of the answer", func() bool { return s.asked("GET", "/api/runs/"+run+"?after=") > before })
	s.until("the worker has ended", func() bool { return s.worker(run) == 0 })
	if text := s.cli("show", run, "--json"); !strings.Contains(text, `"outcome": "completed"`) {
		t.Errorf("it ended as %s", text)
	}
	if n := len(s.said("Page is loaded")); n != 1 {
		t.Errorf("the page was loaded %d times", n)
	}
}

// A theme that the person chose is there from the first moment of the next
// window.
func TestTheThemeIsThereFromTheFirstMoment(t *testing.T) {
	t.Parallel()
	s := sit(t)
	p, w := s.open()
	light := s.Pixel(center(w))
	s.settled(w)
	for range 3 { // as the system, light, dark
		if s.wasDark() {
			break
		}
		s.Click(image.Pt(w.Rect.Min.X+60, w.Rect.Max.Y-84)) // "Theme"
		s.settled(w)
		s.CloseWindow(w.ID)
		s.exit(p)
		p, w = s.open()
		s.settled(w)
	}
	s.CloseWindow(w.ID)
	s.exit(p)
	listens := len(s.said("Page listens"))
	s.start()
	w, err := s.Find("Longwatch")
	must(t, err)
	s.until("the page listens", func() bool {
		if now := s.Pixel(center(w)); int(now.R) > int(light.R)/2 {
			t.Errorf("it is %v at first, light was %v", now, light)
			return true
		}
		return len(s.said("Page listens")) > listens
	})
}

func (s *seat) wasDark() bool {
	data, _ := os.ReadFile(filepath.Join(s.home, "window", "look.json"))
	return strings.Contains(string(data), `"dark":true`)
}
