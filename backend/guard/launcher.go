package guard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

const (
	launchArg    = "launch"
	writeTimeout = 10 * time.Second
)

// Launcher starts episodes. It may be used by several goroutines.
type Launcher struct {
	Self string // our own program, as Binary gives it: run as `<self> launch`
}

// pipes are the ends the worker keeps.
type pipes struct {
	control, stdin         *os.File // written
	report, stdout, stderr *os.File // read
}

func (p *pipes) close() {
	for _, f := range []*os.File{p.control, p.stdin, p.report, p.stdout, p.stderr} {
		if f != nil {
			_ = f.Close()
		}
	}
}

// Start makes the episode's launcher process, which then waits: the program
// does not run before Release, and never runs if this process dies first. The
// caller must call Wait. The end of ctx ends the tree as Kill does.
func (l *Launcher) Start(ctx context.Context, c Command) (*Process, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start launcher: %w", err)
	}
	p := &Process{command: c, orders: make(chan byte, 1), done: make(chan struct{})}
	if err := p.spawn(l.Self); err != nil {
		return nil, fmt.Errorf("start launcher: %w", err)
	}
	if err := p.instruct(); err != nil {
		_ = p.launcher.Kill()
		_, _ = p.launcher.Wait()
		p.pipes.close()
		return nil, fmt.Errorf("start launcher: %w", err)
	}
	go p.supervise(ctx)
	return p, nil
}

// spawn starts the launcher process in a session of its own, with nothing of
// ours but the six descriptors it expects.
func (p *Process) spawn(self string) (err error) {
	var theirs []*os.File
	defer func() {
		for _, f := range theirs {
			_ = f.Close()
		}
		if err != nil {
			p.pipes.close()
		}
	}()
	pipe := func(ours **os.File, weRead bool) *os.File {
		if err != nil {
			return nil
		}
		r, w, e := os.Pipe()
		if e != nil {
			err = e
			return nil
		}
		if !weRead {
			r, w = w, r
		}
		*ours, theirs = r, append(theirs, w)
		return w
	}
	control, report := pipe(&p.pipes.control, false), pipe(&p.pipes.report, true)
	stdout, stderr := pipe(&p.pipes.stdout, true), pipe(&p.pipes.stderr, true)
	stdin := pipe(&p.pipes.stdin, false)
	if err != nil {
		return err
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	theirs = append(theirs, null)
	p.launcher, err = os.StartProcess(self, []string{"longwatch", launchArg}, &os.ProcAttr{
		Dir: "/",
		Env: []string{}, // the program's own travels by pipe
		// In the order of the fd constants.
		Files: []*os.File{control, null, report, stdout, stderr, stdin},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	return err
}

// instruct learns who the launcher is and tells it what to run.
func (p *Process) instruct() error {
	row, err := lookUp(p.launcher.Pid)
	if err != nil {
		return fmt.Errorf("look at it: %w", err)
	}
	p.ident = Ident{BootID: BootID(), PID: row.pid, StartTicks: row.start}
	if p.ident.BootID == "" {
		return errors.New("this boot cannot be named")
	}
	c := p.command
	b, err := spec{
		Argv: byteLists(c.Argv), Dir: []byte(c.Dir),
		Env:      byteLists(append(c.Env[:len(c.Env):len(c.Env)], p.ident.mark())),
		Deadline: c.Deadline, Grace: c.Grace,
		Profile: c.Profile, Level: c.Level,
	}.encode()
	if err != nil {
		return err
	}
	if err := p.pipes.control.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	if _, err := p.pipes.control.Write(b); err != nil {
		return fmt.Errorf("tell it what to run: %w", err)
	}
	return p.pipes.control.SetWriteDeadline(time.Time{})
}
