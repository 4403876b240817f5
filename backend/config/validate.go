package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// violation is one value that is out of range.
type violation struct {
	key  string // dotted
	want string
}

func (v violation) Error() string { return fmt.Sprintf("%q: wanted %s", v.key, v.want) }

// Validate reports every value that is out of range, joined.
func (s Settings) Validate() error {
	var errs []error
	for _, v := range s.violations() {
		errs = append(errs, v)
	}
	return errors.Join(errs...)
}

func (s Settings) violations() []violation {
	var v violations
	v.word("effort", s.Effort, Efforts(), true)
	v.word("language", s.Language, Languages(), true)
	v.word("prompt_language", s.PromptLanguage, Languages(), true)
	v.word("theme", s.Theme, Themes(), false)
	v.word("display", s.Display, Displays(), false)
	v.word("brief.level", s.Brief.Level, BriefLevels(), false)
	v.size("limits.rounds", s.Limits.Rounds, 1, MaxRounds)
	v.size("limits.fails", s.Limits.Fails, 1, MaxFails)
	v.size("limits.tokens", s.Limits.Tokens, 0, MaxTokens)
	v.size("minutes.manager", s.Minutes.Manager, 1, MaxMinutes)
	v.size("minutes.executor", s.Minutes.Executor, 1, MaxMinutes)
	v.size("minutes.auditor", s.Minutes.Auditor, 1, MaxMinutes)
	v.size("minutes.reporter", s.Minutes.Reporter, 1, MaxMinutes)
	v.size("brief.control_kib", s.Brief.ControlKiB, 4, 256)
	v.size("brief.evidence_kib", s.Brief.EvidenceKiB, 1, 1024)
	v.size("output.report_kib", s.Output.ReportKiB, 16, 4096)
	v.size("output.trace_mib", s.Output.TraceMiB, 1, 1024)
	v.size("output.shell_kib", s.Output.ShellKiB, 4, 4096)
	v.size("storage.total_gib", s.Storage.TotalGiB, 1, 10_000)
	v.size("storage.keep_days", s.Storage.KeepDays, 0, 36_500)
	v.filled("ignore_patterns", s.Ignore)
	v.filled("build_patterns", s.Build)
	v.filled("notify_command", s.Notify)
	v.agent("agent", s.Agent, s)
	v.players(s)
	v.programs(s.Agents)
	return v
}

type violations []violation

func (v *violations) add(key, want string) { *v = append(*v, violation{key, want}) }

func (v *violations) word(key, value string, known []string, optional bool) {
	if !slices.Contains(known, value) && (value != "" || !optional) {
		v.add(key, strings.Join(known, ", "))
	}
}

func (v *violations) filled(key string, values []string) {
	if slices.Contains(values, "") {
		v.add(key, "texts that are not empty")
	}
}

// size takes any whole number.
func (v *violations) size(key string, value any, low, high int64) {
	n, ok := value.(int64)
	if i, isInt := value.(int); isInt {
		n, ok = int64(i), true
	}
	if !ok || n < low || n > high {
		v.add(key, fmt.Sprintf("a number from %d to %d", low, high))
	}
}

func (v *violations) agent(key, name string, s Settings) {
	if name != "" && !s.Knows(name) {
		v.add(key, fmt.Sprintf("one of %s, or an agent with a command below [agents.%s]", strings.Join(Known(), ", "), name))
	}
}

func (v *violations) players(s Settings) {
	for _, name := range RoleNames() {
		p, said := s.Roles[Role(name)]
		if !said {
			continue
		}
		key := "roles." + name
		v.agent(key+".agent", p.Agent, s)
		v.word(key+".effort", p.Effort, Efforts(), true)
		v.size(key+".minutes", p.Minutes, 0, MaxMinutes)
	}
}

func (v *violations) programs(agents map[string]Program) {
	for _, name := range sorted(agents) {
		p, key := agents[name], "agents."+name
		if !AgentName(name) {
			v.add(key, "a name of small letters, digits and hyphens")
		}
		if len(p.Command) == 0 && !slices.Contains(Known(), name) {
			v.add(key, "a command, because this agent is not built in")
		}
		if len(p.Command) > 0 && p.Command[0] == "" {
			v.add(key+".command", "a program")
		}
		v.word(key+".prompt", p.Prompt, Prompts(), true)
		v.filled(key+".pass_env", p.Pass)
	}
}

func sorted(agents map[string]Program) []string {
	names := make([]string, 0, len(agents))
	for name := range agents {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
