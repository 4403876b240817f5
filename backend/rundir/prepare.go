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

// Obstacle is one reason why a task cannot start as it is.
type Obstacle struct {
	Code string // guard, no_agent, agent_missing, needs_steps, deadline, other
	Text string
}

// Obstacles lists what stands against a start, but for the workspace. It looks
// at nothing outside its arguments.
func Obstacles(t task.Task, s config.Settings, w Wish) []Obstacle {
	var out []Obstacle
	add := func(code, format string, args ...any) {
		out = append(out, Obstacle{code, fmt.Sprintf(format, args...)})
	}
	if t.MinGuard != "" && t.MinGuard != "detect" {
		add("guard", "min_guard is %s and only detect is available yet; lower it if you accept that", t.MinGuard)
	}
	if w.Rounds < 0 || w.Rounds > config.MaxRounds {
		add("other", "rounds must be between 1 and %d, not %d", config.MaxRounds, w.Rounds)
	}
	if code, text := unplayable(t, Casting(t, s, w), w.Agents); code != "" {
		add(code, "%s", text)
	}
	if t.Deadline > 0 && t.Deadline <= w.Now.UnixMilli() {
		add("deadline", "the deadline %s has passed", time.UnixMilli(t.Deadline).Format(time.DateTime))
	}
	return out
}

// Casting is who would play what.
func Casting(t task.Task, s config.Settings, w Wish) config.Roles {
	return config.Bind(s, t.Casting, config.Casting{Agent: w.Agent})
}

// Prepare settles everything a run is started with. It creates nothing.
func (h *Home) Prepare(t task.Task, s config.Settings, w Wish) (Spec, run.Created, error) {
	fail := func(err error) (Spec, run.Created, error) { return Spec{}, run.Created{}, err }
	if o := Obstacles(t, s, w); len(o) > 0 {
		return fail(fmt.Errorf("%w: %s", ErrCannotStart, o[0].Text))
	}
	ws, err := h.CheckWorkspace(WorkspacePath(t, w))
	if err != nil {
		return fail(err)
	}
	limits := LimitsOf(t, s, w)
	spec := Spec{
		V: 1, Run: NewID(w.Now), Title: t.Title, CreatedAt: w.Now.UnixMilli(), TaskName: t.Name, TaskDigest: t.Digest,
		Workspace: ws, Unattended: w.Unattended, Language: language(t, s),
		Roles: Casting(t, s, w), Limits: limits, Settings: s, Version: w.Version,
	}
	first := run.Created{
		Run: spec.Run, Title: spec.Title, Workspace: ws, Language: spec.Language, Unattended: w.Unattended,
		Limits: limits, FinalAudit: t.FinalAudit, Checks: len(t.Checks) + len(t.Hidden),
		Steps: len(t.Steps), Version: w.Version, MayRestore: MayRestore(t),
	}
	for _, r := range t.Requirements() {
		first.Requirements = append(first.Requirements, run.Requirement{ID: r.ID, Text: r.Text})
	}
	return spec, first, nil
}

// MayRestore reports whether a task lets Longwatch put its workspace back.
func MayRestore(t task.Task) bool { return t.OnViolation == "restore" || t.Exclusive }

// WorkspacePath is the folder that a task and a wish name, not looked at yet.
func WorkspacePath(t task.Task, w Wish) string {
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

// unplayable says why a role has no agent that is there; code is empty if all
// have one.
func unplayable(t task.Task, roles config.Roles, agents []string) (code, text string) {
	for _, p := range []config.Player{roles.Manager, roles.CLIExecutor, roles.CLIAuditor, roles.Reporter} {
		if code, text = Unplayable(t, p, agents); code != "" {
			return code, text
		}
	}
	return "", ""
}

// Unplayable says why an agent cannot play a part of a task here; code is empty
// if it can.
func Unplayable(t task.Task, p config.Player, agents []string) (code, text string) {
	switch {
	case p.Agent == "":
		return "no_agent", "no agent is chosen; add steps to the task for the playbook, or name one with --agent"
	case !slices.Contains(agents, p.Agent):
		return "agent_missing", fmt.Sprintf("agent %q is not available; there are: %s", p.Agent, strings.Join(agents, ", "))
	case p.Agent == config.Playbook && len(t.Steps) == 0:
		return "needs_steps", "the playbook needs steps in the task file; `longwatch init` writes an example"
	}
	return "", ""
}

// LimitsOf are the limits that a run of the task would begin with.
func LimitsOf(t task.Task, s config.Settings, w Wish) run.Limits {
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
