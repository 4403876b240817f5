package task

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"longwatch/backend/check"
	"longwatch/backend/config"
)

// keys is everything a task file can say.
func (r *reader) keys(t *Task) []key {
	return slices.Concat(r.workKeys(t), r.playKeys(t), r.guardKeys(t), []key{
		{"title", func(n ast.Node, name string) { t.Title = r.named(n, name) }},
		{"language", r.oneOf(&t.Language, config.Languages())},
		{"brief", r.oneOf(&t.Brief, config.BriefLevels())},
		{"deadline", func(n ast.Node, name string) { t.Deadline = r.deadline(n, name) }},
	})
}

func (r *reader) oneOf(into *string, known []string) func(ast.Node, string) {
	return func(n ast.Node, name string) {
		if word := r.word(n, name, known); word != "" {
			*into = word
		}
	}
}

func (r *reader) workKeys(t *Task) []key {
	return []key{
		{"needs", func(n ast.Node, name string) { t.Needs = r.needs(n, name) }},
		{"checks", func(n ast.Node, name string) { t.Checks = r.checks(n, name) }},
		{"hidden_checks", func(n ast.Node, name string) { t.Hidden = r.checks(n, name) }},
		{"steps", func(n ast.Node, name string) { t.Steps = r.steps(n, name) }},
		{"services", func(n ast.Node, name string) { t.Services = r.services(n, name) }},
		{"final_audit", func(n ast.Node, name string) { t.FinalAudit = r.flag(n, name) }},
		{"attachments", func(n ast.Node, name string) { t.Attachments = r.texts(n, name, 100) }},
		{"build_patterns", func(n ast.Node, name string) { t.Build = r.texts(n, name, 200) }},
	}
}

func (r *reader) guardKeys(t *Task) []key {
	return []key{
		{"workspace", func(n ast.Node, name string) { t.Workspace = r.workspace(n, name) }},
		{"exclusive_workspace", func(n ast.Node, name string) { t.Exclusive = r.flag(n, name) }},
		{"surface", r.oneOf(&t.Surface, []string{"cli", "gui", "auto"})},
		{"display", r.oneOf(&t.Display, config.Displays())},
		{"min_guard", r.oneOf(&t.MinGuard, []string{"detect", "kernel-landlock", "kernel-ro", "kernel-cow"})},
		{"home", r.oneOf(&t.Home, []string{"overlay", "private", "real"})},
		{"grant", func(n ast.Node, name string) { t.Grants = r.grants(n, name) }},
		{"on_fail", r.oneOf(&t.OnFail, []string{"keep", "restore"})},
		{"on_violation", r.oneOf(&t.OnViolation, []string{"ask", "restore"})},
	}
}

// workspace refuses the two folders nobody wants an agent loose in. The start
// checks again, when links and "~" are resolved.
func (r *reader) workspace(n ast.Node, name string) string {
	folder := r.text(n, name)
	if clean := path.Clean(folder); folder != "" && (clean == "/" || clean == "~") {
		r.refuse(at(n), "value", fmt.Sprintf("the workspace cannot be %s", quoted(folder)), "Name a folder of its own.")
		return ""
	}
	return folder
}

func (r *reader) needs(n ast.Node, name string) (all []string) {
	r.list(n, name, 50, func(n ast.Node, name string) {
		word := r.named(n, name)
		if strings.ContainsAny(word, " \t") {
			r.refuse(at(n), "value", fmt.Sprintf("%s is %s; wanted one word", name, quoted(word)), "")
			return
		}
		if word != "" {
			all = append(all, word)
		}
	})
	return all
}

// deadline takes a moment with its zone, or a local date and time.
func (r *reader) deadline(n ast.Node, name string) int64 {
	text := r.text(n, name)
	if text == "" {
		return 0
	}
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		moment, err = time.ParseInLocation("2006-01-02 15:04", text, time.Local)
	}
	if err != nil || moment.Year() < 2000 || moment.Year() > 2200 {
		r.refuse(at(n), "value", fmt.Sprintf("%s is %s; wanted a date and time", name, quoted(text)),
			"Write 2026-12-31 18:00 for local time, or 2026-12-31T18:00:00Z.")
		return 0
	}
	return moment.UnixMilli()
}

// grants takes a list of path:ro and path:rw.
func (r *reader) grants(n ast.Node, name string) (all []Grant) {
	r.list(n, name, 50, func(n ast.Node, name string) {
		text := r.text(n, name)
		if text == "" {
			return
		}
		cut := strings.LastIndexByte(text, ':')
		folder, mode := text[:max(cut, 0)], text[cut+1:]
		inside := strings.HasPrefix(folder, "/") || strings.HasPrefix(folder, "~/")
		clean := path.Clean(folder)
		switch {
		case mode != "ro" && mode != "rw":
			r.refuse(at(n), "value", fmt.Sprintf("%s is %s; wanted a folder and :ro or :rw", name, quoted(text)), "Write /data/in:ro.")
		case !inside || clean == "/" || clean == "~" || slices.Contains(strings.Split(folder, "/"), ".."):
			r.refuse(at(n), "value", fmt.Sprintf("%s: the folder %s cannot be granted", name, quoted(folder)),
				`Name a folder below / or ~, without "..".`)
		default:
			all = append(all, Grant{Path: clean, Write: mode == "rw"})
		}
	})
	return all
}

// check takes one check. Its column is counted from where the value begins,
// which is exact for text that is not folded or escaped.
func (r *reader) check(n ast.Node, name string) (check.Check, bool) {
	text := r.text(n, name)
	if text == "" {
		return check.Check{}, false
	}
	c, err := check.Parse(text)
	if err == nil {
		return c, true
	}
	where, fix := at(n), "See the list of checks: file, json, run, http, window, element."
	if syntax, ok := err.(*check.SyntaxError); ok {
		where.col += syntax.Col - 1
	}
	if strings.Contains(text, "`") && strings.Count(text, "`")%2 == 1 {
		fix = `If the check has a "#", put all of it in single quotes: YAML takes the rest for a comment.`
	}
	r.refuse(where, "check", fmt.Sprintf("%s: %v", name, err), fix)
	return check.Check{}, false
}

func (r *reader) checks(n ast.Node, name string) (all []check.Check) {
	r.list(n, name, 200, func(n ast.Node, name string) {
		if c, ok := r.check(n, name); ok {
			all = append(all, c)
		}
	})
	return all
}
