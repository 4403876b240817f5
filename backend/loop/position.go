package loop

import (
	"fmt"
	"strings"

	"longwatch/backend/protocol"
	"longwatch/backend/run"
	"longwatch/backend/task"
)

// Mode is what a playbook's manager does next.
type Mode string

const (
	ModeRun     Mode = "run"     // do step Step, attempt Attempt
	ModeRecheck Mode = "recheck" // nothing to do, but look again: the person wrote
	ModeBlocked Mode = "blocked"
	ModeDone    Mode = "done"
)

// Position is where a playbook stands, folded from the state. Only a failed
// check moves to the next attempt; an interruption repeats the one it hit.
type Position struct {
	Mode    Mode   `json:"mode"`
	Step    int    `json:"step"`    // from 0
	Attempt int    `json:"attempt"` // from 0: the step itself, then its else entries
	Reason  string `json:"reason,omitempty"`
	// Verified maps requirement ids to the newest round that supports them.
	Verified map[string]int `json:"verified,omitempty"`
}

// Locate finds a playbook's position.
func Locate(s *run.State, t task.Task) Position {
	p := Position{Mode: ModeDone, Step: len(t.Steps) - 1, Verified: map[string]int{}}
	open := -1
	for i, st := range t.Steps {
		round, _ := stepHistory(s, st.Requirement)
		if round > 0 {
			p.Verified[st.Requirement] = round
		} else if open < 0 {
			open = i
		}
	}
	_, verdict := s.LatestVerdict()
	switch {
	case open >= 0:
		p.Step = open
		p.attempt(s, t.Steps[open])
	case s.Spoken > verdict:
		p.Mode = ModeRecheck
	case s.Refusal != "":
		p.Mode, p.Reason = ModeBlocked, s.Refusal
	}
	return p
}

func (p *Position) attempt(s *run.State, st task.Step) {
	_, failed := stepHistory(s, st.Requirement)
	p.Mode, p.Attempt = ModeRun, len(failed)
	if p.Attempt <= len(st.Else) {
		return
	}
	p.Attempt = len(st.Else)
	last := failed[len(failed)-1]
	if s.Spoken > last.AuditedSeq {
		return
	}
	p.Mode = ModeBlocked
	p.Reason = fmt.Sprintf("Step %d (%s) failed in all %d attempts: %s", p.Step+1, st.Name, len(failed), last.Why())
}

// stepHistory returns the newest round that supports a step's requirement, 0
// when none does, and the rounds since then in which it failed.
func stepHistory(s *run.State, requirement string) (supported int, failed []*run.Round) {
	for _, r := range s.Rounds {
		if r.Plan == nil || r.Audited == nil || r.Void || strings.Join(r.Plan.Serves, " ") != requirement {
			continue
		}
		switch {
		case r.Supported():
			supported, failed = r.N, nil
		case cutShort(r):
		default:
			supported, failed = 0, append(failed, r)
		}
	}
	return supported, failed
}

// cutShort reports whether the round failed because its executor was ended
// from outside.
func cutShort(r *run.Round) bool {
	return r.Interrupted || (r.Executed != nil && r.Executed.Fail == run.FailCanceled)
}

// Input is a brief for agents that are programs: the playbook reads it instead
// of the prompt.
type Input struct {
	Phase    run.Phase              `json:"phase"`
	Round    int                    `json:"round"`
	Title    string                 `json:"title"`
	Language string                 `json:"language"`
	Steps    []task.Step            `json:"steps"`
	Position Position               `json:"position"`
	Records  []protocol.StateRecord `json:"records"`
	Checked  *run.Checked           `json:"checked,omitempty"`  // of the step, or of the task in a final audit
	Executed *run.Executed          `json:"executed,omitempty"` // nil when interrupted
	Rounds   []RoundLine            `json:"rounds,omitempty"`   // for the reporter
	Stopped  bool                   `json:"stopped,omitempty"`  // the run ends before its task is done
}

// RoundLine is one round for the reporter.
type RoundLine struct {
	N       int    `json:"n"`
	Step    string `json:"step"`
	Verdict string `json:"verdict"`
}

// input is made for tasks with steps only: nobody else reads it.
func (e *Engine) input(s *run.State, d Decision) *Input {
	if len(e.Task.Steps) == 0 {
		return nil
	}
	in := &Input{
		Phase: d.Step.Phase, Round: d.Step.Round, Title: s.Created.Title, Language: s.Created.Language,
		Steps: e.Task.Steps, Position: Locate(s, e.Task),
	}
	for _, b := range s.Records {
		in.Records = append(in.Records, b.StateRecord)
	}
	r := s.Current()
	switch d.Step.Phase {
	case run.Audit:
		in.Checked, in.Executed = r.Checked, r.Executed
	case run.FinalAudit:
		in.Checked = r.FinalChecked
	case run.Report:
		in.Stopped = s.Done == nil
		in.Rounds = roundLines(s)
	case run.Plan, run.Execute, run.Check, run.FinalCheck, run.Probe:
	}
	return in
}

func roundLines(s *run.State) []RoundLine {
	var out []RoundLine
	for _, r := range s.Rounds {
		if r.Plan != nil && r.Audited != nil {
			out = append(out, RoundLine{r.N, clip(r.Plan.Task, 200), r.Audited.Verdict.String()})
		}
	}
	if len(out) > 100 {
		out = out[len(out)-100:]
	}
	return out
}
