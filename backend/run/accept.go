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
		if e.Phase == Execute {
			return illegal(e, "an executor that was sent out has executed or was interrupted")
		}
		return s.ends(e, e.Round, e.Phase, Phases...)
	case Interrupted:
		return s.ends(e, e.Round, e.Phase, Phases...)
	case Violated:
		return s.ends(e, e.Round, e.Phase, Audit, FinalAudit)
	case DoneRefused:
		if s.Done == nil || s.Done.Round != e.Round {
			return illegal(e, "round %d claims nothing", e.Round)
		}
	case RoundClosed:
		return s.acceptsClose(e)
	case GateOpened:
		if s.Gate != nil || s.Open != nil || s.ending() {
			return illegal(e, "a gate or phase is open, or the run is to end")
		}
	case GateAnswered:
		if s.Gate == nil || s.Gate.Gate != e.Gate || e.Rounds < 0 {
			return illegal(e, "gate %s is not open, or takes rounds away", e.Gate)
		}
	case LimitsChanged:
		if s.Limits.Rounds+e.Add.Rounds < 1 || s.Limits.Fails+e.Add.Fails < 1 {
			return illegal(e, "rounds and failures would have no limit")
		}
	case StopRequested:
		if s.Finished != nil {
			return illegal(e, "the run has ended")
		}
	case Finished:
		if s.Finished != nil || s.Open != nil {
			return illegal(e, "the run has ended, or a phase is open")
		}
	}
	return nil
}

// ending reports whether the run has ended or was told to.
func (s *State) ending() bool {
	return s.Finished != nil || s.Stop || s.Abort || s.Ended != nil
}

func (s *State) acceptsStart(e PhaseStarted) error {
	switch {
	case s.Open != nil:
		return illegal(e, "%s of round %d is still open", s.Open.Phase, s.Open.Round)
	case s.Gate != nil:
		return illegal(e, "gate %s waits for the person", s.Gate.Gate)
	case s.Finished != nil, s.Abort, s.ending() && e.Phase != Report:
		return illegal(e, "the run has ended or was told to")
	case s.Paused && !s.Stop:
		return illegal(e, "the run is paused")
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
	if !s.hasPlaceFor(e.Phase) {
		return illegal(e, "%s has no place in round %d as it stands", e.Phase, e.Round)
	}
	return nil
}

// hasPlaceFor keeps the order of a round: one plan, at most one executor, and
// audits only of what was done or is claimed.
func (s *State) hasPlaceFor(p Phase) bool {
	r := s.OpenRound()
	switch p {
	case Plan:
		return s.Done == nil && (r == nil || (r.Plan == nil && r.Refused == ""))
	case Execute:
		return r != nil && r.Plan != nil && r.Plan.Route.Executes() && !r.Acted()
	case Check, Audit:
		return r != nil && r.Acted()
	case FinalCheck, FinalAudit:
		return s.Done != nil && s.Done.Round == len(s.Rounds)
	case Probe:
		return s.Waiting != nil
	case Report:
		return true
	}
	return false
}

func (s *State) acceptsClose(e RoundClosed) error {
	r := s.OpenRound()
	switch {
	case r == nil || r.N != e.Round || s.Open != nil:
		return illegal(e, "round %d is not there to be closed", e.Round)
	case s.Waiting != nil || s.Asked != nil:
		return illegal(e, "round %d waits or asks", e.Round)
	case s.Done != nil && e.End != EndDone:
		return illegal(e, "round %d claims to be done", e.Round)
	case r.Acted() && r.Audited == nil:
		return illegal(e, "what was done in round %d is not audited", e.Round)
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
