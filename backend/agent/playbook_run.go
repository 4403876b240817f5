package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"longwatch/backend/loop"
	"longwatch/backend/task"
)

// reportTail is how much of a command's output its report quotes, in bytes.
const reportTail = 2 << 10

// execute runs the current attempt of the current step in the workspace, which
// is the working directory.
func execute(ctx context.Context, in *loop.Input, stdout, trace io.Writer) int {
	st := in.Step
	if in.Position.Mode == loop.ModeRecheck {
		return say(stdout, "Nothing was done: the finished work is only looked at again.\n")
	}
	command, err := attempt(st, in.Position.Attempt)
	if err != nil {
		fmt.Fprintln(stdout, err)
		return 2
	}
	ctx, cancel := context.WithTimeout(ctx, st.Timeout.Duration())
	defer cancel()
	var tail tailBuffer
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Stdout = io.MultiWriter(trace, &tail)
	cmd.Stderr = cmd.Stdout
	cmd.WaitDelay = time.Second
	began := time.Now()
	err = cmd.Run()
	code, how := ended(ctx, err, st)
	fmt.Fprintf(stdout, "Ran step %d (%s), attempt %d: %s after %s.\n\n    %s\n",
		in.Position.Step+1, st.Name, in.Position.Attempt+1, how, time.Since(began).Round(time.Millisecond),
		strings.ReplaceAll(command, "\n", "\n    "))
	if out := strings.TrimSpace(text(tail.Bytes())); out != "" {
		fmt.Fprintf(stdout, "\nIts output ended with:\n\n    %s\n", strings.ReplaceAll(out, "\n", "\n    "))
	}
	return code
}

// attempt returns the command of a step's attempt: 0 is the step itself.
func attempt(st task.Step, n int) (string, error) {
	a := task.Action{Run: st.Run, GUI: st.GUI, Service: st.Service}
	if n > 0 {
		a = st.Else[min(n, len(st.Else))-1]
	}
	if a.Run == "" {
		return "", errors.New("this step needs the desktop or a service, which a playbook cannot use yet")
	}
	return a.Run, nil
}

func ended(ctx context.Context, err error, st task.Step) (int, string) {
	var exit *exec.ExitError
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		return 124, fmt.Sprintf("ended at its timeout of %s", st.Timeout.Duration())
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode(), fmt.Sprintf("exit %d", exit.ExitCode())
	case err != nil:
		return 1, err.Error()
	}
	return 0, "exit 0"
}

// tailBuffer keeps the last bytes written to it.
type tailBuffer struct{ b []byte }

func (t *tailBuffer) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if over := len(t.b) - 2*reportTail; over > 0 {
		t.b = append(t.b[:0:0], t.b[len(t.b)-reportTail:]...)
	}
	return len(p), nil
}

var _ io.Writer = (*tailBuffer)(nil)

// Bytes returns what is kept, at most reportTail bytes.
func (t *tailBuffer) Bytes() []byte {
	if len(t.b) > reportTail {
		return bytes.Clone(t.b[len(t.b)-reportTail:])
	}
	return t.b
}
