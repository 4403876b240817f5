package agent

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"longwatch/backend/loop"
	"longwatch/backend/run"
)

// Command is a process an adapter asks for. Secrets never stand in Argv.
type Command struct {
	Argv     []string
	Env      []string // added to the scrubbed environment
	Stdin    []byte
	Deadline time.Duration // at least this long, when the role's own limit is shorter
}

// Exit is how the process tree ended. Nothing of it is left.
type Exit struct {
	Code     int
	Signal   string
	TimedOut bool
	Flooded  bool
	Canceled bool
	StartErr string // the program could not be started
	Stdout   []byte
	Stderr   []byte
	Ran      time.Duration
}

// Launcher starts one process tree and waits for its end.
type Launcher interface {
	Launch(ctx context.Context, c Command) Exit
}

// Adapter plays episodes with one kind of agent.
type Adapter interface {
	Run(ctx context.Context, ep loop.Episode, l Launcher) loop.Answer
}

// Answer reads a plain exit: what stood on stdout is what was said.
func answer(x Exit) loop.Answer {
	a := loop.Answer{
		Said: text(x.Stdout), Exit: x.Code,
		Usage: run.Usage{Millis: x.Ran.Milliseconds()},
	}
	switch {
	case x.StartErr != "":
		a.Fail, a.Detail = run.FailStart, x.StartErr
	case x.Canceled:
		a.Fail, a.Detail = run.FailCanceled, "it was ended"
	case x.TimedOut:
		a.Fail, a.Detail = run.FailTimeout, "its time was over"
	case x.Flooded:
		a.Fail, a.Detail = run.FailFlood, "it wrote too much"
	case x.Signal != "":
		a.Fail, a.Detail = run.FailExit, "ended by signal "+x.Signal
	case x.Code != 0:
		a.Fail, a.Detail = run.FailExit, strings.TrimSpace(fmt.Sprintf("exit %d: %s", x.Code, lastLine(x.Stderr)))
	}
	return a
}

// text makes what a process said storable: valid UTF-8 without control
// characters that could steer a terminal, or turn what a person reads around.
func text(b []byte) string {
	s := strings.ToValidUTF8(string(bytes.TrimSpace(b)), string(utf8.RuneError))
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case r < ' ', r >= 0x7f && r <= 0x9f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, s)
}

func lastLine(b []byte) string {
	lines := strings.Split(text(b), "\n")
	return lines[len(lines)-1]
}
