package task

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"longwatch/backend/config"
)

// Parse reads a task file's bytes; name is the file's, for messages and as the
// last resort for a title. With an Error among the problems the task must not
// be started. Problems come in the order of their lines, at most MaxProblems.
func Parse(name string, data []byte) (Task, []Problem) {
	sum := sha256.Sum256(data)
	t := Task{
		Name: label(name), Digest: hex.EncodeToString(sum[:]), Surface: "auto", FinalAudit: true,
		MinGuard: "detect", Home: "overlay", OnFail: "keep", OnViolation: "ask",
	}
	if p := examine(data); p.Text != "" {
		p.File = t.Name
		return t, []Problem{p}
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	r := &reader{file: t.Name, lines: strings.Count(text, "\n") + 1}
	front, body, first := r.split(text)
	t.Body = body
	r.front(front, &t)
	m := readBody(r, body, first)
	t.Checkboxes = m.boxes
	if t.Title == "" {
		t.Title = title(m.heading, t.Name)
	}
	r.started(&t)
	r.whole(&t)
	r.fulfil(&t)
	return t, r.sorted()
}

// split cuts the front matter off. first is the body's first line in the file.
func (r *reader) split(text string) (front, body string, first int) {
	head, rest, found := strings.Cut(text, "\n")
	if strings.TrimRight(head, " \t") != "---" {
		return "", text, 1
	}
	at := 0
	for line := 2; found && at < len(rest); line++ {
		end := len(rest)
		if n := strings.IndexByte(rest[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		if strings.TrimRight(rest[at:end], " \t\n") == "---" {
			return rest[:at], rest[end:], line + 1
		}
		at = end
	}
	r.refuse(place{line: 1}, "fence", "the front matter that begins here has no closing ---",
		"Put a line --- below the last key; a rule at the top of plain text is written ***.")
	return "", "", r.lines
}

// whole judges what only the whole task shows.
func (r *reader) whole(t *Task) {
	if len(t.Steps) > 0 && t.Agent == "" {
		t.Agent = config.Playbook
	}
	switch {
	case r.refused():
	case strings.TrimSpace(t.Body) == "" && len(t.Steps) == 0:
		r.refuse(place{}, "nothing_to_do", "the file says how, but not what is to be done",
			"Write it below the front matter, or add steps.")
	case t.Agent == config.Playbook && len(t.Steps) == 0:
		r.refuse(place{}, "no_steps", `the agent "playbook" plays steps, and the task has none`,
			"Add steps, or name another agent.")
	case t.Agent != config.Playbook && len(t.Steps) > 0:
		r.warn(place{line: t.Steps[0].Line}, "steps_unplayed",
			fmt.Sprintf("steps are played only by the agent \"playbook\"; %s sees them as requirements", quoted(t.Agent)),
			"Leave out the agent to have the steps played.")
	}
	if len(t.Body) > WholeBody {
		r.warn(place{}, "long_body", "the body is longer than 32 KiB, so briefs show its headings and a file to read",
			"Move long material into attachments.")
	}
}

func title(heading, file string) string {
	if heading == "" {
		heading = strings.TrimSuffix(file, filepath.Ext(file))
	}
	if heading == "" {
		heading = file
	}
	heading = printable(strings.Join(strings.Fields(heading), " "))
	if utf8.RuneCountInString(heading) > MaxTitle {
		heading = string([]rune(heading)[:MaxTitle-1]) + "…"
	}
	return heading
}

// fulfil gives every step its requirement and every checkbox of a playbook its
// step.
func (r *reader) fulfil(t *Task) {
	if len(t.Steps) == 0 {
		return
	}
	next := len(t.Checkboxes) + 1
	taken := map[string]bool{}
	for i := range t.Steps {
		s := &t.Steps[i]
		box := slices.IndexFunc(t.Checkboxes, func(b Requirement) bool {
			return !taken[b.ID] && fold(b.Text) == fold(s.Name)
		})
		if box >= 0 {
			s.Requirement = t.Checkboxes[box].ID
			taken[s.Requirement] = true
			continue
		}
		s.Requirement = requirementID(next)
		next++
	}
	if t.Agent != config.Playbook {
		return
	}
	for _, b := range t.Checkboxes {
		if !taken[b.ID] {
			r.refuse(place{line: b.Line}, "unfulfilled", "no step fulfils this checkbox: "+quoted(b.Text),
				"Name a step so, or make it a plain bullet.")
		}
	}
}

// fold drops what may differ between a checkbox and a step's name.
func fold(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(text), " "))
}
