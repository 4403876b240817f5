package config

import "maps"

// Role is a part that a Player can be named for.
type Role string

// The closed set of roles. Executor and Auditor stand for both of their
// surfaces.
const (
	Manager     Role = "manager"
	Executor    Role = "executor"
	GUIExecutor Role = "gui_executor"
	CLIExecutor Role = "cli_executor"
	Auditor     Role = "auditor"
	GUIAuditor  Role = "gui_auditor"
	CLIAuditor  Role = "cli_auditor"
	Reporter    Role = "reporter"
)

// RoleNames lists every role, in the order people meet them.
func RoleNames() []string {
	return []string{
		"manager", "executor", "gui_executor", "cli_executor",
		"auditor", "gui_auditor", "cli_auditor", "reporter",
	}
}

// Player is who plays a part. Empty fields are not said.
type Player struct {
	Agent   string `toml:"agent" json:"agent,omitempty"`
	Model   string `toml:"model" json:"model,omitempty"`
	Effort  string `toml:"effort" json:"effort,omitempty"`
	Minutes int    `toml:"minutes" json:"minutes,omitempty"` // of one episode
}

// Casting is what one source (settings, task, command line) says about players:
// one for the whole run and others for single roles.
type Casting struct {
	Agent  string          `json:"agent,omitempty"`
	Model  string          `json:"model,omitempty"`
	Effort string          `json:"effort,omitempty"`
	Roles  map[Role]Player `json:"roles,omitempty"`
}

// Casting returns what the settings say about players.
func (s Settings) Casting() Casting {
	return Casting{Agent: s.Agent, Model: s.Model, Effort: s.Effort, Roles: s.Roles}
}

// Roles is who plays what in one run, with nothing left open but an agent that
// nobody chose.
type Roles struct {
	Manager     Player `json:"manager"`
	GUIExecutor Player `json:"gui_executor"`
	CLIExecutor Player `json:"cli_executor"`
	GUIAuditor  Player `json:"gui_auditor"`
	CLIAuditor  Player `json:"cli_auditor"`
	Reporter    Player `json:"reporter"`
}

// run is the level below all roles.
const run Role = ""

// chain lists the levels of a role, the most special first.
func chain(r Role) []Role {
	switch r {
	case GUIExecutor, CLIExecutor:
		return []Role{r, Executor, run}
	case GUIAuditor, CLIAuditor:
		return []Role{r, Auditor, run}
	case Reporter:
		return []Role{r, Manager, run}
	case Manager, Executor, Auditor:
		return []Role{r, run}
	}
	return []Role{run}
}

// levels lists every level, the most general first.
func levels() []Role {
	return []Role{run, Manager, Executor, Auditor, GUIExecutor, CLIExecutor, GUIAuditor, CLIAuditor, Reporter}
}

// Bind answers who plays what. Later sources win: settings, then task, then
// override. A source that names an agent for a level has decided about every
// more special level below it too, so that "agent: claude" in a task is not
// undone by a settings file that names another auditor; its model and effort
// may still be refined by a source that names no agent. Within the result the
// chain holds: gui_executor, cli_executor → executor → run; gui_auditor,
// cli_auditor → auditor → run; reporter → manager → run. A level that names an
// agent without a model uses that agent's own default model.
func Bind(s Settings, task, override Casting) Roles {
	all := map[Role]Player{}
	for _, source := range []Casting{s.Casting(), task, override} {
		lay(all, source)
	}
	play := func(r Role, minutes int) Player {
		p := cast(all, r)
		p.Model = first(p.Model, s.Agents[p.Agent].Model)
		p.Minutes = first(p.Minutes, minutes)
		return p
	}
	return Roles{
		Manager:     play(Manager, s.Minutes.Manager),
		GUIExecutor: play(GUIExecutor, s.Minutes.Executor),
		CLIExecutor: play(CLIExecutor, s.Minutes.Executor),
		GUIAuditor:  play(GUIAuditor, s.Minutes.Auditor),
		CLIAuditor:  play(CLIAuditor, s.Minutes.Auditor),
		Reporter:    play(Reporter, s.Minutes.Reporter),
	}
}

// lay puts one source over what the sources before it said.
func lay(all map[Role]Player, source Casting) {
	said := maps.Clone(source.Roles)
	if said == nil {
		said = map[Role]Player{}
	}
	said[run] = Player{Agent: source.Agent, Model: source.Model, Effort: source.Effort}
	for _, level := range levels() {
		p, old := said[level], all[level]
		if p.Agent != "" {
			forget(all, level)
			old.Model = ""
		}
		all[level] = Player{
			Agent: first(p.Agent, old.Agent), Model: first(p.Model, old.Model),
			Effort: first(p.Effort, old.Effort), Minutes: first(p.Minutes, old.Minutes),
		}
	}
}

// forget drops the agents and models of the levels more special than one.
func forget(all map[Role]Player, level Role) {
	for r, p := range all {
		for _, above := range chain(r)[1:] {
			if above == level {
				p.Agent, p.Model = "", ""
				all[r] = p
			}
		}
	}
}

// cast walks a role's chain. The model is looked for only as far as the level
// that names the agent: a more general one was meant for another agent.
// Minutes of the manager are no statement about its reporter.
func cast(all map[Role]Player, r Role) Player {
	got := Player{}
	for _, level := range chain(r) {
		p := all[level]
		if got.Agent == "" {
			got.Model = first(got.Model, p.Model)
			got.Agent = p.Agent
		}
		got.Effort = first(got.Effort, p.Effort)
		if r != Reporter || level == Reporter {
			got.Minutes = first(got.Minutes, p.Minutes)
		}
	}
	return got
}
