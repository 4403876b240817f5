package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"longwatch/backend/loop"
	"longwatch/backend/run"
)

// Playbook plays all roles from the steps of the task file. It needs no model.
type Playbook struct {
	Self string // our own binary
}

// slack is what a step's process may take beyond the step's own timeout.
const slack = 30 * time.Second

// Run implements [Adapter].
func (p Playbook) Run(ctx context.Context, ep loop.Episode, l Launcher) loop.Answer {
	c := Command{Argv: []string{p.Self, "agent", "playbook"}, Stdin: ep.Brief.Input}
	if ep.Phase == run.Execute {
		var in loop.Input
		if err := json.Unmarshal(ep.Brief.Input, &in); err == nil {
			c.Deadline = in.Step.Timeout.Duration() + slack
		}
	}
	return answer(l.Launch(ctx, c))
}

// PlaybookMain is the playbook's face: one episode, its input as JSON on stdin,
// its answer in the protocol's words on stdout. Commands of steps write to
// stderr, which is the trace. The exit code is the command's own.
func PlaybookMain(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) int {
	var in *loop.Input
	if err := json.NewDecoder(stdin).Decode(&in); err != nil || in == nil || in.Total == 0 {
		fmt.Fprintln(stderr, "playbook: the task has no steps, so there is nothing to play")
		return 2
	}
	switch in.Phase {
	case run.Plan:
		return say(stdout, managerWords(in))
	case run.Execute:
		return execute(ctx, in, stdout, stderr)
	case run.Audit, run.FinalAudit:
		dir, err := os.Getwd()
		if err != nil {
			fmt.Fprintln(stderr, "playbook:", err)
			return 1
		}
		return say(stdout, auditorWords(ctx, in, dir))
	case run.Report:
		return say(stdout, reporterWords(in))
	case run.Check, run.FinalCheck, run.Probe:
	}
	fmt.Fprintf(stderr, "playbook: %s is no role's phase\n", in.Phase)
	return 2
}

func say(w io.Writer, words string) int {
	if _, err := io.WriteString(w, words); err != nil {
		return 1
	}
	return 0
}
