package run

import (
	"strings"

	"longwatch/backend/protocol"
)

func (s *State) start(e Entry, ev PhaseStarted) {
	if ev.Phase == Plan && s.OpenRound() == nil {
		s.Rounds = append(s.Rounds, &Round{N: ev.Round, StartedAt: e.At})
		s.Replied = false // a reply does not know of later rounds
	}
	s.Open, s.OpenSeq = &ev, e.Seq
}

// fail counts an attempt, but for what is nobody's fault: the person ended it,
// the provider says when to come back, or what was seen was no change.
func (s *State) fail(e Entry, ev PhaseFailed) {
	s.Open = nil
	s.charge(ev.Usage)
	r := s.Current()
	r.Failed = append(r.Failed, ev)
	switch ev.Fail {
	case FailThrottled:
		if s.RetryAt = ev.RetryAt; s.RetryAt <= e.At {
			put(&r.Spoilt, ev.Phase, r.Spoilt[ev.Phase]+1)
		}
	case FailCanceled, FailDisturbed:
	case FailStart, FailExit, FailTimeout, FailFlood, FailUnreadable:
		put(&r.Spoilt, ev.Phase, r.Spoilt[ev.Phase]+1)
	}
}

func (s *State) interrupt(e Entry, ev Interrupted) {
	s.Open = nil
	r := s.Current()
	put(&r.Spoilt, ev.Phase, r.Spoilt[ev.Phase]+1)
	if ev.Phase == Execute {
		r.Interrupted, r.ExecutedSeq = true, e.Seq
		r.Checked = nil
	}
}

func (s *State) plan(e Entry, ev Planned) {
	s.Open = nil
	s.charge(ev.Usage)
	s.Refusal, s.Notes, s.Undone = "", nil, nil
	r := s.Current()
	r.Plan, r.PlanSaid = &ev.Plan, &ev.Said
	s.believe(ev.Round, ev.Plan.Records)
	if ev.Plan.Contract != "" {
		s.Contract = ev.Plan.Contract
	}
	switch ev.Plan.Route {
	case protocol.CLI, protocol.GUI:
	case protocol.Done:
		s.Done = &Claim{Round: ev.Round, Seq: e.Seq}
	case protocol.Ask, protocol.Stop:
		s.Asked = &Asked{
			Round: ev.Round, Blocked: ev.Plan.Route == protocol.Stop,
			Question: ev.Plan.Question, Choices: ev.Plan.Choices,
		}
	case protocol.Wait:
		s.Waiting = &Waiting{
			Round: ev.Round, Until: ev.Plan.Until, Every: ev.Plan.EveryMillis,
			NextAt: e.At, Expires: e.At + ev.Plan.ExpireMillis, Span: ev.Plan.ExpireMillis,
		}
	}
}

func (s *State) refusePlan(ev PlanRefused) {
	s.Open = nil
	s.charge(ev.Usage)
	s.Current().Refused = ev.Reason
	s.Refusal = ev.Reason
}

func (s *State) refuseDone(ev DoneRefused) {
	s.Done = nil
	s.Current().Missing = ev.Missing
	s.Refusal = "the task is not done: " + strings.Join(ev.Missing, "; ")
}

func (s *State) execute(e Entry, ev Executed) {
	s.Open = nil
	s.charge(ev.Usage)
	r := s.Current()
	r.Executed, r.ExecutedSeq = &ev, e.Seq
	r.Checked = nil
	s.RetryAt = max(s.RetryAt, ev.RetryAt)
}

// change attributes a change by when it was seen. What an executor or a
// machine check changes is theirs; anything else makes verdicts stale.
func (s *State) change(e Entry, ev WorkspaceChanged) {
	s.Tree = ev.Tree
	if r := s.Current(); r != nil {
		r.Changes = append(r.Changes, ev)
	}
	theirs := ev.During == Execute || ev.During == Check || ev.During == FinalCheck
	if ev.Counts && !theirs {
		s.Changed, s.Foreign = e.Seq, e.Seq
	}
}

