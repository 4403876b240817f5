package loop

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
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
		clipPrompt(strings.Join(heads, "\n"), e.Bounds.Task) + "\n"
}

// control is the part that must fit: what the person said, what is believed,
// what was refused and why, and what is left of the budgets.
//
// Each piece has its share of the room, so that together they fit however many
// messages or requirements there are; what a share cannot hold is named.
func (e *Engine) control(s *run.State, d Decision) string {
	const heads = 700 // headings, the line of budgets, the frame of a repair
	room := max(0, e.Bounds.Control-heads)
	var w section
	w.list("The person's messages, newest last: they amend the task", messages(s, d.Step.Phase, room*33/100))
	w.list("Requirements", requirements(s, room*25/100))
	if d.Step.Phase != run.FinalAudit {
		w.text("Task contract", clip(s.Contract, room*12/100))
	}
	if d.Step.Phase == run.Plan {
		w.text("Put back", undone(s.Undone, room*6/100))
		w.list("Not believed", clipTo(s.Notes, room*6/100))
		if d.Disposition == Replan {
			w.text("Plan differently, because", clip(d.Reason, room*8/100))
		}
		w.text("Budgets", budgetLine(s))
	}
	w.text("Repair", repair(s, d.Step.Phase, room*4/100))
	return w.String()
}

// messages are, for the manager, those no plan has read, each with an equal
// share; for everybody else all of them, the newest first in line for the room.
func messages(s *run.State, p run.Phase, room int) []string {
	all := s.Messages
	share := maxMessage
	if p == run.Plan {
		all = s.Unread()
		share = max(200, room/max(1, len(all))-4)
	}
	var out []string
	for i := len(all) - 1; i >= 0; i-- {
		line := clip(all[i].Text, min(share, maxMessage)) + answers(s, all[i].ID)
		if room -= len(line) + 3; room < 0 && p != run.Plan && len(out) > 0 {
			out = append(out, fmt.Sprintf("(%d earlier messages are left out for room)", i+1))
			break
		}
		out = append(out, line)
	}
	slices.Reverse(out)
	return out
}

// requirements lists those that are open, then those that are completed, until
// the room is used, and names the rest by their ids.
func requirements(s *run.State, room int) []string {
	var open, completed []run.Belief
	for _, b := range s.Records {
		switch {
		case !b.Requirement():
		case b.Mark == protocol.Completed:
			completed = append(completed, b)
		default:
			open = append(open, b)
		}
	}
	var out []string
	for _, group := range [][]run.Belief{open, completed} {
		for i, b := range group {
			line := recordLine(b)
			if room -= len(line) + 3; room < 0 {
				out = append(out, fmt.Sprintf("and %d more that are %s, %s to %s", len(group)-i, b.Mark, b.ID, group[len(group)-1].ID))
				break
			}
			out = append(out, line)
		}
	}
	return out
}

func recordLine(b run.Belief) string { return clip(strings.TrimPrefix(b.String(), "- "), maxLine) }

// answers says which question a message answers, if it does: the manager does
// not remember having asked.
func answers(s *run.State, id string) string {
	for _, a := range s.Answers {
		if a.Gate == id {
			return " (the answer to: " + clip(a.Question, maxLine) + ")"
		}
	}
	return ""
}

// undone tells the manager that the workspace is not as the last executor left
// it.
func undone(u *run.Undone, room int) string {
	if u == nil {
		return ""
	}
	state := fmt.Sprintf("before round_%03d began", u.To)
	if u.Supported {
		state = fmt.Sprintf("that round_%03d's verdict supports", u.To)
	}
	text := fmt.Sprintf("What round_%03d did made things worse. The workspace is again in the state %s; %d entries were put back.", u.Round, state, u.Count)
	if len(u.Left) > 0 {
		text += " Not put back: " + strings.Join(u.Left, "; ")
	}
	return clip(text, max(room, 300))
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
func repair(s *run.State, p run.Phase, room int) string {
	r := s.OpenRound()
	if r == nil {
		return ""
	}
	for i := len(r.Failed) - 1; i >= 0; i-- {
		if f := r.Failed[i]; f.Phase == p && f.Fail == run.FailUnreadable {
			return "Your last answer could not be read: " + clip(f.Detail, 200) + "\nIt was:\n" + quote(clip(f.Said.Text, max(room, 200)))
		}
	}
	return ""
}

func quote(text string) string {
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}
