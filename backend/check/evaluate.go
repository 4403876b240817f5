package check

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Status is what an evaluation came to.
type Status string

// The closed set of statuses. Only Pass means that the check holds.
const (
	Pass        Status = "pass"
	Fail        Status = "fail"        // judged, and it does not hold
	Unavailable Status = "unavailable" // this kind cannot be judged here
	Broken      Status = "error"       // should have been judged and could not be
)

// Result is what one evaluation saw.
type Result struct {
	Check  string `json:"check"`  // canonical text
	Status Status `json:"status"` //
	Proof  string `json:"proof"`  // printable, one line, at most 600 bytes
	Millis int64  `json:"ms"`     // how long it took
}

// Passed reports whether the check was judged and holds.
func (r Result) Passed() bool { return r.Status == Pass }

// ShellResult is what became of a command.
type ShellResult struct {
	Exit      int
	Output    []byte // both streams as they came; when Truncated, their end
	TimedOut  bool   // it was ended because its time was over
	Truncated bool
	Signal    string // the signal that ended it, empty if it exited
}

// Shell runs one command line in the workspace, ends its whole process tree
// when ctx is done or its time is over, and keeps the last outputCap bytes. An
// error means that it could not be run at all.
type Shell func(ctx context.Context, command string, within time.Duration, outputCap int) (ShellResult, error)

// Env is what an evaluation may touch.
type Env struct {
	Root  string           // the workspace, an existing folder
	Shell Shell            // nil: commands are unavailable
	HTTP  *http.Client     // nil: loopback and public addresses only, no proxy, 20 s, 3 redirects
	Now   func() time.Time // nil: time.Now
}

const outputCap = 64 << 10

// Evaluate judges one check. It returns soon after ctx is done.
func Evaluate(ctx context.Context, c Check, env Env) Result {
	now := env.Now
	if now == nil {
		now = time.Now
	}
	start := now()
	got := judge(ctx, c, env)
	return Result{
		Check: c.String(), Status: got.status, Proof: printable(got.proof),
		Millis: now().Sub(start).Milliseconds(),
	}
}

// finding is a result in the making: its proof is not clipped yet.
type finding struct {
	status Status
	proof  string
}

func pass(format string, args ...any) finding {
	return finding{Pass, fmt.Sprintf(format, args...)}
}

func fail(format string, args ...any) finding {
	return finding{Fail, fmt.Sprintf(format, args...)}
}

func broken(format string, args ...any) finding {
	return finding{Broken, fmt.Sprintf(format, args...)}
}

func judge(ctx context.Context, c Check, env Env) finding {
	if err := ctx.Err(); err != nil {
		return broken("not judged: %v", err)
	}
	switch c.Kind {
	case File, JSON:
		return judgeFile(ctx, c, env)
	case Run:
		return judgeRun(ctx, c, env)
	case HTTP:
		return judgeHTTP(ctx, c, env)
	case Window, Element:
		return finding{Unavailable, "not available yet: desktop checks"}
	}
	return broken("not a check: %q", c.Source)
}

func judgeRun(ctx context.Context, c Check, env Env) finding {
	if env.Shell == nil {
		return finding{Unavailable, "not available here: running a command"}
	}
	got, err := env.Shell(ctx, c.Shell, c.Within, outputCap)
	output := lastLines(got)
	switch {
	case err != nil:
		return broken("could not be run: %v", err)
	case ctx.Err() != nil:
		return broken("not judged: %v", ctx.Err())
	case got.TimedOut:
		return fail("still running after %v; %s", c.Within, output)
	case got.Signal != "":
		return fail("ended by signal %s; %s", got.Signal, output)
	case got.Exit != c.Exit:
		return fail("exit %d, wanted %d; %s", got.Exit, c.Exit, output)
	}
	return pass("exit %d; %s", got.Exit, output)
}

// lastLines is the end of the output, where errors stand, short enough to stay
// whole in a proof.
func lastLines(got ShellResult) string {
	text := strings.TrimSpace(string(got.Output))
	if text == "" {
		return "no output"
	}
	lines := strings.Split(text, "\n")
	cut := got.Truncated || len(lines) > 3
	text = strings.Join(lines[max(0, len(lines)-3):], " | ")
	if len(text) > 400 {
		cut, text = true, strings.ToValidUTF8(text[len(text)-400:], "")
	}
	if cut {
		return "output ends: " + text
	}
	return "output: " + text
}
