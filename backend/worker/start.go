package worker

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"longwatch/backend/rundir"
)

// Started is a worker that was just sent off.
type Started struct {
	Log  string
	done chan struct{}
	err  error
}

// Launch says how a worker is sent off.
type Launch struct {
	Program string // the binary that becomes it; empty: the one that asks
	Reopen  bool   // an ended run goes on
}

// Start sends off a worker for a run: its own session, no pipes to us, output
// to worker.log. It outlives us. Two at once do no harm: the second finds the
// lease taken and ends.
func Start(home *rundir.Home, r *rundir.Run, l Launch) (*Started, error) {
	self := l.Program
	if self == "" {
		var err error
		if self, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	log, err := r.OpenLog()
	if err != nil {
		return nil, fmt.Errorf("worker log: %w", err)
	}
	defer log.Close()
	args := []string{"worker"}
	if l.Reopen {
		args = append(args, "--reopen")
	}
	cmd := exec.Command(self, append(args, r.ID)...)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "LONGWATCH_HOME="+home.Path())
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the worker: %w", err)
	}
	s := &Started{Log: r.LogPath(), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		s.err = cmd.Wait()
	}()
	return s, nil
}

// Done is closed when the worker has ended, if that is while we live.
func (s *Started) Done() <-chan struct{} { return s.done }

// ExitCode is the worker's exit code after Done, -1 when a signal ended it.
func (s *Started) ExitCode() int {
	var x *exec.ExitError
	if errors.As(s.err, &x) {
		return x.ExitCode()
	}
	return 0
}
