package loop

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"longwatch/backend/check"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

//go:embed prompts/*.md
var prompts embed.FS

// Bounds limit what a brief may carry, in bytes.
type Bounds struct {
	Task     int // the task itself; above it only its headings
	Control  int // messages, records, refusals, budgets: must fit
	Evidence int // audits, reports, changes, results: cut to fit
}

// DefaultBounds are the limits of LOOP.md.
var DefaultBounds = Bounds{Task: 32 << 10, Control: 8 << 10, Evidence: 24 << 10}

// Brief is everything a role is told. It is made from State alone, so the same
// state gives the same brief.
type Brief struct {
	Text    string // the prompt, Markdown
	Input   []byte // the same for agents that are programs: an [Input] as JSON
	Digest  string // sha256 of Text and Input
	Decided uint64 // State.Decided when it was rendered
	Agent   string
	Surface string

	checks, hidden []check.Check
}

// brief renders what the phase of a decision needs.
func (e *Engine) brief(s *run.State, d Decision) (Brief, error) {
	b := Brief{Decided: s.Decided, Surface: surface(s)}
	var err error
	switch p := d.Step.Phase; p {
	case run.Check:
		b.checks, err = planChecks(s.Current().Plan)
		return b, err
	case run.FinalCheck:
		b.checks, b.hidden = e.Task.Checks, e.Task.Hidden
		return b, nil
	case run.Probe:
		c, err := check.Parse(s.Waiting.Until)
		b.checks = []check.Check{c}
		return b, err
	default:
		return e.roleBrief(s, d, b)
	}
}

func (e *Engine) roleBrief(s *run.State, d Decision, b Brief) (Brief, error) {
	p := d.Step.Phase
	b.Agent = e.Agent(p, b.Surface)
	text, err := e.prompt(s, d)
	if err != nil {
		return b, err
	}
	if b.Input, err = json.Marshal(e.input(s, d)); err != nil {
		return b, err
	}
	b.Text = text
	h := sha256.New()
	h.Write([]byte(b.Text))
	h.Write(b.Input)
	b.Digest = hex.EncodeToString(h.Sum(nil))
	return b, nil
}

// surface is where the current plan's step takes place.
func surface(s *run.State) string {
	if r := s.OpenRound(); r != nil && r.Plan != nil && r.Plan.Route == protocol.GUI {
		return string(protocol.GUI)
	}
	return string(protocol.CLI)
}

func planChecks(p *protocol.Plan) ([]check.Check, error) {
	var out []check.Check
	for _, c := range p.Criteria {
		if c.Check == "" {
			continue
		}
		parsed, err := check.Parse(c.Check)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.ID, err)
		}
		out = append(out, parsed)
	}
	return out, nil
}

func (e *Engine) prompt(s *run.State, d Decision) (string, error) {
	name := map[run.Phase]string{
		run.Plan: "manager", run.Execute: "executor", run.Audit: "auditor",
		run.FinalAudit: "final_auditor", run.Report: "reporter",
	}[d.Step.Phase]
	head, err := prompts.ReadFile("prompts/" + name + ".md")
	if err != nil {
		return "", err
	}
	control := e.control(s, d)
	if len(control) > e.Bounds.Control {
		return "", fmt.Errorf("the brief's mandatory part has %d bytes; the limit is %d: raise brief.control_kib in the settings", len(control), e.Bounds.Control)
	}
	return strings.Join([]string{
		string(head), e.taskPart(), control, evidence(s, d.Step.Phase, e.Bounds.Evidence),
	}, "\n"), nil
}

// taskPart is the task as it was dropped, or its headings when it is long.
func (e *Engine) taskPart() string {
	body := e.Task.Body
	if len(body) <= e.Bounds.Task {
		return "# The task\n\n" + body + "\n"
	}
	var heads []string
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, "#") {
			heads = append(heads, strings.TrimRight(line, "\r\n"))
		}
	}
	return "# The task (long: only its headings; the whole is in task.md)\n\n" +
		clip(strings.Join(heads, "\n"), e.Bounds.Task) + "\n"
}

// control is the part that must fit: what the person said, what is believed,
// what was refused and why, and what is left of the budgets.
func (e *Engine) control(s *run.State, d Decision) string {
	var w section
	w.list("The person's messages, newest last: they amend the task", messages(s, d.Step.Phase))
	w.list("State records", records(s))
	if s.Contract != "" && d.Step.Phase != run.FinalAudit {
		w.text("Task contract", clip(s.Contract, e.Bounds.Control/4))
	}
	if d.Step.Phase == run.Plan {
		w.list("Not believed", s.Notes)
		if d.Disposition == Replan {
			w.text("Plan differently, because", clip(d.Reason, maxQuestion))
		}
		w.text("Budgets", budgetLine(s))
		w.text("Repair", repair(s, run.Plan))
	}
	if d.Step.Phase == run.Audit || d.Step.Phase == run.FinalAudit {
		w.text("Repair", repair(s, d.Step.Phase))
	}
	return w.String()
}

func messages(s *run.State, p run.Phase) []string {
	var out []string
	for _, m := range s.Messages {
		if m.UsedBy == 0 || p != run.Plan {
			out = append(out, clip(m.Text, maxQuestion))
		}
	}
	return out
}

func records(s *run.State) []string {
	var out []string
	for _, b := range s.Records {
		out = append(out, clip(b.String(), maxLine))
	}
	return out
}

func budgetLine(s *run.State) string {
	line := fmt.Sprintf("%d of %d rounds are left", s.RoundsLeft(), s.Limits.Rounds)
	if l := s.Limits.ActiveMillis; l > 0 {
		line += fmt.Sprintf("; %d of %d minutes", max(0, l-s.Used.Millis)/60000, l/60000)
	}
	if l := s.Limits.Tokens; l > 0 {
		line += fmt.Sprintf("; %d of %d tokens", max(0, l-s.Used.Tokens), l)
	}
	return line
}

// repair shows a role what it said that could not be read, and why.
func repair(s *run.State, p run.Phase) string {
	r := s.OpenRound()
	if r == nil {
		return ""
	}
	for i := len(r.Failed) - 1; i >= 0; i-- {
		if f := r.Failed[i]; f.Phase == p && f.Fail == run.FailUnreadable {
			return "Your last answer could not be read: " + f.Detail + "\nIt was:\n" + quote(clip(f.Said.Text, 2<<10))
		}
	}
	return ""
}

func quote(text string) string {
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}
