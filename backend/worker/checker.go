package worker

import (
	"context"
	"errors"
	"os"
	"time"

	"longwatch/backend/check"
	"longwatch/backend/guard"
)

// checker runs machine checks: files and addresses here, commands behind the
// launcher like any other program of somebody else's. It implements
// loop.Checker.
type checker struct {
	launcher  *guard.Launcher
	run       string
	workspace string
}

// Check implements loop.Checker.
func (c *checker) Check(ctx context.Context, ch check.Check) check.Result {
	return check.Evaluate(ctx, ch, check.Env{Root: c.workspace, Shell: c.shell})
}

// shell implements check.Shell.
func (c *checker) shell(ctx context.Context, command string, within time.Duration, outputCap int) (check.ShellResult, error) {
	private, err := privateFolder(c.run)
	if err != nil {
		return check.ShellResult{}, err
	}
	defer os.RemoveAll(private)
	p, err := c.launcher.Start(ctx, guard.Command{
		// Both streams in the order in which they were written.
		Argv: []string{"/bin/sh", "-c", "exec 2>&1\n" + command},
		Dir:  c.workspace,
		Env: guard.Environment(os.Environ(), guard.Check, guard.Places{
			Workspace: c.workspace, Private: private,
		}),
		Deadline: within, StdoutCap: int64(outputCap), Profile: guard.Check, Level: guard.LevelDetect,
	})
	if err != nil {
		return check.ShellResult{}, err
	}
	if err := p.Release(); err != nil {
		p.Kill()
	}
	x := p.Wait()
	if x.StartErr != "" {
		return check.ShellResult{}, errors.New(x.StartErr)
	}
	return check.ShellResult{
		Exit: x.Code, Output: x.Stdout, TimedOut: x.TimedOut,
		Truncated: x.StdoutCut > 0, Signal: x.Signal,
	}, nil
}
