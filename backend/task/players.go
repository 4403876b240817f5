package task

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"longwatch/backend/check"
	"longwatch/backend/config"
)

func (r *reader) playKeys(t *Task) []key {
	return []key{
		{"agent", func(n ast.Node, name string) { t.Agent = r.agent(n, name) }},
		{"model", func(n ast.Node, name string) { t.Model = r.named(n, name) }},
		{"effort", r.oneOf(&t.Effort, config.Efforts())},
		{"roles", func(n ast.Node, name string) { r.roles(n, name, t) }},
		{"limits", func(n ast.Node, name string) { r.limits(n, name, t) }},
	}
}

// agent takes a name. Whether the settings know it is seen at the start; a name
// that is nearly a built-in one is worth a word now.
func (r *reader) agent(n ast.Node, name string) string {
	text, isText := scalar(n)
	if !isText {
		r.wrongType(n, name, "text: the name of an agent")
		return ""
	}
	near, close := check.Nearest(text, config.Known())
	switch {
	case !config.AgentName(text):
		problem := fmt.Sprintf("%s is %s; wanted a name of small letters, digits and hyphens", name, quoted(text))
		if close {
			problem += fmt.Sprintf("; did you mean %q?", near)
		}
		r.refuse(at(n), "value", problem, "Programs are named in the settings, below [agents.NAME].")
		return ""
	case close && near != text && !slices.Contains(config.Known(), text):
		r.warn(at(n), "agent", fmt.Sprintf("%s is %s; did you mean %q?", name, quoted(text), near),
			"An agent of your own needs its entry in the settings.")
	}
	return text
}

func (r *reader) roles(n ast.Node, name string, t *Task) {
	keys := []key{}
	for _, role := range config.RoleNames() {
		keys = append(keys, key{role, func(n ast.Node, name string) {
			var p config.Player
			r.mapping(n, name, []key{
				{"agent", func(n ast.Node, name string) { p.Agent = r.agent(n, name) }},
				{"model", func(n ast.Node, name string) { p.Model = r.named(n, name) }},
				{"effort", r.oneOf(&p.Effort, config.Efforts())},
				{"minutes", func(n ast.Node, name string) { p.Minutes = int(r.number(n, name, config.MaxMinutes)) }},
			})
			old := t.Roles[config.Role(role)]
			if p.Minutes > 0 && old.Minutes > 0 {
				r.refuse(at(n), "duplicate_key", fmt.Sprintf("the minutes of %s are here twice", role),
					"Remove them from roles or from limits.")
			}
			p.Minutes = max(p.Minutes, old.Minutes)
			setRole(t, role, p)
		}})
	}
	r.mapping(n, name, keys)
}

func setRole(t *Task, role string, p config.Player) {
	if t.Roles == nil {
		t.Roles = map[config.Role]config.Player{}
	}
	t.Roles[config.Role(role)] = p
}

func (r *reader) limits(n ast.Node, name string, t *Task) {
	l := &t.Limits
	const year = config.Millis(365 * 24 * 60 * 60 * 1000)
	r.mapping(n, name, []key{
		{"rounds", func(n ast.Node, name string) { l.Rounds = int(r.number(n, name, config.MaxRounds)) }},
		{"fails", func(n ast.Node, name string) { l.Fails = int(r.number(n, name, config.MaxFails)) }},
		{"tokens", func(n ast.Node, name string) { l.Tokens = r.number(n, name, config.MaxTokens) }},
		{"active", func(n ast.Node, name string) { l.Active = r.span(n, name, year) }},
		{"cost", func(n ast.Node, name string) { l.Cost = r.money(n, name) }},
		{"minutes", func(n ast.Node, name string) { r.minutes(n, name, t) }},
	})
}

// minutes of limits are the same as minutes of roles, said in another place.
func (r *reader) minutes(n ast.Node, name string, t *Task) {
	keys := []key{}
	for _, role := range config.RoleNames() {
		keys = append(keys, key{role, func(n ast.Node, name string) {
			minutes := int(r.number(n, name, config.MaxMinutes))
			p := t.Roles[config.Role(role)]
			if p.Minutes > 0 {
				r.refuse(at(n), "duplicate_key", fmt.Sprintf("the minutes of %s are here twice", role),
					"Remove them from roles or from limits.")
				return
			}
			p.Minutes = minutes
			setRole(t, role, p)
		}})
	}
	r.mapping(n, name, keys)
}

func (r *reader) money(n ast.Node, name string) config.Money {
	text, ok := scalar(n)
	switch v := n.(type) {
	case *ast.IntegerNode:
		text, ok = fmt.Sprint(v.Value), true
	case *ast.FloatNode:
		text, ok = strconv.FormatFloat(v.Value, 'f', -1, 64), true
	}
	if !ok {
		r.wrongType(n, name, `dollars, such as $20`)
		return 0
	}
	money, err := config.ParseMoney(text)
	if err != nil {
		r.refuse(at(n), "value", fmt.Sprintf("%s is %s; %v", name, quoted(strings.TrimSpace(text)), err), "")
	}
	return money
}
