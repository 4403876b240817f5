// Package task reads the task file that a person dropped: Markdown, with what
// is to be done in the body and how in an optional YAML front matter.
//
//	---
//	agent: claude
//	limits: {rounds: 10, cost: $20}
//	checks:
//	  - file report.pdf exists
//	---
//	# Write the quarterly report
//	- [ ] The report lists all four quarters
//
// Reading is strict where a slip would cost hours: a misspelled key, a wrong
// type, a value out of range and a check that does not parse are errors with
// their line. Keys that other tools write (tags, date) are named as ignored. No
// key can name a program that runs as an agent; those live in the settings.
//
// Checkboxes of the body are requirements, quoted as they stand; a ticked one
// is the author's claim, nothing more. In a task with steps each step fulfils
// exactly one requirement. Parse is pure: the same bytes give the same task,
// but for a deadline without a zone, which is local time.
package task

import (
	"longwatch/backend/check"
	"longwatch/backend/config"
)

// Problem and its severities are shared with the settings.
type Problem = config.Problem

// Limits of a task file.
const (
	MaxFile     = 256 << 10 // bytes of the file
	MaxFront    = 64 << 10  // bytes of its front matter
	WholeBody   = 32 << 10  // bytes of a body that briefs quote whole
	MaxTitle    = 200       // characters of a title or of a step's name
	MaxSteps    = 500       // steps, and checkboxes
	MaxProblems = 100       // that are reported
)

// Task is a task file, read. Empty words and zero numbers are not said; the
// settings decide. As JSON it goes to the playbook's process.
type Task struct {
	Name   string `json:"name"`   // of the file
	Digest string `json:"digest"` // SHA-256 of the file as dropped, in hex
	Title  string `json:"title"`
	Body   string `json:"body"` // Markdown below the front matter, "\n" line ends

	config.Casting // who plays; Agent is "playbook" when there are steps and nobody is named

	Workspace   string        `json:"workspace,omitempty"`
	Exclusive   bool          `json:"exclusive_workspace,omitempty"`
	Surface     string        `json:"surface"`           // cli, gui, auto
	Display     string        `json:"display,omitempty"` // private, mine
	Language    string        `json:"language,omitempty"`
	Brief       string        `json:"brief,omitempty"`    // full, compact, brief, thin
	Limits      config.Limits `json:"limits"`             //
	Deadline    int64         `json:"deadline,omitempty"` // unix ms
	Needs       []string      `json:"needs,omitempty"`    // names of capabilities
	Checks      []check.Check `json:"checks,omitempty"`
	Hidden      []check.Check `json:"hidden_checks,omitempty"`
	Steps       []Step        `json:"steps,omitempty"`
	Services    []Service     `json:"services,omitempty"`
	FinalAudit  bool          `json:"final_audit"` // default true
	Attachments []string      `json:"attachments,omitempty"`
	MinGuard    string        `json:"min_guard"` // default detect
	Home        string        `json:"home"`      // default overlay
	Grants      []Grant       `json:"grant,omitempty"`
	OnFail      string        `json:"on_fail"`      // default keep
	OnViolation string        `json:"on_violation"` // default ask
	Build       []string      `json:"build_patterns,omitempty"`
	Checkboxes  []Requirement `json:"checkboxes,omitempty"` // of the body
}

// Requirement is something the task must see fulfilled, quoted.
type Requirement struct {
	ID     string `json:"id"` // R1, R2, …
	Text   string `json:"text"`
	Ticked bool   `json:"ticked,omitempty"` // the author's claim, pending until audited
	Line   int    `json:"line"`             // in the file
}

// Step is one step of a playbook. Exactly one of Run, GUI and Service is set.
type Step struct {
	Name        string        `json:"name"`
	Requirement string        `json:"requirement"` // the id it fulfils
	Run         string        `json:"run,omitempty"`
	GUI         string        `json:"gui,omitempty"`
	Service     string        `json:"service,omitempty"` // the name of one of Services
	Expect      []check.Check `json:"expect,omitempty"`
	Else        []Action      `json:"else,omitempty"` // tried in order after a failed check
	Timeout     config.Millis `json:"timeout_ms"`     // default 10 minutes
	Line        int           `json:"line"`
}

// Action is one way to do a step.
type Action struct {
	Run     string `json:"run,omitempty"`
	GUI     string `json:"gui,omitempty"`
	Service string `json:"service,omitempty"`
}

// Service is a process that outlives the round that started it.
type Service struct {
	Name   string        `json:"name"`
	Run    string        `json:"run"`
	Ready  []check.Check `json:"ready,omitempty"`  // hold when it can be used
	Writes []string      `json:"writes,omitempty"` // patterns; changes there are its own
	Keep   bool          `json:"keep,omitempty"`   // it may outlive the run
	Line   int           `json:"line"`
}

// Grant is a folder outside the workspace that the task asks for.
type Grant struct {
	Path  string `json:"path"` // absolute, or below ~
	Write bool   `json:"write,omitempty"`
}

// Requirements lists all requirements: the checkboxes of the body, then the
// steps that no checkbox names. Without both it is empty, and the manager
// derives them.
func (t Task) Requirements() []Requirement {
	all := append([]Requirement(nil), t.Checkboxes...)
	known := map[string]bool{}
	for _, r := range all {
		known[r.ID] = true
	}
	for _, s := range t.Steps {
		if !known[s.Requirement] {
			all = append(all, Requirement{ID: s.Requirement, Text: s.Name, Line: s.Line})
		}
	}
	return all
}
