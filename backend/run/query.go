package run

import (
	"longwatch/backend/protocol"
)

// Current returns the newest round, or nil before the first.
func (s *State) Current() *Round {
	if len(s.Rounds) == 0 {
		return nil
	}
	return s.Rounds[len(s.Rounds)-1]
}

// OpenRound returns the newest round if it is not settled, else nil.
func (s *State) OpenRound() *Round {
	if r := s.Current(); r != nil && r.End == "" {
		return r
	}
	return nil
}

// Round returns round n, or nil.
func (s *State) Round(n int) *Round {
	if n < 1 || n > len(s.Rounds) {
		return nil
	}
	return s.Rounds[n-1]
}

// Acted reports whether an executor was at work in the round, finished or not.
func (r *Round) Acted() bool { return r.Executed != nil || r.Interrupted }

// Supported reports whether the round's own audit supports it.
func (r *Round) Supported() bool { return r.Audited != nil && r.Audited.Verdict.Supports() }

// Supports reports whether round n may be cited for a completed record.
func (s *State) Supports(n int) bool {
	r := s.Round(n)
	return r != nil && r.Supported()
}

// LatestVerdict returns the newest verdict of the run, whichever audit gave
// it, and its sequence number; nil before the first.
func (s *State) LatestVerdict() (*Audited, uint64) {
	for i := len(s.Rounds) - 1; i >= 0; i-- {
		r := s.Rounds[i]
		if r.Final != nil && r.FinalSeq > r.AuditedSeq {
			return r.Final, r.FinalSeq
		}
		if r.Audited != nil {
			return r.Audited, r.AuditedSeq
		}
	}
	return nil, 0
}

// Steps counts the rounds in which an executor was at work.
func (s *State) Steps() int {
	n := 0
	for _, r := range s.Rounds {
		if r.Acted() {
			n++
		}
	}
	return n
}

// ActedSince returns the sequence number of the newest executor record.
func (s *State) ActedSince() uint64 {
	for i := len(s.Rounds) - 1; i >= 0; i-- {
		if s.Rounds[i].ExecutedSeq > 0 {
			return s.Rounds[i].ExecutedSeq
		}
	}
	return 0
}

// Unread lists the messages no accepted plan has used.
func (s *State) Unread() []*Message {
	var out []*Message
	for _, m := range s.Messages {
		if m.UsedBy == 0 {
			out = append(out, m)
		}
	}
	return out
}

// OpenRequirements lists the requirement records that are not completed.
func (s *State) OpenRequirements() []Belief {
	var out []Belief
	for _, b := range s.Records {
		if b.Requirement() && b.Mark != protocol.Completed {
			out = append(out, b)
		}
	}
	return out
}

// Belief returns the record with an id.
func (s *State) Belief(id string) (Belief, bool) {
	for _, b := range s.Records {
		if b.ID == id {
			return b, true
		}
	}
	return Belief{}, false
}

// Outcome returns how the run ended, empty while it has not.
func (s *State) Outcome() Outcome {
	if s.Finished == nil {
		return ""
	}
	return s.Finished.Outcome
}

// DidCommand reports whether a command already had its effect.
func (s *State) DidCommand(id string) bool {
	for i := len(s.Commands) - 1; i >= 0; i-- {
		if s.Commands[i] == id {
			return true
		}
	}
	return false
}

// Staleness lists why the newest verdict no longer says how things are; empty
// when it still does. Without a verdict it is empty too.
func (s *State) Staleness() []string {
	_, v := s.LatestVerdict()
	if v == 0 {
		return nil
	}
	var out []string
	if s.ActedSince() > v {
		out = append(out, "an executor was at work after it")
	}
	if s.Spoken > v {
		out = append(out, "the person wrote after it")
	}
	if s.Changed > v {
		out = append(out, "the workspace changed after it")
	}
	return out
}

// RoundsLeft returns how many rounds may still start.
func (s *State) RoundsLeft() int { return max(0, s.Limits.Rounds-len(s.Rounds)) }

// CommandOf returns the id of the command that an event is the receipt of,
// empty when it is none.
func CommandOf(e Event) string {
	if c, ok := e.(interface{ receipt() Receipt }); ok {
		return c.receipt().Command
	}
	return ""
}
