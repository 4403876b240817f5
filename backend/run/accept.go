package run

import (
	"errors"
	"fmt"
)

// ErrIllegal is wrapped by every refusal of [State.Accepts].
var ErrIllegal = errors.New("cannot happen now")

func illegal(e Event, why string, args ...any) error {
	return fmt.Errorf("%s %w: %s", e.Kind(), ErrIllegal, fmt.Sprintf(why, args...))
}

// Accepts reports whether an event may follow. The journal asks before it
// writes, so that the ledger never holds a record the fold would not take.
func (s *State) Accepts(e Event) error {
	_, first := e.(Created)
	if first != (s.Seq == 0) {
		return illegal(e, "created is record 1 and no other")
	}
	switch e := e.(type) {
	case PhaseStarted:
		return s.acceptsStart(e)
	case Planned:
		return s.ends(e, e.Round, Plan)
	case PlanRefused:
		return s.ends(e, e.Round, Plan)
	case Executed:
		return s.ends(e, e.Round, Execute)
	case Checked:
		return s.ends(e, e.Round, e.Phase, Check, FinalCheck)
	case Audited:
		return s.ends(e, e.Round, e.Phase, Audit, FinalAudit)
	case FinalReply:
		return s.ends(e, e.Round, Report)
	case ProbeResult:
		return s.ends(e, e.Round, Probe)
	case PhaseFailed:
		return s.ends(e, e.Round, e.Phase, Phases...)
	case Interrupted:
		return s.ends(e, e.Round, e.Phase, Phases...)
	case DoneRefused:
		if s.Done == nil || s.Done.Round != e.Round {
			return illegal(e, "round %d claims nothing", e.Round)
		}
	case RoundClosed:
		if r := s.OpenRound(); r == nil || r.N != e.Round || s.Open != nil {
			return illegal(e, "round %d is not there to be closed", e.Round)
		}
	case GateOpened:
		if s.Gate != nil || s.Open != nil || s.Finished != nil {
			return illegal(e, "a gate or phase is open, or the run has ended")
		}
	case GateAnswered:
		if s.Gate == nil || s.Gate.Gate != e.Gate {
			return illegal(e, "gate %s is not open", e.Gate)
		}
	case Finished:
		if s.Finished != nil || s.Open != nil {
			return illegal(e, "the run has ended, or a phase is open")
		}
	}
	return nil
}

func (s *State) acceptsStart(e PhaseStarted) error {
	switch {
	case s.Open != nil:
		return illegal(e, "%s of round %d is still open", s.Open.Phase, s.Open.Round)
	case s.Finished != nil:
		return illegal(e, "the run has ended")
	case s.Gate != nil:
		return illegal(e, "gate %s waits for the person", s.Gate.Gate)
	case e.Phase.Role() == "":
		return illegal(e, "there is no phase %q", e.Phase)
	}
	next := len(s.Rounds)
	if e.Phase == Plan && s.OpenRound() == nil {
		next++
	}
	if e.Round != next || next == 0 {
		return illegal(e, "%s would be of round %d, not %d", e.Phase, next, e.Round)
	}
	return nil
}

// ends reports whether an event may end the open phase. With more than one
// phase given, the first is the event's own and must be among the rest.
func (s *State) ends(e Event, round int, own Phase, among ...Phase) error {
	known := len(among) == 0
	for _, p := range among {
		known = known || p == own
	}
	if !known || s.Open == nil || s.Open.Phase != own || s.Open.Round != round {
		return illegal(e, "%s of round %d is not open", own, round)
	}
	return nil
}
