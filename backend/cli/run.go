package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"longwatch/backend/config"
	"longwatch/backend/operator"
	"longwatch/backend/rundir"
	"longwatch/backend/safefs"
	"longwatch/backend/task"
	"longwatch/backend/worker"
)

type runFlags struct {
	wish   rundir.Wish
	detach bool
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run TASK",
		Short: "Work on a task file and follow it",
		Long: `Starts a run of the task file and follows it, one line an event. The run goes on
by itself: Ctrl-C leaves it at work, a second Ctrl-C aborts it.`,
		Example: `  longwatch run task.md
  longwatch run task.md -w ~/project --rounds 40
  longwatch run task.md --unattended --json > events.jsonl
  longwatch run task.md --detach`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.run(args[0], f) },
	}
	c.Flags().StringVarP(&f.wish.Workspace, "workspace", "w", "", "folder to work in (default: the task file's own)")
	c.Flags().StringVar(&f.wish.Agent, "agent", "", "who plays all roles (default: the task's, then the settings')")
	c.Flags().IntVar(&f.wish.Rounds, "rounds", 0, "most rounds before you are asked")
	c.Flags().BoolVar(&f.wish.Unattended, "unattended", false, "nobody is there to answer: end, or leave the question open")
	c.Flags().BoolVar(&f.detach, "detach", false, "start it and return")
	return c
}

func (a *app) run(path string, f runFlags) error {
	h, err := a.home()
	if err != nil {
		return err
	}
	defer h.Close()
	r, err := a.create(h, path, f)
	if err != nil {
		return err
	}
	defer r.Close()
	at := operator.Attendant{Home: h, Run: r}
	if err := at.Attend(false); err != nil {
		return err
	}
	if f.detach {
		return a.detached(r)
	}
	return a.follow(at, 0)
}

// create reads the task and makes the run's folder.
func (a *app) create(h *rundir.Home, path string, f runFlags) (*rundir.Run, error) {
	s, err := a.settings(h)
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	data, problems := task.Read(abs)
	var t task.Task
	if !config.Refused(problems) {
		t, problems = task.Parse(filepath.Base(abs), data)
	}
	if config.Refused(problems) {
		return nil, usage(&config.RefusedError{Problems: problems})
	}
	for _, p := range problems {
		fmt.Fprintf(a.err, "%s: %s\n", p.Severity, p.Sentence())
	}
	w := f.wish
	w.TaskPath, w.Version, w.Now, w.Agents = abs, a.version, time.Now(), worker.Agents(s)
	w.Unattended = w.Unattended || (!a.terminal && !f.detach)
	r, err := operator.Create(h, t, data, operator.With{Settings: s, Wish: w})
	if errors.Is(err, safefs.ErrHeld) || errors.Is(err, rundir.ErrWorkspace) || errors.Is(err, rundir.ErrCannotStart) {
		return nil, usage(err)
	}
	return r, err
}

func (a *app) detached(r *rundir.Run) error {
	if a.json {
		return json.NewEncoder(a.out).Encode(map[string]string{"run": r.ID})
	}
	fmt.Fprintf(a.out, "%s\n", r.ID)
	fmt.Fprintf(a.err, "it works on by itself; `longwatch show %s` tells how far it is\n", r.ID)
	return nil
}
