package run

import (
	"fmt"
	"strings"
)

// FoldVersion changes when the same events come to mean another state, so that
// caches of old folds are dropped.
const FoldVersion = 5

// Apply makes the state after one more event. An error means that the record
// cannot follow those before it; the state is then unchanged.
func (s *State) Apply(e Entry) error {
	if e.Seq != s.Seq+1 {
		return fmt.Errorf("record %d after record %d", e.Seq, s.Seq)
	}
	if err := s.Accepts(e.Event); err != nil {
		return fmt.Errorf("record %d: %w", e.Seq, err)
	}
	s.Seq, s.At, s.Epoch = e.Seq, e.At, e.Epoch
	if c := ClassOf(e.Event); c == Decision || c == Fact {
		s.Decided = e.Seq
		if u, ok := e.Event.(Unknown); ok {
			s.Unreadable = u.Name
		}
	}
	s.remember(CommandOf(e.Event))
	s.apply(e)
	return nil
}

func (r Receipt) receipt() Receipt { return r }

func (s *State) remember(command string) {
	if command == "" || s.DidCommand(command) {
		return
	}
	s.Commands = append(s.Commands, command)
	if n := len(s.Commands); n > KeptCommands {
		s.Commands = append([]string(nil), s.Commands[n-KeptCommands:]...)
	}
}

// apply lists every kind of the vocabulary, those that change nothing too, so
// that a new kind cannot be forgotten here.
func (s *State) apply(e Entry) {
	switch ev := e.Event.(type) {
	case Created:
		s.create(ev)
	case Started:
		s.Host, s.Tree = ev.Host, ev.Tree
	case Resumed:
		s.Host = ev.Host
		if ev.Reopens {
			s.reopen()
		}
	case StopRequested:
		// A gate nobody answered is closed by it; its cause stays and opens
		// another one when the run goes on.
		s.Stop, s.Abort, s.Gate = true, s.Abort || ev.Abort, nil
	case PauseSet:
		s.Paused = ev.Paused
	case LimitsChanged:
		s.addLimits(ev.Add)
	case Rebound:
		put(&s.Rebound, ev.Role, ev)
	case PhaseStarted:
		s.start(e, ev)
	case PhaseFailed:
		s.fail(e, ev)
	case Interrupted:
		s.interrupt(e, ev)
	case Planned:
		s.plan(e, ev)
	case PlanRefused:
		s.refusePlan(ev)
	case DoneRefused:
		s.refuseDone(ev)
	case Executed:
		s.execute(e, ev)
	case WorkspaceChanged:
		s.change(e, ev)
	case Checked:
		s.check(e, ev)
	case Audited:
		s.audit(ev)
	case Violated:
		s.violate(e, ev)
	case Restored:
		s.restore(e, ev)
	case Checkpointed:
		s.keep(e, ev)
	case RoundClosed:
		s.close(e, ev)
	case ServiceStarted:
		put(&s.Services, ev.Name, ev)
	case ServiceStopped:
		delete(s.Services, ev.Name)
	case MessageReceived:
		s.hear(e, ev)
	case MessageUsed:
		s.use(ev)
	case GateOpened:
		s.Gate = &OpenGate{GateOpened: ev, Seq: e.Seq, At: e.At}
		s.Gates++
	case GateAnswered:
		s.answer(e, ev)
	case ProbeResult:
		s.probe(e, ev)
	case CapabilityMissing:
		s.Missing = &ev
	case BudgetNoted:
		put(&s.Noted, ev.Budget, true)
	case FinalReply:
		s.Open = nil
		s.charge(ev.Usage)
		s.Reply, s.Replied = &ev.Said, true
	case Finished:
		s.Finished, s.Gate = &ev, nil
	case Consented, Captured, CommandRefused, TailCut, Anchored, Unknown:
		// Nothing that is decided by depends on these.
	default:
		panic(fmt.Sprintf("run: event %T is not in the fold", ev))
	}
}

func put[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}

func (s *State) create(ev Created) {
	s.Created, s.Limits = ev, ev.Limits
	for _, r := range ev.Requirements {
		s.Records = append(s.Records, fromTask(r))
	}
}

// reopen lets an ended run go on. What was decided about its end is forgotten,
// and so are the failures that led to it; what was verified is not.
func (s *State) reopen() {
	s.Finished, s.Ended, s.Done = nil, nil, nil
	s.Stop, s.Abort, s.Replied = false, false, false
	s.forgive()
}

// forgive starts counting anew: the person has looked and wants to go on.
func (s *State) forgive() {
	s.Streak, s.Failures, s.Fingerprints, s.Voids = 0, nil, nil, 0
}

// addLimits extends budgets; one that was extended is to be noted again when
// most of it is used.
func (s *State) addLimits(add Limits) {
	s.Limits.Rounds += add.Rounds
	s.Limits.Fails += add.Fails
	s.Limits.Tokens += add.Tokens
	s.Limits.MicroUSD += add.MicroUSD
	s.Limits.ActiveMillis += add.ActiveMillis
	if add.Deadline > 0 {
		s.Limits.Deadline = add.Deadline
	}
	for name, by := range map[string]int64{
		"rounds": int64(add.Rounds), "tokens": add.Tokens, "cost": add.MicroUSD, "active": add.ActiveMillis,
	} {
		if by != 0 {
			delete(s.Noted, name)
		}
	}
}

