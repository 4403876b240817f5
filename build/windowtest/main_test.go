package windowtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"longwatch/build/screen"
)

// The window is told by the environment. Beside it there has to be the plain
// longwatch of the same build.
const (
	windowVariable = "LONGWATCH_WINDOW"
	shotsVariable  = "LONGWATCH_SHOTS" // a folder for pictures; empty: none are kept
	within         = 30 * time.Second
)

// seat is a display with a state folder, and the windows that were started.
type seat struct {
	*screen.Screen
	t      *testing.T
	window string // the program
	home   string
	work   string   // for tasks
	more   []string // of the environment

	rectWas image.Rectangle // the window, when it was looked at last
}

// proc is one window process.
type proc struct {
	*exec.Cmd
	out  *bytes.Buffer
	done chan struct{}
}

// sit makes a display for a test. The tests are skipped where there is no
// window or no display to be had.
func sit(t *testing.T) *seat {
	t.Helper()
	window := os.Getenv(windowVariable)
	if window == "" {
		t.Skipf("%s names no window; `make test-window` builds one and runs this", windowVariable)
	}
	if missing := screen.Missing(); missing != "" {
		t.Skipf("a display needs %s", missing)
	}
	s, err := screen.Open()
	must(t, err)
	t.Cleanup(s.Close)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	st := &seat{Screen: s, t: t, window: window, home: filepath.Join(dir, "state"), work: filepath.Join(dir, "work")}
	must(t, os.MkdirAll(filepath.Join(st.work, "tmp"), 0o700))
	t.Cleanup(func() {
		if t.Failed() {
			log, _ := os.ReadFile(st.logPath())
			t.Logf("window.log:\n%s", log)
		}
	})
	return st
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// env is the environment of the programs of this seat.
func (s *seat) env(more ...string) []string {
	own := append([]string{"LONGWATCH_HOME=" + s.home, "LONGWATCH_LOG=debug", "HOME=" + s.work, "TMPDIR=" + filepath.Join(s.work, "tmp")}, s.more...)
	return s.Env(append(own, more...)...)
}

// start starts a window and ends it with the test.
func (s *seat) start(args ...string) *proc {
	s.t.Helper()
	p := &proc{Cmd: exec.Command(s.window, args...), out: &bytes.Buffer{}, done: make(chan struct{})}
	p.Env, p.Dir, p.Stdout, p.Stderr = s.env(), s.work, p.out, p.out
	must(s.t, p.Start())
	go func() {
		defer close(p.done)
		_ = p.Wait()
	}()
	s.t.Cleanup(func() {
		if to := os.Getenv(shotsVariable); to != "" && len(s.Windows()) > 0 {
			_ = s.Save(filepath.Join(to, strings.ReplaceAll(s.t.Name(), "/", "-")+".png"))
		}
		p.end(syscall.SIGKILL)
	})
	return p
}

// open starts a window and waits until its page listens.
func (s *seat) open(args ...string) (*proc, screen.Window) {
	s.t.Helper()
	began := len(s.said("Page listens"))
	p := s.start(args...)
	w, err := s.Find("Longwatch")
	if err != nil {
		s.t.Fatalf("%v\n%s", err, p.out)
	}
	s.until("the page listens", func() bool { return len(s.said("Page listens")) > began })
	return p, w
}

// press presses keys once a window has the keyboard.
func (s *seat) press(w screen.Window, keys ...xproto.Keysym) {
	s.t.Helper()
	s.until("it has the keyboard", func() bool { return s.Front() == w.ID })
	must(s.t, s.Press(keys...))
}

// settled is how the window looks once it looks the same for a while.
func (s *seat) settled(w screen.Window) string {
	s.t.Helper()
	last, same := "", 0
	s.until("the page is painted", func() bool {
		img, err := s.Shot(w.Rect)
		must(s.t, err)
		if now := string(img.Pix); now != last {
			last, same = now, 0
		}
		same++
		time.Sleep(20 * time.Millisecond)
		return same > 15
	})
	return last
}

// end sends a signal and waits until the process is gone.
func (p *proc) end(sig syscall.Signal) {
	_ = p.Process.Signal(sig)
	<-p.done
}

// exit waits for the process to end by itself.
func (s *seat) exit(p *proc) int {
	s.t.Helper()
	select {
	case <-p.done:
	case <-time.After(within):
		s.t.Fatalf("it did not end\n%s", p.out)
	}
	return p.ProcessState.ExitCode()
}

func (s *seat) until(what string, holds func() bool) {
	s.t.Helper()
	for end := time.Now().Add(within); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("not within %s: %s", within, what)
		}
	}
}

func (s *seat) logPath() string { return filepath.Join(s.home, "window", "window.log") }

// said are the lines of the window's log with a message, each as its fields.
func (s *seat) said(message string) []map[string]string {
	data, _ := os.ReadFile(s.logPath())
	var out []map[string]string
	for sc := bufio.NewScanner(bytes.NewReader(data)); sc.Scan(); {
		if f := fields(sc.Text()); f["msg"] == message {
			out = append(out, f)
		}
	}
	return out
}

// fields reads a line of log/slog's text format.
func fields(line string) map[string]string {
	out := map[string]string{}
	for line != "" {
		key, rest, has := strings.Cut(line, "=")
		if !has {
			break
		}
		value := rest
		if q, err := strconv.QuotedPrefix(rest); err == nil {
			value, _ = strconv.Unquote(q)
			rest = rest[len(q):]
		} else {
			value, _, _ = strings.Cut(rest, " ")
			rest = rest[len(value):]
		}
		out[key] = value
		line = strings.TrimPrefix(rest, " ")
	}
	return out
}

// asked counts the requests of the page whose method and path begin like that.
func (s *seat) asked(method, path string) (n int) {
	for _, f := range s.said("Asked") {
		if f["method"] == method && strings.HasPrefix(f["path"], path) {
			n++
		}
	}
	return n
}

// file writes a file below the work folder. Its name may be any bytes.
func (s *seat) file(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.work, name)
	must(s.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(s.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

const taskText = `---
steps:
  - name: Something is there
    run: echo hello > hello.txt
    expect: file hello.txt exists
---
# Say hello
`

// uri is how a file manager names a file.
func uri(path string) string {
	var b strings.Builder
	b.WriteString("file://")
	for _, c := range []byte(path) {
		if c == '/' || c == '.' || c == '-' || c == '_' || c == '~' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func center(w screen.Window) image.Point {
	return image.Pt((w.Rect.Min.X+w.Rect.Max.X)/2+80, (w.Rect.Min.Y+w.Rect.Max.Y)/2)
}

// cli runs the plain program and answers with what it prints.
func (s *seat) cli(args ...string) string {
	s.t.Helper()
	c := exec.Command(filepath.Join(filepath.Dir(s.window), "longwatch"), args...)
	c.Env, c.Dir = s.env(), s.work
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		s.t.Fatalf("longwatch %v: %v\n%s", args, err, exit.Stderr)
	}
	must(s.t, err)
	return string(out)
}

// worker is the process at work on a run; 0: none.
func (s *seat) worker(run string) int {
	data, err := os.ReadFile(filepath.Join(s.home, "runs", run, "worker.lock"))
	var held struct {
		PID int `json:"pid"`
	}
	if err != nil || json.Unmarshal(data, &held) != nil || held.PID == 0 || syscall.Kill(held.PID, 0) != nil {
		return 0
	}
	return held.PID
}
