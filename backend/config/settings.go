// Package config holds a person's settings and answers the question which agent,
// with which model, plays which role.
//
// Settings come from one TOML file, settings.toml, and never from a workspace:
// they are the only place that may name a program. Reading is strict: an
// unknown key, a wrong type and a value out of range are each reported with
// their line, and a misspelled key with the one that was probably meant.
// Settings that were read with an error must not be used.
//
// The package also owns the words that settings and task files share: Limits,
// Casting, and the Problem in which both report what they refuse. Package task
// imports config, never the other way round.
package config

// Settings are a person's choices. The zero value is not valid; start from
// Default. A task file and a command line override them for one run.
type Settings struct {
	// Agent plays every role; empty: not chosen.
	Agent string `toml:"agent" json:"agent,omitempty"`
	// Model is Agent's; empty: the agent's own default.
	Model string `toml:"model" json:"model,omitempty"`
	// Effort is one of Efforts; empty: the agent's own.
	Effort string `toml:"effort" json:"effort,omitempty"`
	// Language is that of window and messages; empty: the system's.
	Language string `toml:"language" json:"language,omitempty"`
	// PromptLanguage is that of briefs; empty: English.
	PromptLanguage string `toml:"prompt_language" json:"prompt_language,omitempty"`
	// Theme is one of Themes, Display one of Displays.
	Theme   string `toml:"theme" json:"theme"`
	Display string `toml:"display" json:"display"`
	// Awake means no sleep while a worker runs.
	Awake bool `toml:"keep_awake" json:"keep_awake"`
	// Notify is a program and its arguments; empty: the desktop's own way.
	Notify []string `toml:"notify_command" json:"notify_command,omitempty"`
	// Ignore lists patterns of files whose changes mean nothing.
	Ignore []string `toml:"ignore_patterns" json:"ignore_patterns"`
	// Build lists patterns of what builds make again.
	Build   []string        `toml:"build_patterns" json:"build_patterns"`
	Limits  Limits          `toml:"limits" json:"limits"`
	Minutes Minutes         `toml:"minutes" json:"minutes"`
	Roles   map[Role]Player `toml:"roles" json:"roles,omitempty"`
	Brief   Brief           `toml:"brief" json:"brief"`
	Output  Output          `toml:"output" json:"output"`
	Storage Storage         `toml:"storage" json:"storage"`
	// Agents are known by name.
	Agents map[string]Program `toml:"agents" json:"agents,omitempty"`
}

// Limits bound one run. A zero field is not said: Over fills it in, and where
// nobody says it there is no such limit.
type Limits struct {
	Rounds int    `toml:"rounds" json:"rounds,omitempty"`    // 1 to MaxRounds
	Fails  int    `toml:"fails" json:"fails,omitempty"`      // failed rounds in a row before a person is asked
	Active Millis `toml:"active" json:"active_ms,omitempty"` // time a worker was at work, waiting not counted
	Tokens int64  `toml:"tokens" json:"tokens,omitempty"`    //
	Cost   Money  `toml:"cost" json:"cost_micros,omitempty"` //
}

// Over returns the limits with what they do not say taken from lower.
func (l Limits) Over(lower Limits) Limits {
	return Limits{
		Rounds: first(l.Rounds, lower.Rounds),
		Fails:  first(l.Fails, lower.Fails),
		Active: first(l.Active, lower.Active),
		Tokens: first(l.Tokens, lower.Tokens),
		Cost:   first(l.Cost, lower.Cost),
	}
}

// first returns the first value that says something.
func first[T comparable](values ...T) T {
	var zero T
	for _, v := range values {
		if v != zero {
			return v
		}
	}
	return zero
}

// Minutes are how long one episode of a role may take, 1 to MaxMinutes.
type Minutes struct {
	Manager  int `toml:"manager" json:"manager"`
	Executor int `toml:"executor" json:"executor"`
	Auditor  int `toml:"auditor" json:"auditor"`
	Reporter int `toml:"reporter" json:"reporter"`
}

// Brief bounds what a role is told.
type Brief struct {
	Level       string `toml:"level" json:"level"`               // one of BriefLevels
	ControlKiB  int    `toml:"control_kib" json:"control_kib"`   // 4 to 256
	EvidenceKiB int    `toml:"evidence_kib" json:"evidence_kib"` // 1 to 1024
}

// Output bounds what an episode may leave behind; more is cut visibly.
type Output struct {
	ReportKiB int `toml:"report_kib" json:"report_kib"` // a role's answer, 16 to 4096
	TraceMiB  int `toml:"trace_mib" json:"trace_mib"`   // a role's raw trace, 1 to 1024
	ShellKiB  int `toml:"shell_kib" json:"shell_kib"`   // one command of a check or playbook, 4 to 4096
}

// Storage bounds what all runs together keep.
type Storage struct {
	TotalGiB int `toml:"total_gib" json:"total_gib"` // 1 to 10000
	KeepDays int `toml:"keep_days" json:"keep_days"` // finished runs; 0: for ever
}

// Program is how an agent is started. For the agents that Longwatch knows it
// only says where they are and which model they use by default.
type Program struct {
	Command []string `toml:"command" json:"command,omitempty"` // program and arguments; needed for agents of one's own
	Model   string   `toml:"model" json:"model,omitempty"`     // used where a role names the agent and no model
	Prompt  string   `toml:"prompt" json:"prompt,omitempty"`   // one of Prompts; empty: stdin
	Pass    []string `toml:"pass_env" json:"pass_env,omitempty"`
}

// Default returns the settings of somebody who never wrote any.
func Default() Settings {
	return Settings{
		Theme: "system", Display: "private", Awake: true,
		Ignore:  []string{".DS_Store", "*.swp", "*~", ".#*"},
		Build:   []string{"node_modules/", "__pycache__/", "target/", ".venv/", ".pytest_cache/", ".cache/"},
		Limits:  Limits{Rounds: 25, Fails: 3},
		Minutes: Minutes{Manager: 10, Executor: 30, Auditor: 10, Reporter: 3},
		Brief:   Brief{Level: "full", ControlKiB: 8, EvidenceKiB: 24},
		Output:  Output{ReportKiB: 256, TraceMiB: 64, ShellKiB: 64},
		Storage: Storage{TotalGiB: 20, KeepDays: 0},
	}
}