func (s *State) charge(u Usage) {
	s.Used.Millis += u.Millis
	s.Used.Tokens += u.Tokens
	s.Used.MicroUSD += u.MicroUSD
	s.Used.Estimated = s.Used.Estimated || u.Estimated
}

func (s *State) hear(e Entry, ev MessageReceived) {
	if s.Finished != nil {
		s.reopen()
	}
	s.Messages = append(s.Messages, &Message{ID: ev.ID, Text: ev.Text, Seq: e.Seq, At: e.At})
	s.Spoken = e.Seq
}

func (s *State) use(ev MessageUsed) {
	used := map[string]bool{}
	for _, id := range ev.IDs {
		used[id] = true
	}
	for _, m := range s.Messages {
		if used[m.ID] && m.UsedBy == 0 {
			m.UsedBy = ev.Round
		}
	}
}

func (s *State) answer(e Entry, ev GateAnswered) {
	a := Answer{GateAnswered: ev, Trigger: s.Gate.Trigger, Question: s.Gate.Question, Seq: e.Seq}
	reason := s.Gate.Reason
	s.Answers = append(s.Answers, a)
	s.Gate = nil
	if strings.HasPrefix(reason, "manager.") {
		s.Asked = nil
	}
	if ev.End {
		s.Ended = &a
		return
	}
	s.forgive()
	if s.Violated != nil && s.Violated.Counts {
		s.Foreign = e.Seq // it stays
	}
	s.Violated, s.Missing = nil, nil
	s.Worse, s.Undoing = 0, false
	s.Replied = false
	// "Audit again" and "it is back" say nothing new about the task.
	if ev.Text != "" || !strings.HasPrefix(reason, "audit.") && !strings.HasPrefix(reason, "capability.") {
		s.Spoken, s.Done = e.Seq, nil
	}
	s.addLimits(Limits{Rounds: ev.Rounds})
	s.extend(reason)
	if ev.Text != "" {
		s.Messages = append(s.Messages, &Message{ID: ev.Gate, Text: ev.Text, Seq: e.Seq, At: e.At})
	}
}

// extend gives a used-up budget once more what the run began with; a deadline
// that has passed is lifted. Rounds are extended by the number in the answer.
func (s *State) extend(reason string) {
	first := s.Created.Limits
	switch reason {
	case "budget.active":
		s.addLimits(Limits{ActiveMillis: first.ActiveMillis})
	case "budget.tokens":
		s.addLimits(Limits{Tokens: first.Tokens})
	case "budget.cost":
		s.addLimits(Limits{MicroUSD: first.MicroUSD})
	case "budget.deadline":
		s.Limits.Deadline = 0
	}
}

// restore makes verdicts stale like any change that no executor made.
func (s *State) restore(e Entry, ev Restored) {
	s.Tree, s.Violated = ev.Tree, nil
	if ev.Counts {
		s.Changed = e.Seq
	}
	if s.Worse > 0 {
		s.undone(ev)
	}
}

// undone notes that what the newest round made worse is as it was.
func (s *State) undone(ev Restored) {
	u := &Undone{Round: s.Worse, Count: ev.Count, Left: ev.Left}
	for _, k := range s.Checkpoints {
		if k.ID == ev.Checkpoint {
			u.To, u.Supported = k.Round, k.Supported
		}
	}
	s.Worse, s.Undoing, s.Undone = 0, false, u
	s.Current().Undone = u
}

// keep also begins to undo: while that is due nothing else is kept.
func (s *State) keep(e Entry, ev Checkpointed) {
	if ev.ID != "" {
		s.Checkpoints = append(s.Checkpoints, Kept{Checkpointed: ev, Seq: e.Seq, At: e.At})
		s.Undoing = s.Worse > 0
	}
}

// Undo finds the state to which what the newest round made worse is put back:
// the newest that a verdict supports, else the first there is. A change that
// was nobody's of the run is not undone with it, so only what was kept after
// the newest such change counts; and none does if that would undo what a verdict
// supports and nobody could keep.
func (s *State) Undo() (Kept, bool) {
	var first, supported *Kept
	for i, k := range s.Checkpoints {
		switch {
		case k.Seq < s.Foreign:
			continue
		case first == nil:
			first = &s.Checkpoints[i]
		}
		if k.Supported {
			supported = &s.Checkpoints[i]
		}
	}
	to := supported
	if to == nil {
		to = first
	}
	if to == nil {
		return Kept{}, false
	}
	for _, r := range s.Rounds {
		if r.Supported() && r.AuditedSeq > to.Seq && r.Audited.Tree != to.Tree {
			return Kept{}, false
		}
	}
	return *to, true
}
