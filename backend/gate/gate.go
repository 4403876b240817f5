// Package gate says when a run stops and asks the person, and which answers
// fit. There are five triggers; each is a pure function of the state, and
// adding one is adding a row to [Rules].
//
// Only loop.Decide asks these functions; what a gate asks is recorded as
// gate_opened before anybody sees it, and the first answer that names the gate
// wins.
package gate

import (
	"fmt"
	"strings"

	"longwatch/backend/run"
)

// Question is what a gate would ask.
type Question struct {
	Trigger run.Trigger
	Reason  string // stable code, for windows to translate
	Text    string
	Choices []string
	Details []string
	Round   int
}

// Opened makes the record of the question. The id is unique in the run.
func (q Question) Opened(s *run.State) run.GateOpened {
	return run.GateOpened{
		Gate:    fmt.Sprintf("g%d", s.Gates+1),
		Trigger: q.Trigger, Reason: q.Reason, Question: q.Text,
		Choices: q.Choices, Details: q.Details, Round: q.Round,
	}
}

// Rule is one trigger and the facts it looks for, at a time in unix ms.
type Rule struct {
	Trigger run.Trigger
	When    func(s *run.State, now int64) *Question
}

// Rules lists the five gates in the order in which Decide looks at them.
var Rules = []Rule{
	{run.GateMaxRounds, MaxRounds},
	{run.GateRepeatedFailure, RepeatedFailure},
	{run.GateNeedsHuman, NeedsHuman},
	{run.GateCompleted, Completed},
	{run.GateNeedsInput, NeedsInput},
}

// MaxRounds asks when a budget is used up: rounds, active time, deadline,
// tokens or money. Rounds only matter when a new one would start.
func MaxRounds(s *run.State, now int64) *Question {
	reason, text := "", ""
	l, u := s.Limits, s.Used
	switch {
	case l.ActiveMillis > 0 && u.Millis >= l.ActiveMillis:
		reason, text = "budget.active", fmt.Sprintf("The active time of %d min is used up.", l.ActiveMillis/60000)
	case l.Deadline > 0 && now >= l.Deadline:
		reason, text = "budget.deadline", "The deadline has passed."
	case l.Tokens > 0 && u.Tokens >= l.Tokens:
		reason, text = "budget.tokens", fmt.Sprintf("The budget of %d tokens is used up.", l.Tokens)
	case l.MicroUSD > 0 && u.MicroUSD >= l.MicroUSD:
		reason, text = "budget.cost", fmt.Sprintf("The budget of $%.2f is used up.", float64(l.MicroUSD)/1e6)
	case s.OpenRound() == nil && s.RoundsLeft() == 0:
		reason, text = "budget.rounds", fmt.Sprintf("All %d rounds are used.", l.Rounds)
	default:
		return nil
	}
	return &Question{
		Trigger: run.GateMaxRounds, Reason: reason, Text: text + goOn(reason),
		Details: open(s), Round: len(s.Rounds),
	}
}

// goOn says what going on would mean.
func goOn(reason string) string {
	switch reason {
	case "budget.rounds":
		return " Add rounds?"
	case "budget.deadline":
		return " Go on without one?"
	}
	return " Go on for as much again?"
}

// RepeatedFailure asks when rounds fail in a row, or three rounds came to
// exactly the same.
func RepeatedFailure(s *run.State, _ int64) *Question {
	q := &Question{Trigger: run.GateRepeatedFailure, Details: s.Failures, Round: len(s.Rounds)}
	switch {
	case s.Streak >= s.Limits.Fails:
		q.Reason = "failures.streak"
		q.Text = fmt.Sprintf("%d rounds in a row failed. Go on?", s.Streak)
	case len(s.Fingerprints) >= 3:
		q.Reason = "failures.no_progress"
		q.Text = "Three rounds came to exactly the same. Go on?"
	default:
		return nil
	}
	return q
}

// NeedsHuman asks when nobody but the person can decide: the manager is
// blocked, an audit is void, verdicts keep going stale, or something only the
// person can provide is missing.
func NeedsHuman(s *run.State, _ int64) *Question {
	q := &Question{Trigger: run.GateNeedsHuman, Round: len(s.Rounds)}
	switch {
	case s.Violated != nil:
		q.Reason = "audit.void"
		q.Text = "The workspace changed while it was being audited, so that audit does not count. Audit again?"
		q.Details = diff(s.Violated.Changes)
	case s.Voids >= 2:
		q.Reason = "audit.stale_twice"
		q.Text = "The workspace keeps changing while it is audited. Audit again?"
	case s.Missing != nil:
		q.Reason = "capability.missing"
		q.Text = fmt.Sprintf("%s is missing.", s.Missing.Name)
		q.Details = []string{s.Missing.FixHint}
	case s.Asked != nil && s.Asked.Blocked:
		q.Reason = "manager.blocked"
		q.Text = s.Asked.Question
		q.Details = open(s)
	default:
		return nil
	}
	return q
}

// NeedsInput asks what the manager asks.
func NeedsInput(s *run.State, _ int64) *Question {
	if s.Asked == nil || s.Asked.Blocked {
		return nil
	}
	return &Question{
		Trigger: run.GateNeedsInput, Reason: "manager.asks", Text: s.Asked.Question,
		Choices: s.Asked.Choices, Round: s.Asked.Round,
	}
}

// Completed asks the person to accept a result. Whether the result holds is
// the done rule's matter, in package loop; here it is only asked.
func Completed(s *run.State, _ int64) *Question {
	if s.Done == nil {
		return nil
	}
	q := &Question{
		Trigger: run.GateCompleted, Reason: "done.holds",
		Text: "The task is complete. Accept the result?", Round: s.Done.Round,
	}
	if s.Reply != nil {
		q.Details = []string{s.Reply.Text}
	}
	return q
}

// Fits reports why an answer does not fit the gate, or nil.
func Fits(g run.GateOpened, a run.GateAnswered) error {
	if a.Gate != g.Gate {
		return fmt.Errorf("the answer is for gate %s; gate %s is open", a.Gate, g.Gate)
	}
	if a.Rounds < 0 || a.Rounds > 10000 {
		return fmt.Errorf("rounds to add: %d is not between 0 and 10000", a.Rounds)
	}
	if a.End {
		return nil
	}
	if g.Trigger == run.GateNeedsInput && strings.TrimSpace(a.Text) == "" {
		return fmt.Errorf("the question needs an answer in words: %s", g.Question)
	}
	if g.Reason == "budget.rounds" && a.Rounds == 0 {
		return fmt.Errorf("all rounds are used: say how many to add")
	}
	return nil
}

// open lists what is not verified yet.
func open(s *run.State) []string {
	var out []string
	for _, b := range s.OpenRequirements() {
		out = append(out, strings.TrimPrefix(b.String(), "- "))
	}
	return out
}

// diff lists the changes that voided an audit.
func diff(c run.Changes) []string {
	var out []string
	for _, ch := range c.First {
		out = append(out, ch.String())
	}
	if n := c.Count - len(c.First); n > 0 {
		out = append(out, fmt.Sprintf("and %d more", n))
	}
	return out
}
