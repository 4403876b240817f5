package rundir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"longwatch/backend/config"
	"longwatch/backend/run"
	"longwatch/backend/task"
)

// Wish is what a person asks for beside the task file.
type Wish struct {
	TaskPath   string // where the file is; its folder is the default workspace
	Workspace  string // overrides the task's
	Agent      string // overrides all roles
	Rounds     int    // overrides the limit
	Unattended bool
	Agents     []string // that can be used
	Version    string
	Now        time.Time
}

// ErrCannotStart is wrapped by every reason why a task cannot start as it is.
var ErrCannotStart = errors.New("cannot start")

// Prepare settles everything a run is started with. It creates nothing.
func (h *Home) Prepare(t task.Task, s config.Settings, w Wish) (Spec, run.Created, error) {
	fail := func(err error) (Spec, run.Created, error) { return Spec{}, run.Created{}, err }
	if err := startable(t, w); err != nil {
		return fail(err)
	}
	ws, err := h.CheckWorkspace(workspacePath(t, w))
	if err != nil {
		return fail(err)
	}
	roles := config.Bind(s, t.Casting, config.Casting{Agent: w.Agent})
	if err := playable(t, roles, w.Agents); err != nil {
		return fail(err)
	}
	limits := limits(t, s, w)
	if limits.Deadline > 0 && limits.Deadline <= w.Now.UnixMilli() {
		return fail(fmt.Errorf("%w: the deadline %s has passed", ErrCannotStart, time.UnixMilli(limits.Deadline).Format(time.DateTime)))
	}
	spec := Spec{
		V: 1, Run: NewID(w.Now), Title: t.Title, CreatedAt: w.Now.UnixMilli(), TaskName: t.Name, TaskDigest: t.Digest,
		Workspace: ws, Unattended: w.Unattended, Language: language(t, s),
		Roles: roles, Limits: limits, Settings: s, Version: w.Version,
	}
	first := run.Created{
		Run: spec.Run, Title: spec.Title, Workspace: ws, Language: spec.Language, Unattended: w.Unattended,
		Limits: limits, FinalAudit: t.FinalAudit, Checks: len(t.Checks) + len(t.Hidden),
		Steps: len(t.Steps), Version: w.Version,
		MayRestore: t.OnViolation == "restore" || t.Exclusive, UndoWorse: t.OnFail == "restore",
	}
	for _, r := range t.Requirements() {
		first.Requirements = append(first.Requirements, run.Requirement{ID: r.ID, Text: r.Text})
	}
	return spec, first, nil
}

// startable refuses what this version cannot promise.
func startable(t task.Task, w Wish) error {
	if t.MinGuard != "" && t.MinGuard != "detect" {
		return fmt.Errorf("%w: min_guard is %s and only detect is available yet; lower it if you accept that", ErrCannotStart, t.MinGuard)
	}
	if w.Rounds < 0 || w.Rounds > config.MaxRounds {
		return fmt.Errorf("%w: rounds must be between 1 and %d, not %d", ErrCannotStart, config.MaxRounds, w.Rounds)
	}
	return nil
}

func workspacePath(t task.Task, w Wish) string {
	folder := filepath.Dir(w.TaskPath)
	switch {
	case w.Workspace != "":
		return w.Workspace
	case t.Workspace == "":
		return folder
	case strings.HasPrefix(t.Workspace, "~/"):
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, t.Workspace[2:])
		}
	case filepath.IsAbs(t.Workspace):
		return t.Workspace
	}
	return filepath.Join(folder, t.Workspace)
}

// playable checks that every role has an agent that is there.
func playable(t task.Task, roles config.Roles, agents []string) error {
	for _, p := range []config.Player{roles.Manager, roles.CLIExecutor, roles.CLIAuditor, roles.Reporter} {
		switch {
		case p.Agent == "":
			return fmt.Errorf("%w: no agent is chosen; add steps to the task for the playbook, or name one with --agent", ErrCannotStart)
		case !slices.Contains(agents, p.Agent):
			return fmt.Errorf("%w: agent %q is not available; there are: %s", ErrCannotStart, p.Agent, strings.Join(agents, ", "))
		case p.Agent == "playbook" && len(t.Steps) == 0:
			return fmt.Errorf("%w: the playbook needs steps in the task file; `longwatch init` writes an example", ErrCannotStart)
		}
	}
	return nil
}

func limits(t task.Task, s config.Settings, w Wish) run.Limits {
	l := t.Limits.Over(s.Limits).Over(config.Default().Limits)
	// A playbook needs a round for each step, and some for second attempts.
	if t.Limits.Rounds == 0 && len(t.Steps) > 0 {
		l.Rounds = max(l.Rounds, 2*len(t.Steps)+5)
	}
	if w.Rounds > 0 {
		l.Rounds = w.Rounds
	}
	return run.Limits{
		Rounds: min(l.Rounds, config.MaxRounds), Fails: l.Fails, ActiveMillis: int64(l.Active),
		Tokens: l.Tokens, MicroUSD: int64(l.Cost), Deadline: t.Deadline,
	}
}

func language(t task.Task, s config.Settings) string {
	for _, l := range []string{t.Language, s.PromptLanguage, s.Language} {
		if l != "" {
			return l
		}
	}
	return "en"
}
