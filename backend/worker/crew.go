package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"longwatch/backend/agent"
	"longwatch/backend/config"
	"longwatch/backend/guard"
	"longwatch/backend/loop"
	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// crew plays episodes: it finds the adapter and gives it a launcher that
// records the start before anything runs. It implements loop.Crew.
type crew struct {
	launcher  *guard.Launcher
	adapters  map[string]agent.Adapter
	roles     config.Roles
	output    config.Output
	dir       *rundir.Run
	workspace string
}

// player is who plays a phase on a surface.
func (c *crew) player(p run.Phase, surface string) config.Player {
	gui := surface == "gui"
	switch p {
	case run.Plan:
		return c.roles.Manager
	case run.Execute:
		if gui {
			return c.roles.GUIExecutor
		}
		return c.roles.CLIExecutor
	case run.Audit, run.FinalAudit:
		if gui {
			return c.roles.GUIAuditor
		}
		return c.roles.CLIAuditor
	case run.Report:
		return c.roles.Reporter
	case run.Check, run.FinalCheck, run.Probe:
	}
	return config.Player{}
}

// Play implements loop.Crew.
func (c *crew) Play(ctx context.Context, ep loop.Episode, begin func(run.Process) error) loop.Answer {
	a, ok := c.adapters[ep.Brief.Agent]
	if !ok {
		return loop.Answer{Fail: run.FailStart, Detail: fmt.Sprintf("agent %q is not available yet", ep.Brief.Agent)}
	}
	e := &episode{crew: c, ep: ep, begin: begin}
	if ep.Phase != run.Execute { // an executor works in the person's own home
		private, err := privateFolder(c.dir.ID)
		if err != nil {
			return loop.Answer{Fail: run.FailStart, Detail: err.Error(), Err: exhausted(err)}
		}
		defer os.RemoveAll(private)
		e.private = private
	}
	ans := a.Run(ctx, ep, e)
	ans.Agent = ep.Brief.Agent
	if ans.Err = exhausted(e.failed); ans.Err != nil {
		return ans
	}
	if err := c.trace(ep, e.exit); err != nil && ans.Detail == "" {
		ans.Detail = "the trace could not be kept: " + err.Error()
	}
	return ans
}

// exhausted passes on an error that says that this machine has no room for a
// process now. No agent failed then; the worker ends and says why.
func exhausted(err error) error {
	for _, e := range []error{
		syscall.EMFILE, syscall.ENFILE, syscall.EAGAIN, syscall.ENOMEM, syscall.ENOSPC, syscall.EDQUOT,
		syscall.EROFS, syscall.EIO,
	} {
		if errors.Is(err, e) {
			return err
		}
	}
	return nil
}

// privateFolder makes a fresh folder for one process tree: its home and its
// temporary files. The caller removes it, or the next worker of the run.
func privateFolder(run string) (string, error) {
	private, err := os.MkdirTemp("", privateName(run))
	if err != nil {
		return "", err
	}
	if err := guard.MakePrivate(private); err != nil {
		return "", errors.Join(err, os.RemoveAll(private))
	}
	return private, nil
}

// privateName begins the names of a run's private folders.
func privateName(run string) string { return "longwatch-" + run + "-" }

// trace keeps what the role was told and its raw output. Both are for people;
// nothing is read back from them.
func (c *crew) trace(ep loop.Episode, x guard.Exit) error {
	name := fmt.Sprintf("%s.%d", ep.Phase, ep.Attempt)
	prompt := ep.Brief.Text
	if ep.Brief.Agent == config.Playbook {
		prompt = string(ep.Brief.Input) // the playbook reads nothing else
	}
	_, err := c.dir.Keep(ep.Round, name+".prompt", prompt, false)
	if err == nil && len(x.Stderr) > 0 {
		_, err = c.dir.Keep(ep.Round, name+".trace", string(x.Stderr), false)
	}
	return err
}

// Reap implements loop.Crew.
func (c *crew) Reap(started run.PhaseStarted) (bool, error) {
	if started.PID == 0 {
		return false, nil
	}
	return guard.Reap(guard.Ident{BootID: started.BootID, PID: started.PID, StartTicks: started.Start})
}

// episode is the launcher of one episode: one process tree, whose start is
// recorded before it runs.
type episode struct {
	crew    *crew
	ep      loop.Episode
	private string
	begin   func(run.Process) error
	used    bool
	failed  error // why the launcher could not be started
	exit    guard.Exit
}

// Launch implements agent.Launcher.
func (e *episode) Launch(ctx context.Context, c agent.Command) agent.Exit {
	if e.used {
		return agent.Exit{StartErr: "an episode is one process tree, and this one had it"}
	}
	e.used = true
	p, err := e.crew.launcher.Start(ctx, e.command(c))
	if err != nil {
		e.failed = err
		return agent.Exit{StartErr: err.Error()}
	}
	id := p.Ident()
	if err := e.begin(run.Process{BootID: id.BootID, PID: id.PID, Start: id.StartTicks}); err != nil {
		p.Kill()
		p.Wait()
		return agent.Exit{Canceled: true}
	}
	if err := p.Release(); err != nil && ctx.Err() == nil {
		p.Kill()
	}
	e.exit = p.Wait()
	return plain(e.exit)
}

func (e *episode) command(c agent.Command) guard.Command {
	profile, dir := guard.Thinker, filepath.Join(e.private, "tmp")
	switch e.ep.Phase {
	case run.Execute:
		profile, dir = guard.Executor, e.crew.workspace
	case run.Audit, run.FinalAudit:
		profile, dir = guard.Auditor, e.crew.workspace
	case run.Plan, run.Report, run.Check, run.FinalCheck, run.Probe:
	}
	limit := time.Duration(e.crew.player(e.ep.Phase, e.ep.Surface).Minutes) * time.Minute
	env := guard.Environment(os.Environ(), profile, guard.Places{Workspace: e.crew.workspace, Private: e.private})
	return guard.Command{
		Argv: c.Argv, Dir: dir, Env: append(env, c.Env...), Stdin: c.Stdin,
		Deadline:  max(limit, c.Deadline),
		StdoutCap: int64(e.crew.output.ReportKiB) << 10,
		StderrCap: int64(min(e.crew.output.TraceMiB, 8)) << 20,
		FloodCap:  int64(e.crew.output.TraceMiB) << 22,
		Profile:   profile, Level: guard.LevelDetect,
	}
}

func plain(x guard.Exit) agent.Exit {
	return agent.Exit{
		Code: x.Code, Signal: x.Signal, TimedOut: x.TimedOut, Flooded: x.Flooded,
		Canceled: x.Canceled, StartErr: x.StartErr, Stdout: x.Stdout, Stderr: x.Stderr, Ran: x.RanFor,
	}
}

// Adapters are the agents there are: our own, and the programs that the
// settings name.
func Adapters(s config.Settings) map[string]agent.Adapter {
	out := map[string]agent.Adapter{"playbook": agent.Playbook{Self: ourselves()}}
	for name, p := range s.Agents {
		if _, ours := out[name]; !ours && len(p.Command) > 0 {
			out[name] = agent.Program{Command: p.Command}
		}
	}
	return out
}

// Agents names the agents there are, sorted.
func Agents(s config.Settings) []string { return slices.Sorted(maps.Keys(Adapters(s))) }

// ourselves is how a process that our launcher starts can be our own binary
// again: the launcher is it.
func ourselves() string {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe"
	}
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}