func (s *State) check(e Entry, ev Checked) {
	s.Open = nil
	s.charge(ev.Usage)
	r := s.Current()
	if ev.Phase == FinalCheck {
		r.FinalChecked, r.FinalCheckedSeq = &ev, e.Seq
	} else {
		r.Checked, r.CheckedSeq = &ev, e.Seq
	}
	if ev.Tree != "" {
		s.Tree = ev.Tree
	}
}

func (s *State) audit(ev Audited) {
	s.Open = nil
	s.charge(ev.Usage)
	r := s.Current()
	void := s.Violated != nil && s.Violated.Round == ev.Round && s.Violated.Phase == ev.Phase
	if void {
		s.Voids++
		ev.Verdict = protocol.Unreadable()
	} else {
		s.Voids = 0
	}
	if ev.Phase == FinalAudit {
		r.Final, r.FinalSeq = &ev, s.OpenSeq
	} else {
		r.Audited, r.AuditedSeq = &ev, s.OpenSeq
	}
	r.Void = void
	if !void && ev.Phase == Audit && ev.Effect == protocol.EffectWorse && !ev.Verdict.Supports() && s.Created.UndoWorse {
		s.Worse = ev.Round
	}
	if ev.Tree != "" {
		s.Tree = ev.Tree
	}
}

func (s *State) violate(e Entry, ev Violated) {
	s.Judged, s.Tree = s.Tree, ev.Tree
	s.Violated = &ev
	r := s.Current()
	r.Violations = append(r.Violations, ev)
	if ev.Counts {
		s.Changed = e.Seq
	}
}

func (s *State) probe(e Entry, ev ProbeResult) {
	s.Open = nil
	s.charge(ev.Usage)
	w := s.Waiting
	if w == nil {
		return
	}
	w.Looked++
	w.NextAt = e.At + w.Every
	if ev.Result.Passed() || w.over(e.At) {
		s.Waiting = nil
	}
	if !ev.Result.Passed() && s.Waiting == nil {
		s.Refusal = "the wait ended without: " + w.Until
	}
}

func (s *State) close(e Entry, ev RoundClosed) {
	r := s.Current()
	r.End, r.ClosedAt = ev.End, e.At
	switch ev.End {
	case EndSupported:
		s.Streak, s.Failures = 0, nil
		s.fingerprint(r)
	case EndUnsupported, EndRefused, EndFailed:
		if ev.End == EndUnsupported && r.CutShort() {
			return // nobody failed
		}
		s.Streak++
		s.Failures = append(s.Failures, r.Why())
		s.fingerprint(r)
	case EndAsked, EndWaited, EndDone:
	}
}

// Disturbed counts the audits of a phase that were ended because of something
// seen in the workspace that was no change.
func (r *Round) Disturbed(p Phase) int {
	n := 0
	for _, f := range r.Failed {
		if f.Phase == p && f.Fail == FailDisturbed {
			n++
		}
	}
	return n
}

// CutShort reports whether the round's executor was ended from outside: by the
// person, a logout, or the end of its worker.
func (r *Round) CutShort() bool {
	return r.Interrupted || (r.Executed != nil && r.Executed.Fail == FailCanceled)
}

// Why says in one line why the round did not succeed; empty when it did.
func (r *Round) Why() string {
	switch {
	case len(r.Missing) > 0:
		return "done was refused: " + strings.Join(r.Missing, "; ")
	case r.Refused != "":
		return "the plan was refused: " + r.Refused
	case r.Audited != nil && !r.Audited.Verdict.Supports():
		why := "audit: " + r.Audited.Verdict.String()
		if r.Audited.Effect == protocol.EffectWorse {
			why += ", made worse"
		}
		if len(r.Audited.Reasons) > 0 {
			why += " (" + strings.Join(r.Audited.Reasons, "; ") + ")"
		}
		return why
	case len(r.Failed) > 0 && r.Audited == nil:
		f := r.Failed[len(r.Failed)-1]
		return string(f.Phase) + " failed: " + f.Detail
	case r.Interrupted && r.Audited == nil:
		return "the round was interrupted"
	}
	return ""
}
