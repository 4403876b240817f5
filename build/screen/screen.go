// Package screen is a private X display with a window manager, for tests and
// measurements of the window. It has a display number of its own, no session
// bus, and ends what it started, by process id.
//
// It is also a person at that display: it looks at pixels, presses keys and
// buttons, and drags files by the XDND protocol (see [Screen.Drag]).
package screen

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
)

// Width and Height of the display, in pixels.
const (
	Width  = 1400
	Height = 900
)

// within bounds each wait for the display and its programs.
const within = 20 * time.Second

// Screen is one display. It is for one goroutine.
type Screen struct {
	Display string // for DISPLAY
	conn    *xgb.Conn
	root    xproto.Window
	atoms   map[string]xproto.Atom
	events  chan xgb.Event
	started []*exec.Cmd
	dir     string // of the window manager's settings
	keys    keyboard
}

// Missing names what this machine lacks for a display; empty: nothing.
func Missing() string {
	var missing []string
	for _, program := range []string{"Xvfb", "openbox"} {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, program)
		}
	}
	return strings.Join(missing, ", ")
}

// Open starts a display and its window manager.
func Open() (*Screen, error) {
	s := &Screen{atoms: map[string]xproto.Atom{}, events: make(chan xgb.Event, 1024)}
	err := s.open()
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Screen) open() error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	x := exec.Command("Xvfb", "-displayfd", "3", "-noreset", "-nolisten", "tcp", "-screen", "0", fmt.Sprintf("%dx%dx24", Width, Height))
	x.ExtraFiles = []*os.File{w}
	if err := s.start(x); err != nil {
		return errors.Join(err, w.Close())
	}
	_ = w.Close()
	_ = r.SetReadDeadline(time.Now().Add(within))
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		return fmt.Errorf("display: Xvfb did not come up: %w", err)
	}
	s.Display = ":" + strings.TrimSpace(number)
	xgb.Logger.SetOutput(io.Discard)
	if s.conn, err = xgb.NewConnDisplay(s.Display); err != nil {
		return err
	}
	s.root = xproto.Setup(s.conn).DefaultScreen(s.conn).Root
	if err := xtest.Init(s.conn); err != nil {
		return err
	}
	go s.listen()
	if s.dir, err = os.MkdirTemp("", "longwatch-screen-"); err != nil {
		return err
	}
	config := filepath.Join(s.dir, "rc.xml")
	if err := os.WriteFile(config, []byte(`<openbox_config xmlns="http://openbox.org/3.4/rc"/>`), 0o600); err != nil {
		return err
	}
	wm := exec.Command("openbox", "--sm-disable", "--config-file", config)
	wm.Env = s.Env()
	if err := s.start(wm); err != nil {
		return err
	}
	return s.Until("a window manager", func() bool {
		return len(s.windows("_NET_SUPPORTING_WM_CHECK", s.root)) == 1
	})
}

// Env is the environment of a program on this display, and nothing of ours but
// where programs, and the person's files, are.
func (s *Screen) Env(more ...string) []string {
	env := []string{
		"DISPLAY=" + s.Display, "PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LANG=C.UTF-8",
		"GDK_BACKEND=x11", "NO_AT_BRIDGE=1", "GTK_USE_PORTAL=0", "DBUS_SESSION_BUS_ADDRESS=disabled:",
	}
	return append(env, more...)
}

// start starts a program that ends with the display.
func (s *Screen) start(c *exec.Cmd) error {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		return err
	}
	s.started = append(s.started, c)
	return nil
}

// Close ends what was started, the window manager first.
func (s *Screen) Close() {
	if s.conn != nil {
		s.conn.Close()
	}
	for i := len(s.started) - 1; i >= 0; i-- {
		c := s.started[i]
		_ = c.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(5*time.Second, func() { _ = c.Process.Kill() })
		_ = c.Wait()
		late.Stop()
	}
	s.started = nil
	if s.dir != "" {
		_ = os.RemoveAll(s.dir)
	}
}

// Until waits for a condition.
func (s *Screen) Until(what string, holds func() bool) error {
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return nil
		}
	}
	return fmt.Errorf("not within %s: %s", within, what)
}

func (s *Screen) listen() {
	defer close(s.events)
	for {
		e, err := s.conn.WaitForEvent()
		if e == nil && err == nil {
			return // the connection is closed
		}
		if e != nil {
			select {
			case s.events <- e:
			default: // nobody looks at them
			}
		}
	}
}

// Atom is the number of a name.
func (s *Screen) atom(name string) xproto.Atom {
	if a, known := s.atoms[name]; known {
		return a
	}
	r, err := xproto.InternAtom(s.conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		return 0
	}
	s.atoms[name] = r.Atom
	return r.Atom
}

func (s *Screen) property(w xproto.Window, name string) []byte {
	r, err := xproto.GetProperty(s.conn, false, w, s.atom(name), xproto.AtomAny, 0, 1<<16).Reply()
	if err != nil {
		return nil
	}
	return r.Value
}

// windows are those that a property lists.
func (s *Screen) windows(property string, of xproto.Window) []xproto.Window {
	value := s.property(of, property)
	out := make([]xproto.Window, 0, len(value)/4)
	for ; len(value) >= 4; value = value[4:] {
		out = append(out, xproto.Window(xgb.Get32(value)))
	}
	return out
}
