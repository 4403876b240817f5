package loop

import (
	"fmt"

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
	Verified map[string]int `json:"-"`
}

// Locate finds a playbook's position.
func Locate(s *run.State, t task.Task) Position {
	p := Position{Mode: ModeDone, Step: len(t.Steps) - 1, Verified: map[string]int{}}
	open := -1
	all := histories(s)
	for i, st := range t.Steps {
		if round := all[st.Requirement].supported; round > 0 {
			p.Verified[st.Requirement] = round
		} else if open < 0 {
			open = i
		}
	}
	_, verdict := s.LatestVerdict()
	switch {
	case open >= 0:
		p.Step = open
		p.attempt(s, t.Steps[open], all[t.Steps[open].Requirement].failed)
	case s.Spoken > verdict:
		p.Mode = ModeRecheck
	case s.Refusal != "":
		p.Mode, p.Reason = ModeBlocked, s.Refusal
	}
	return p
}

func (p *Position) attempt(s *run.State, st task.Step, failed []*run.Round) {
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

// history is what became of one step.
type history struct {
	supported int          // the newest round that supports it, 0 when none does
	failed    []*run.Round // the rounds since then in which it was judged to fail
}

// histories goes through the rounds once. A round is of a step when that is all
// its plan serves.
func histories(s *run.State) map[string]history {
	all := map[string]history{}
	for _, r := range s.Rounds {
		if r.Plan == nil || r.Audited == nil || r.Void || len(r.Plan.Serves) != 1 {
			continue
		}
		id := r.Plan.Serves[0]
		switch {
		case r.Supported():
			all[id] = history{supported: r.N}
		case r.CutShort(), r.Audited.Said == protocol.Unreadable():
			// No check failed: nobody got to judge it.
		default:
			all[id] = history{failed: append(all[id].failed, r)}
		}
	}
	return all
}
