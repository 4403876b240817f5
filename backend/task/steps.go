package task

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"

	"longwatch/backend/check"
	"longwatch/backend/config"
)

const (
	defaultTimeout = config.Millis(10 * 60 * 1000)
	maxTimeout     = config.Millis(24 * 60 * 60 * 1000)
)

func (r *reader) steps(n ast.Node, name string) (all []Step) {
	seen := map[string]bool{}
	r.list(n, name, MaxSteps, func(n ast.Node, name string) {
		s := r.step(n, name)
		if s.Name == "" {
			return
		}
		if seen[fold(s.Name)] {
			r.refuse(at(n), "duplicate_step", fmt.Sprintf("two steps are named %s", quoted(s.Name)), "Give each its own name.")
		}
		seen[fold(s.Name)] = true
		all = append(all, s)
	})
	r.unchecked(all)
	return all
}

// unchecked warns once about the steps that expect nothing: a list of hundreds
// of warnings hides the others.
func (r *reader) unchecked(all []Step) {
	var without []Step
	for _, s := range all {
		if len(s.Expect) == 0 {
			without = append(without, s)
		}
	}
	if len(without) == 0 {
		return
	}
	text := fmt.Sprintf("step %s expects nothing", quoted(without[0].Name))
	if n := len(without) - 1; n > 0 {
		text = fmt.Sprintf("%d steps expect nothing, the first is %s", n+1, quoted(without[0].Name))
	}
	r.warn(place{line: without[0].Line}, "step_unchecked", text+"; only exit codes are looked at", "Add expect: with a check.")
}

func (r *reader) step(n ast.Node, name string) Step {
	s := Step{Timeout: defaultTimeout, Line: at(n).line}
	var a Action
	before := len(r.problems)
	r.mapping(n, name, append(r.actionKeys(&a), []key{
		{"name", func(n ast.Node, name string) { s.Name = r.named(n, name) }},
		{"expect", func(n ast.Node, name string) { s.Expect = r.expect(n, name) }},
		{"else", func(n ast.Node, name string) { s.Else = r.others(n, name) }},
		{"timeout", func(n ast.Node, name string) {
			if span := r.span(n, name, maxTimeout); span > 0 {
				s.Timeout = span
			}
		}},
	}...))
	s.Run, s.GUI, s.Service = a.Run, a.GUI, a.Service
	if len(r.problems) > before && config.Refused(r.problems[before:]) {
		return s // what is missing may only be misspelled
	}
	if s.Name == "" {
		r.refuse(at(n), "step", name+" has no name", "Add name: what is true when the step is done.")
	}
	r.oneAction(n, name, a)
	return s
}

func (r *reader) actionKeys(a *Action) []key {
	return []key{
		{"run", func(n ast.Node, name string) { a.Run = r.block(n, name) }},
		{"gui", func(n ast.Node, name string) { a.GUI = r.block(n, name) }},
		{"service", func(n ast.Node, name string) { a.Service = r.named(n, name) }},
	}
}

// oneAction wants exactly one way to act, and says when it cannot be done yet.
func (r *reader) oneAction(n ast.Node, name string, a Action) {
	said := 0
	for _, text := range []string{a.Run, a.GUI, a.Service} {
		if text != "" {
			said++
		}
	}
	switch {
	case said != 1:
		r.refuse(at(n), "step", fmt.Sprintf("%s needs exactly one of run, gui and service, and has %d", name, said), "")
	case a.GUI != "":
		r.warn(at(n), "not_available", name+" uses gui, which is not available yet: it will fail",
			"Use run, or give the task to another agent.")
	case a.Service != "":
		r.warn(at(n), "not_available", name+" uses service, which is not available yet: it will fail",
			"Use run, or give the task to another agent.")
	}
}

func (r *reader) others(n ast.Node, name string) (all []Action) {
	r.list(n, name, 10, func(n ast.Node, name string) {
		var a Action
		before := len(r.problems)
		r.mapping(n, name, r.actionKeys(&a)[:2])
		if len(r.problems) == before {
			r.oneAction(n, name, a)
			all = append(all, a)
		}
	})
	return all
}

// expect takes one check or a list of them.
func (r *reader) expect(n ast.Node, name string) []check.Check {
	if _, single := scalar(n); !single {
		return r.checks(n, name)
	}
	if c, ok := r.check(n, name); ok {
		return []check.Check{c}
	}
	return nil
}

func (r *reader) services(n ast.Node, name string) (all []Service) {
	seen := map[string]bool{}
	r.list(n, name, 20, func(n ast.Node, name string) {
		s := Service{Line: at(n).line}
		before := len(r.problems)
		r.mapping(n, name, []key{
			{"name", func(n ast.Node, name string) { s.Name = r.named(n, name) }},
			{"run", func(n ast.Node, name string) { s.Run = r.block(n, name) }},
			{"ready", func(n ast.Node, name string) { s.Ready = r.expect(n, name) }},
			{"writes", func(n ast.Node, name string) { s.Writes = r.texts(n, name, 50) }},
			{"keep", func(n ast.Node, name string) { s.Keep = r.flag(n, name) }},
		})
		switch {
		case config.Refused(r.problems[before:]):
			return
		case s.Name == "" || s.Run == "":
			r.refuse(at(n), "service", name+" needs a name and run", "")
		case seen[s.Name]:
			r.refuse(at(n), "service", fmt.Sprintf("two services are named %s", quoted(s.Name)), "Give each its own name.")
		}
		seen[s.Name] = true
		all = append(all, s)
	})
	return all
}

// started refuses a step that starts a service nobody describes.
func (r *reader) started(t *Task) {
	known := []string{}
	for _, s := range t.Services {
		known = append(known, s.Name)
	}
	for _, s := range t.Steps {
		if s.Service == "" {
			continue
		}
		near, ok := check.Nearest(s.Service, known)
		if ok && near == s.Service {
			continue
		}
		text := fmt.Sprintf("no service is named %s", quoted(s.Service))
		if ok {
			text += fmt.Sprintf("; did you mean %q?", near)
		}
		r.refuse(place{line: s.Line}, "service", text, "Describe it below services.")
	}
}
