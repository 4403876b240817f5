package agent

import (
	"context"
	"fmt"

	"longwatch/backend/loop"
)

// Program plays roles with any program that reads a prompt on stdin and writes
// its answer to stdout. Programs are named in the settings only, never by a
// task or a workspace. Which episode it plays stands in LONGWATCH_PHASE,
// LONGWATCH_ROUND and LONGWATCH_ATTEMPT.
type Program struct {
	Command []string // program and arguments
}

// Run implements [Adapter].
func (p Program) Run(ctx context.Context, ep loop.Episode, l Launcher) loop.Answer {
	return answer(l.Launch(ctx, Command{
		Argv: p.Command, Stdin: []byte(ep.Brief.Text),
		Env: []string{
			"LONGWATCH_PHASE=" + string(ep.Phase),
			fmt.Sprintf("LONGWATCH_ROUND=%d", ep.Round),
			fmt.Sprintf("LONGWATCH_ATTEMPT=%d", ep.Attempt),
		},
	}))
}
