package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/config"
	"longwatch/backend/loop"
	"longwatch/backend/run"
	"longwatch/backend/task"
)

// bare launches for real, without a guard, and remembers what was asked for.
type bare struct{ asked Command }

func (b *bare) Launch(ctx context.Context, c Command) Exit {
	b.asked = c
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	var out, errs bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Env, bytes.NewReader(c.Stdin), &out, &errs
	err := cmd.Run()
	x := Exit{Stdout: out.Bytes(), Stderr: errs.Bytes(), Ran: 5 * time.Millisecond}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		x.Code = exit.ExitCode()
	case err != nil:
		x.StartErr = err.Error()
	}
	return x
}

// A program reads the prompt, knows which episode it plays, and what it says
// is the answer.
func TestAProgramPlaysAnEpisode(t *testing.T) {
	t.Parallel()
	p := Program{Command: []string{"/bin/sh", "-c", `echo "$LONGWATCH_PHASE $LONGWATCH_ROUND.$LONGWATCH_ATTEMPT"; cat`}}
	ep := loop.Episode{Round: 4, Phase: run.Audit, Attempt: 2, Brief: loop.Brief{Text: "judge this", Input: []byte("null")}}
	got := p.Run(t.Context(), ep, &bare{})
	want := loop.Answer{Said: "audit 4.2\njudge this", Usage: run.Usage{Millis: 5}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestAProgramThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	got := Program{Command: []string{"/bin/sh", "-c", "echo half; echo first >&2; echo no key >&2; exit 9"}}.Run(t.Context(), loop.Episode{}, &bare{})
	want := loop.Answer{Said: "half", Exit: 9, Fail: run.FailExit, Detail: "exit 9: no key", Usage: run.Usage{Millis: 5}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	got = Program{Command: []string{"/nowhere/agent"}}.Run(t.Context(), loop.Episode{}, &bare{})
	if got.Fail != run.FailStart || !strings.Contains(got.Detail, "/nowhere/agent") {
		t.Errorf("%+v", got)
	}
}

func TestHowAnEpisodeEndedDecidesItsFailure(t *testing.T) {
	t.Parallel()
	for want, x := range map[run.FailKind]Exit{
		"":               {},
		run.FailStart:    {StartErr: "not found", Code: -1, TimedOut: true},
		run.FailCanceled: {Canceled: true, Signal: "SIGKILL", TimedOut: true},
		run.FailTimeout:  {TimedOut: true, Signal: "SIGKILL"},
		run.FailFlood:    {Flooded: true, Signal: "SIGKILL"},
		run.FailExit:     {Signal: "SIGSEGV", Code: -1},
	} {
		if got := answer(x); got.Fail != want || (want != "") != (got.Detail != "") {
			t.Errorf("%+v is %q (%s), want %q", x, got.Fail, got.Detail, want)
		}
	}
}

// The launcher's limit leaves the step's own timeout the first word.
func TestThePlaybookAsksForTheTimeItsStepNeeds(t *testing.T) {
	t.Parallel()
	input, err := json.Marshal(&loop.Input{Total: 1, Step: task.Step{Name: "S", Run: "true", Timeout: config.Millis(3600000)}})
	if err != nil {
		t.Fatal(err)
	}
	for phase, want := range map[run.Phase]time.Duration{run.Execute: time.Hour + slack, run.Audit: 0, run.Plan: 0} {
		b := &bare{}
		Playbook{Self: "/bin/cat"}.Run(t.Context(), loop.Episode{Phase: phase, Brief: loop.Brief{Input: input}}, b)
		if b.asked.Deadline != want {
			t.Errorf("%s: %s, want %s", phase, b.asked.Deadline, want)
		}
		if diff := cmp.Diff([]string{"/bin/cat", "agent", "playbook"}, b.asked.Argv); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
}

func TestWhatIsSaidCannotSteerATerminal(t *testing.T) {
	t.Parallel()
	got := text([]byte("\n a\x1b[2J\x07\r\nb\tc\u009b1m\xff\x00中 \n"))
	if want := "a[2J\nb\tc1m\uFFFD中"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
