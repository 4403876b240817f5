package loop

import (
	"fmt"
	"strings"

	"longwatch/backend/run"
)

// section writes headed parts of a brief and leaves out the empty ones.
type section struct{ b strings.Builder }

func (w *section) text(head, body string) {
	if body != "" {
		fmt.Fprintf(&w.b, "# %s\n\n%s\n\n", head, body)
	}
}

func (w *section) list(head string, lines []string) {
	if len(lines) > 0 {
		w.text(head, "- "+strings.Join(lines, "\n- "))
	}
}

func (w *section) String() string { return w.b.String() }

// evidence is the part that is cut to fit, most important first.
func evidence(s *run.State, p run.Phase, limit int) string {
	var w section
	r := s.Current()
	switch p {
	case run.Plan:
		lastVerdict(&w, s)
		facts(&w, s, limit/4)
		older(&w, s, limit-len(w.String()))
	case run.Execute:
		w.text("Your step", r.Plan.Task)
		criteria(&w, r)
		w.text("Boundaries", r.Plan.Boundaries)
		cited(&w, s, r.Plan.Related)
		facts(&w, s, limit/4)
	case run.Audit:
		w.text("The step", r.Plan.Task)
		criteria(&w, r)
		observed(&w, r, r.Checked)
		facts(&w, s, limit/4)
	case run.FinalAudit:
		if r != nil {
			observed(&w, r, r.FinalChecked)
		}
		older(&w, s, limit-len(w.String()))
	case run.Report:
		lastVerdict(&w, s)
		older(&w, s, limit-len(w.String()))
	case run.Check, run.FinalCheck, run.Probe:
	}
	return clipPrompt(w.String(), limit)
}

func criteria(w *section, r *run.Round) {
	var lines []string
	for _, c := range r.Plan.Criteria {
		line := c.ID + " " + c.Text
		if c.Check != "" {
			line += "   check: " + c.Check
		}
		lines = append(lines, line)
	}
	w.list("Acceptance criteria", lines)
}

// observed is what Longwatch saw itself, and what the executor says it did.
func observed(w *section, r *run.Round, checked *run.Checked) {
	if checked != nil {
		var lines []string
		for _, c := range checked.Results {
			lines = append(lines, fmt.Sprintf("%s: %s (%s)", c.Status, c.Check, c.Proof))
		}
		if checked.Hidden > 0 {
			lines = append(lines, "a hidden acceptance check failed")
		}
		w.list("Machine check results", lines)
	}
	for _, c := range r.Changes {
		var lines []string
		for _, ch := range c.First {
			lines = append(lines, ch.String())
		}
		if n := c.Count - len(c.First); n > 0 {
			lines = append(lines, fmt.Sprintf("and %d more", n))
		}
		w.list("Changes of the workspace seen by Longwatch during "+string(c.During), lines)
	}
	if x := r.Executed; x != nil {
		w.text("The executor's report", quote(x.Said.Text))
		w.text("How its process ended", strings.TrimSpace(fmt.Sprintf("exit %d %s %s", x.Exit, x.Fail, x.Detail)))
	} else if r.Interrupted {
		w.text("The executor's report", "There is none: it was interrupted. Find out how far it came.")
	}
}

func lastVerdict(w *section, s *run.State) {
	a, _ := s.LatestVerdict()
	if a == nil {
		return
	}
	head := fmt.Sprintf("The last verdict, of round_%03d: %s", a.Round, a.Verdict)
	if a.Effect != "" {
		head += fmt.Sprintf(" (effect: %s)", a.Effect)
	}
	body := quote(a.Report.Text)
	if len(a.Reasons) > 0 {
		body = "Lowered because: " + strings.Join(a.Reasons, "; ") + "\n\n" + body
	}
	w.text(head, body)
}

// facts lists artifacts and facts, the newest first, until the room is used.
func facts(w *section, s *run.State, room int) {
	var all []string
	for _, b := range s.Records {
		if !b.Requirement() {
			all = append(all, recordLine(b))
		}
	}
	var lines []string
	for i := len(all) - 1; i >= 0; i-- {
		if room -= len(all[i]) + 3; room < 0 {
			lines = append(lines, fmt.Sprintf("and %d earlier ones, left out for room", i+1))
			break
		}
		lines = append(lines, all[i])
	}
	w.list("Artifacts and facts, newest first", lines)
}

func cited(w *section, s *run.State, rounds []int) {
	for _, n := range rounds {
		if r := s.Round(n); r != nil && r.Audited != nil {
			w.text(fmt.Sprintf("The audit of round_%03d: %s", n, r.Audited.Verdict), quote(r.Audited.Report.Text))
		}
	}
}

// older lists the rounds newest first, one line each, until the room is used,
// and then says which are left out.
func older(w *section, s *run.State, room int) {
	const reserve = 120
	var lines []string
	for i := len(s.Rounds) - 1; i >= 0; i-- {
		line := summary(s.Rounds[i])
		if line == "" {
			continue
		}
		if room -= len(line) + 3; room < reserve {
			lines = append(lines, fmt.Sprintf("left out for room: round_001 to round_%03d", s.Rounds[i].N))
			break
		}
		lines = append(lines, line)
	}
	w.list("Rounds, newest first", lines)
}

func summary(r *run.Round) string {
	if r.Plan == nil {
		return ""
	}
	line := fmt.Sprintf("round_%03d %s", r.N, r.Plan.Route)
	if r.Audited != nil {
		line += " " + r.Audited.Verdict.String()
	} else if r.End != "" {
		line += " " + string(r.End)
	}
	what := strings.Join(strings.Fields(r.Plan.Task), " ")
	return line + ": " + clip(what, 120)
}
