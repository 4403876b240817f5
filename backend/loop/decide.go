package loop

import (
	"errors"
	"fmt"

	"longwatch/backend/gate"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

// Disposition is what kind of thing happens next.
type Disposition string

const (
	RunNow   Disposition = "run_now"
	Wait     Disposition = "wait"
	AskUser  Disposition = "ask_user"
	Repair   Disposition = "repair"
	Replan   Disposition = "replan"
	Terminal Disposition = "terminal"
)

// Action is the one thing to do next. An empty action means there is nothing
// to do but wait, or that the run has ended.
type Action string

const (
	DoPhase   Action = "phase"   // run Step.Phase
	DoReap    Action = "reap"    // end what a dead worker left, record the interruption
	DoProbe   Action = "probe"   // look again for what is missing
	DoGate    Action = "gate"    // open Step.Gate
	DoClose   Action = "close"   // settle the round with Step.End
	DoRefuse  Action = "refuse"  // refuse the done with Step.Missing
	DoGiveUp  Action = "give_up" // an audit that stays unreadable counts as such
	DoRestore Action = "restore" // what changed during a void audit
	DoUndo    Action = "undo"    // what a step made worse
	DoFinish  Action = "finish"  // end the run with Step.Outcome
)

// Step is an action with what it needs.
type Step struct {
	Do      Action
	Phase   run.Phase
	Round   int
	Attempt int
	Gate    *gate.Question
	End     run.End
	Missing []string
	Outcome run.Outcome
}

// Decision is what happens next, and why.
type Decision struct {
	Row         int // of the table in LOOP.md, for people and tests
	Disposition Disposition
	Step        Step
	Reason      string
	Until       int64 // unix ms, of a wait; 0 means until something happens
	Notice      string
}

// Attempts is how often a phase may be tried in one round.
const Attempts = 2

// ErrNoState means that the state cannot be decided on: it has to be folded
// again from the ledger.
var ErrNoState = errors.New("the state is not one to decide on")

// row is one line of the table: it decides, or leaves it to the next.
type row struct {
	n      int
	decide func(s *run.State, now int64) *Decision
}

// table is the decision table of LOOP.md. The first row that decides wins.
var table = []row{
	{1, ended},
	{2, interrupted},
	{3, stopping},
	{4, paused},
	{5, gateOpen},
	{6, budget},
	{7, failing},
	{8, throttled},
	{9, lacking},
	{10, violated},
	{11, unaudited},
	{12, claimed},
	{13, asked},
	{14, waiting},
	{15, settling},
	{16, next},
}

// Decide says what happens next. It is pure and total: every state that can be
// decided on has exactly one decision, and the same state has the same one.
// Now is unix ms.
func Decide(s *run.State, now int64) (Decision, error) {
	if err := decidable(s, now); err != nil {
		return Decision{}, err
	}
	for _, r := range table {
		if d := r.decide(s, now); d != nil {
			d.Row = r.n
			if s.Finished == nil {
				d.Notice = notice(s)
			}
			return *d, nil
		}
	}
	return Decision{}, fmt.Errorf("%w: no row applies to record %d", ErrNoState, s.Seq)
}

// decidable is row 0.
func decidable(s *run.State, now int64) error {
	switch {
	case s == nil || s.Seq == 0:
		return fmt.Errorf("%w: it is empty", ErrNoState)
	case now <= 0:
		return fmt.Errorf("%w: there is no clock", ErrNoState)
	case s.Limits.Rounds <= 0 || s.Limits.Fails <= 0:
		return fmt.Errorf("%w: rounds and failures have no limit", ErrNoState)
	case s.Unreadable != "":
		return fmt.Errorf("%w: record kind %q is of a newer version", ErrNoState, s.Unreadable)
	}
	return nil
}

func ended(s *run.State, _ int64) *Decision {
	if s.Finished == nil {
		return nil
	}
	return &Decision{Disposition: Terminal, Reason: s.Finished.Reason}
}

func interrupted(s *run.State, _ int64) *Decision {
	if s.Open == nil {
		return nil
	}
	return &Decision{
		Disposition: Repair, Step: Step{Do: DoReap, Phase: s.Open.Phase, Round: s.Open.Round},
		Reason: fmt.Sprintf("%s of round %d was started and has no end", s.Open.Phase, s.Open.Round),
	}
}

func stopping(s *run.State, now int64) *Decision {
	switch {
	case s.Abort:
		return finish(run.Aborted, "aborted by the person")
	case !s.Stop:
		return nil
	case wantsReport(s, now):
		return phase(s, run.Report, "stop requested: the reporter writes the reply")
	}
	return finish(run.Stopped, "stopped by the person")
}

func paused(s *run.State, _ int64) *Decision {
	if !s.Paused {
		return nil
	}
	return &Decision{Disposition: Wait, Reason: "paused by the person"}
}

// gateOpen also carries out an answer that ends the run.
func gateOpen(s *run.State, now int64) *Decision {
	if a := s.Ended; a != nil {
		if a.Trigger == run.GateCompleted {
			return finish(run.Complete, "the person accepted the result")
		}
		if wantsReport(s, now) {
			return phase(s, run.Report, "the person ends the run: the reporter writes the reply")
		}
		return finish(run.Incomplete, fmt.Sprintf("ended by the person at gate %s", a.Trigger))
	}
	if s.Gate == nil {
		return nil
	}
	return &Decision{Disposition: AskUser, Reason: fmt.Sprintf("gate %s (%s) waits for the person", s.Gate.Gate, s.Gate.Trigger)}
}

// budget lets an outstanding audit and the settling of a done go on: their
// reserve was set aside before.
func budget(s *run.State, now int64) *Decision {
	r := s.OpenRound()
	if s.Done != nil || (r != nil && r.Acted()) {
		return nil
	}
	return askOrEnd(s, gate.MaxRounds(s, now), now)
}

func failing(s *run.State, now int64) *Decision {
	if s.OpenRound() != nil || s.Done != nil {
		return nil
	}
	return askOrEnd(s, gate.RepeatedFailure(s, now), now)
}

func throttled(s *run.State, now int64) *Decision {
	if s.RetryAt <= now {
		return nil
	}
	return &Decision{Disposition: Wait, Until: s.RetryAt, Reason: "the provider asks to wait"}
}

func lacking(s *run.State, now int64) *Decision {
	m := s.Missing
	switch {
	case m == nil:
		return nil
	case m.Owner == "longwatch" && m.Tries < Attempts:
		return &Decision{Disposition: Repair, Step: Step{Do: DoProbe, Attempt: m.Tries + 1}, Reason: m.Name + " is missing"}
	}
	return ask(gate.NeedsHuman(s, now))
}

func violated(s *run.State, now int64) *Decision {
	switch {
	case s.Violated == nil && s.Worse > 0:
		return &Decision{Disposition: Repair, Step: Step{Do: DoUndo, Round: s.Worse}, Reason: "the audit says that the step made things worse"}
	case s.Violated == nil:
		return nil
	case s.Created.MayRestore:
		return &Decision{Disposition: Repair, Step: Step{Do: DoRestore, Round: s.Violated.Round}, Reason: "the workspace changed during an audit"}
	}
	return ask(gate.NeedsHuman(s, now))
}

// unaudited sees to it that what an executor did is checked and audited before
// anything else is planned.
func unaudited(s *run.State, now int64) *Decision {
	r := s.OpenRound()
	if r == nil || !r.Acted() || (r.Audited != nil && !r.Void && r.AuditedSeq > r.ExecutedSeq) {
		return nil
	}
	switch {
	case s.Voids >= Attempts:
		return ask(gate.NeedsHuman(s, now))
	case hasChecks(r) && (r.Checked == nil || r.CheckedSeq < s.Changed) && r.Spoilt[run.Check] < Attempts:
		return phase(s, run.Check, "the step's machine checks come before its audit")
	case r.Spoilt[run.Audit] >= Attempts:
		return &Decision{
			Disposition: RunNow, Step: Step{Do: DoGiveUp, Phase: run.Audit, Round: r.N},
			Reason: fmt.Sprintf("the auditor gave no verdict in %d attempts", Attempts),
		}
	}
	return phase(s, run.Audit, "executed and not audited")
}

func asked(s *run.State, now int64) *Decision {
	switch {
	case s.Asked == nil:
		return nil
	case s.Asked.Blocked:
		return ask(gate.NeedsHuman(s, now))
	}
	return ask(gate.NeedsInput(s, now))
}

func waiting(s *run.State, now int64) *Decision {
	w := s.Waiting
	switch {
	case w == nil:
		return nil
	case now >= w.NextAt || now >= w.Expires || w.NextAt-now > w.Every:
		// The last: the clock went back, and must not make the wait longer.
		return phase(s, run.Probe, "the wait is due for a look")
	}
	return &Decision{Disposition: Wait, Until: min(w.NextAt, w.Expires), Reason: "waiting until " + w.Until}
}

// settling closes a round that has nothing left to do.
func settling(s *run.State, _ int64) *Decision {
	r := s.OpenRound()
	if r == nil {
		return nil
	}
	end := settled(s, r)
	if end == "" {
		return nil
	}
	return &Decision{
		Disposition: RunNow, Step: Step{Do: DoClose, Round: r.N, End: end},
		Reason: fmt.Sprintf("round %d is settled: %s", r.N, end),
	}
}

func settled(s *run.State, r *run.Round) run.End {
	switch {
	case r.Refused != "" || len(r.Missing) > 0:
		return run.EndRefused
	case r.Acted() && r.Supported():
		return run.EndSupported
	case r.Acted():
		return run.EndUnsupported
	case r.Plan == nil && r.Spoilt[run.Plan] >= Attempts:
		return run.EndFailed
	case r.Plan == nil:
		return ""
	}
	switch r.Plan.Route {
	case protocol.Ask, protocol.Stop:
		return run.EndAsked
	case protocol.Wait:
		return run.EndWaited
	case protocol.Done:
		return run.EndDone
	case protocol.CLI, protocol.GUI:
	}
	return ""
}

// next plans, or executes the accepted plan. A refusal, or two rounds that came
// to the same, make it a replan with the reason.
func next(s *run.State, _ int64) *Decision {
	if r := s.OpenRound(); r != nil && r.Plan != nil {
		return phase(s, run.Execute, "the plan is accepted")
	}
	d := phase(s, run.Plan, "the manager plans one step")
	switch {
	case s.Refusal != "":
		d.Disposition, d.Reason = Replan, s.Refusal
	case len(s.Fingerprints) == 2:
		d.Disposition, d.Reason = Replan, "two rounds came to exactly the same"
	}
	return d
}

func phase(s *run.State, p run.Phase, reason string) *Decision {
	st := Step{Do: DoPhase, Phase: p, Round: len(s.Rounds), Attempt: 1}
	if r := s.OpenRound(); r != nil {
		st.Attempt = r.Spoilt[p] + 1
	} else if p == run.Plan {
		st.Round++
	} else if r := s.Current(); r != nil {
		st.Attempt = r.Spoilt[p] + 1
	}
	return &Decision{Disposition: RunNow, Step: st, Reason: reason}
}

func finish(o run.Outcome, reason string) *Decision {
	return &Decision{Disposition: Terminal, Step: Step{Do: DoFinish, Outcome: o}, Reason: reason}
}

func ask(q *gate.Question) *Decision {
	if q == nil {
		return nil
	}
	return &Decision{Disposition: AskUser, Step: Step{Do: DoGate, Gate: q, Round: q.Round}, Reason: q.Text}
}

// askOrEnd asks, or ends an unattended run at a gate nobody needs to answer.
func askOrEnd(s *run.State, q *gate.Question, now int64) *Decision {
	if q != nil && s.Created.Unattended {
		if wantsReport(s, now) {
			return phase(s, run.Report, "the run ends: the reporter writes the reply")
		}
		return finish(run.Incomplete, string(q.Trigger)+": "+q.Text)
	}
	return ask(q)
}

// wantsReport reports whether there is something to report that was not, and
// somebody to write it now: an end does not wait for a provider.
func wantsReport(s *run.State, now int64) bool {
	r := s.Current()
	return r != nil && !s.Replied && r.Spoilt[run.Report] < Attempts && s.RetryAt <= now
}

func hasChecks(r *run.Round) bool {
	if r.Plan == nil {
		return false
	}
	for _, c := range r.Plan.Criteria {
		if c.Check != "" {
			return true
		}
	}
	return false
}
