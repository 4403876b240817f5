package config

import "strings"

// The limits of limits.
const (
	MaxRounds  = 10_000
	MaxMinutes = 24 * 60
	MaxFails   = 100
	MaxTokens  = 1_000_000_000_000
)

// Playbook is the agent that needs no model: it plays the steps of a task.
const Playbook = "playbook"

// Known lists the agents that Longwatch drives without being told how.
func Known() []string {
	return []string{Playbook, "claude", "codex", "opencode", "dsh", "api"}
}

// The words that settings and task files share, in the order they are shown.
func Efforts() []string     { return []string{"low", "medium", "high", "max"} }
func Displays() []string    { return []string{"private", "mine"} }
func Languages() []string   { return []string{"en", "zh"} }
func BriefLevels() []string { return []string{"full", "compact", "brief", "thin"} }

// Themes and Prompts are words of settings alone.
func Themes() []string  { return []string{"system", "light", "dark"} }
func Prompts() []string { return []string{"stdin", "arg", "file"} }

// AgentName reports whether a text can be the name of an agent: small letters,
// digits and hyphens, at most 40, the first a letter or digit.
func AgentName(name string) bool {
	return name != "" && len(name) <= 40 && name[0] != '-' &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// Knows reports whether the agent can be started: it is built in, or the
// settings say how.
func (s Settings) Knows(agent string) bool {
	for _, k := range Known() {
		if agent == k {
			return true
		}
	}
	return len(s.Agents[agent].Command) > 0
}
