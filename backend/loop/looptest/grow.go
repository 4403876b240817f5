package looptest

import (
	"fmt"

	"longwatch/backend/check"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

// Dice returns a number from 0 up to but not n.
type Dice func(n int) int

// Bytes makes dice of data; when it is used up they always fall on 0.
func Bytes(data []byte) Dice {
	return func(n int) int {
		if len(data) == 0 {
			return 0
		}
		b := int(data[0])
		data = data[1:]
		return b % n
	}
}

// Created draws a record 1.
func Created(d Dice) run.Created {
	c := run.Created{
		Run: "r", Title: "t", Unattended: d(2) == 0, FinalAudit: d(3) > 0, Checks: d(2), MayRestore: d(8) == 0, UndoWorse: d(4) == 0,
		Limits: run.Limits{Rounds: 1 + d(6), Fails: 1 + d(4), ActiveMillis: int64(d(2)) * 400, Tokens: int64(d(2)) * 3000, MicroUSD: int64(d(2)) * 900},
	}
	if d(4) == 0 {
		c.Limits.Deadline = Epoch0 + 200_000
	}
	for i := range d(4) {
		c.Requirements = append(c.Requirements, run.Requirement{ID: fmt.Sprintf("R%d", i+1), Text: "quoted"})
	}
	return c
}

// Grow adds up to n events, of all kinds, to a state, and returns them. Each
// may follow those before it. An empty state gets its record 1 first.
func Grow(s *run.State, d Dice, n int) []run.Entry {
	var out []run.Entry
	add := func(e run.Event) {
		entry := run.Entry{Seq: s.Seq + 1, Epoch: 1 + d(2), At: max(s.At, Epoch0) + int64(d(50_000)), Event: e}
		if s.Apply(entry) == nil {
			out = append(out, entry)
		}
	}
	if s.Seq == 0 {
		add(Created(d))
	}
	for range n {
		for range 20 {
			if e := Any(s, d); s.Accepts(e) == nil {
				add(e)
				break
			}
		}
	}
	return out
}

// Any draws an event that often may follow, and sometimes may not.
func Any(s *run.State, d Dice) run.Event {
	switch roll := d(20); {
	case roll < 3:
		return aside(s, d)
	case roll < 5:
		return spoken(s, d)
	case roll < 6:
		return move(s, d)
	case s.Open != nil:
		return Outcome(s, d)
	case s.Gate != nil:
		return answer(s, d)
	case s.Finished != nil:
		return run.MessageReceived{ID: fmt.Sprintf("m%d", s.Seq), Text: "go on"}
	}
	return move(s, d)
}

// move begins or settles something.
func move(s *run.State, d Dice) run.Event {
	n := len(s.Rounds)
	switch d(16) {
	case 0:
		return run.RoundClosed{Round: n, End: pick(d, run.EndSupported, run.EndUnsupported, run.EndRefused, run.EndFailed, run.EndAsked, run.EndWaited, run.EndDone)}
	case 3:
		return run.DoneRefused{Round: n, Missing: []string{"R1 is pending"}}
	case 4:
		if d(4) == 0 || s.Stop || s.Ended != nil {
			return run.Finished{Outcome: pick(d, run.Complete, run.Incomplete, run.Stopped, run.Aborted), Reason: "r"}
		}
		return run.GateOpened{
			Gate: fmt.Sprintf("g%d", s.Gates+1), Question: "q", Details: []string{"d"}, Round: n,
			Trigger: pick(d, run.GateCompleted, run.GateMaxRounds, run.GateNeedsInput, run.GateNeedsHuman, run.GateRepeatedFailure),
			Reason:  pick(d, "budget.rounds", "budget.active", "budget.tokens", "budget.cost", "budget.deadline", "audit.void", "manager.asks", "manager.blocked", "done.holds"),
		}
	}
	p := run.Phases[d(len(run.Phases))]
	if p == run.Plan && s.OpenRound() == nil {
		n++
	}
	return run.PhaseStarted{Round: n, Phase: p, Attempt: 1 + d(2), Agent: "a", Brief: "b", Process: run.Process{PID: d(3)}}
}

// Outcome draws what the open phase may come to, good or bad.
func Outcome(s *run.State, d Dice) run.Event {
	o := s.Open
	u := run.Usage{Millis: int64(d(90)), Tokens: int64(d(500)), MicroUSD: int64(d(100)), Estimated: d(5) == 0}
	said := run.Text{Text: "said"}
	switch d(10) {
	case 0:
		return run.Interrupted{Round: o.Round, Phase: o.Phase, Reaped: d(2) == 0}
	case 1:
		f := run.PhaseFailed{
			Round: o.Round, Phase: o.Phase, Detail: "why", Usage: u,
			Fail: pick(d, run.FailStart, run.FailExit, run.FailTimeout, run.FailFlood, run.FailCanceled, run.FailUnreadable, run.FailThrottled, run.FailDisturbed),
		}
		if f.Fail == run.FailUnreadable {
			f.Said = &said
		}
		if f.Fail == run.FailThrottled {
			f.RetryAt = s.At + int64(d(100_000))
		}
		return f
	case 2:
		if o.Phase.Role() == run.Auditor {
			return run.Violated{Round: o.Round, Phase: o.Phase, Changes: changes(d)}
		}
		return run.WorkspaceChanged{Round: o.Round, During: o.Phase, Changes: changes(d)}
	}
	switch o.Phase {
	case run.Plan:
		if d(8) == 0 {
			return run.PlanRefused{Round: o.Round, Reason: "unreadable", Said: said, Usage: u}
		}
		return run.Planned{Round: o.Round, Plan: plan(s, d), Said: said, Usage: u}
	case run.Execute:
		return run.Executed{Round: o.Round, Exit: d(2), Fail: pick(d, "", run.FailTimeout), Said: said, Usage: u}
	case run.Check, run.FinalCheck:
		return run.Checked{Round: o.Round, Phase: o.Phase, Results: []check.Result{result(d)}, Hidden: d(5) / 4, Tree: tree(d), Usage: u}
	case run.Audit, run.FinalAudit:
		v := verdict(d)
		return run.Audited{Round: o.Round, Phase: o.Phase, Verdict: v, Said: v, Effect: pick(d, "", protocol.EffectSame, protocol.EffectWorse), Reasons: []string{"r"}, Report: said, Tree: tree(d), Usage: u}
	case run.Report:
		return run.FinalReply{Round: o.Round, Said: said, Usage: u}
	case run.Probe:
		return run.ProbeResult{Round: o.Round, Result: result(d), Usage: u}
	}
	return nil
}

// spoken is what a person may do.
func spoken(s *run.State, d Dice) run.Event {
	rec := run.Receipt{Command: fmt.Sprintf("c%d", d(20)), Channel: "terminal"}
	switch d(8) {
	case 0:
		if d(4) == 0 {
			return run.StopRequested{Receipt: rec, Abort: d(4) == 0}
		}
		return run.PauseSet{Receipt: rec}
	case 1, 2:
		return run.PauseSet{Receipt: rec, Paused: d(3) == 0}
	case 3:
		return run.LimitsChanged{Receipt: rec, Add: run.Limits{Rounds: d(5) - 1, Tokens: int64(d(900)), Deadline: int64(d(2)) * (s.At + 9000)}}
	case 4:
		return run.MessageReceived{Receipt: rec, ID: fmt.Sprintf("m%d", s.Seq), Text: "also do that"}
	}
	return answer(s, d)
}

func answer(s *run.State, d Dice) run.Event {
	g := "none"
	if s.Gate != nil {
		g = s.Gate.Gate
	}
	return run.GateAnswered{
		Receipt: run.Receipt{Command: fmt.Sprintf("a%d", d(20))}, Gate: g,
		End: d(6) == 0, Text: pick(d, "", "blue"), Rounds: d(4),
	}
}

func pick[T any](d Dice, of ...T) T { return of[d(len(of))] }

func verdict(d Dice) protocol.Verdict {
	if d(2) == 0 {
		return Good
	}
	return protocol.Verdict{
		Status:    pick(d, protocol.StatusComplete, protocol.StatusIncomplete, protocol.StatusBlocked),
		Integrity: pick(d, protocol.IntegrityClean, protocol.IntegritySuspect, protocol.IntegrityViolation),
		Contract:  pick(d, protocol.ContractAligned, protocol.ContractRevision, protocol.ContractInvalid, protocol.ContractUnknown),
	}
}

func tree(d Dice) string { return pick(d, "", "t1", "t2") }

func changes(d Dice) run.Changes {
	return run.Changes{First: []run.Change{{Path: "a", What: "content", Kind: "file"}}, Count: 1, Counts: d(2) == 0, Tree: tree(d)}
}

func result(d Dice) check.Result {
	return check.Result{Check: "file a exists", Status: pick(d, check.Pass, check.Pass, check.Fail, check.Broken), Proof: "p", Millis: 1}
}

func plan(s *run.State, d Dice) protocol.Plan {
	p := protocol.Plan{
		Route: pick(d, protocol.CLI, protocol.CLI, protocol.CLI, protocol.GUI, protocol.Wait, protocol.Ask, protocol.Stop, protocol.Done, protocol.Done),
		Task:  "t", Serves: []string{"R1"}, Contract: pick(d, "", "c1", "c2"), Question: "which?",
		Until: "file a exists", EveryMillis: 1000 + int64(d(50_000)), ExpireMillis: 50_000,
	}
	if d(2) == 0 {
		p.Criteria = []protocol.Criterion{{ID: "C1", Text: "t", Check: "file a exists"}}
	}
	for range d(4) {
		p.Records = append(p.Records, protocol.StateRecord{
			ID: pick(d, "R1", "R2", "R3", "A1", "F1"), Text: pick(d, "x", "y"), Round: d(len(s.Rounds) + 2),
			Mark: pick(d, protocol.Completed, protocol.Completed, protocol.Pending, protocol.Blocked, protocol.Untrusted),
		})
	}
	return p
}
