// Package looptest makes states of runs for tests, and only by folding events
// that may follow each other: nobody can be tested with a state that no run
// reaches. A [Tape] is written by hand; [Grow] lets dice write it.
package looptest

import (
	"fmt"
	"testing"

	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

// Epoch0 is the time of record 1, unix ms.
const Epoch0 = 1_764_000_000_000

// Verdicts that support, and that do not.
var (
	Good = protocol.Verdict{Status: protocol.StatusComplete, Integrity: protocol.IntegrityClean, Contract: protocol.ContractAligned}
	Bad  = protocol.Verdict{Status: protocol.StatusIncomplete, Integrity: protocol.IntegrityClean, Contract: protocol.ContractAligned}
)

// Tape is a history under construction; each record is a second after the one
// before it.
type Tape struct {
	*run.State
	t       testing.TB
	Entries []run.Entry
}

// Limits are ten rounds and three failures.
var Limits = run.Limits{Rounds: 10, Fails: 3}

// New begins a history of a run with one requirement, R1.
func New(t testing.TB) *Tape {
	return From(t, run.Created{
		Run: "r", Title: "t", Limits: Limits, FinalAudit: true,
		Requirements: []run.Requirement{{ID: "R1", Text: "out.txt exists"}},
	})
}

// From begins a history with its record 1.
func From(t testing.TB, c run.Created) *Tape {
	p := &Tape{State: &run.State{}, t: t}
	return p.Add(c)
}

// Add folds events and fails the test on one that cannot follow.
func (p *Tape) Add(events ...run.Event) *Tape {
	p.t.Helper()
	for _, e := range events {
		n := p.Seq + 1
		entry := run.Entry{Seq: n, Epoch: 1, At: Epoch0 + int64(n)*1000, Event: e}
		if err := p.Apply(entry); err != nil {
			p.t.Fatal(err)
		}
		p.Entries = append(p.Entries, entry)
	}
	return p
}

// Start starts a phase, of the next round when it is a plan.
func (p *Tape) Start(ph run.Phase) *Tape {
	p.t.Helper()
	n := len(p.Rounds)
	if ph == run.Plan && p.OpenRound() == nil {
		n++
	}
	return p.Add(run.PhaseStarted{Round: n, Phase: ph, Attempt: 1})
}

// Plan plans in the open round or the next one.
func (p *Tape) Plan(pl protocol.Plan) *Tape {
	p.t.Helper()
	p.Start(run.Plan)
	return p.Add(run.Planned{Round: len(p.Rounds), Plan: pl})
}

// Do plans a step on the command line and executes it.
func (p *Tape) Do(criteria ...protocol.Criterion) *Tape {
	p.t.Helper()
	p.Plan(protocol.Plan{Route: protocol.CLI, Task: "step", Serves: []string{"R1"}, Criteria: criteria}).Start(run.Execute)
	return p.Add(run.Executed{Round: len(p.Rounds)})
}

// Audit audits the step of the open round.
func (p *Tape) Audit(v protocol.Verdict) *Tape {
	p.t.Helper()
	p.Start(run.Audit)
	return p.Add(run.Audited{Round: len(p.Rounds), Phase: run.Audit, Verdict: v, Said: v})
}

// Final audits the whole task.
func (p *Tape) Final(v protocol.Verdict) *Tape {
	p.t.Helper()
	p.Start(run.FinalAudit)
	return p.Add(run.Audited{Round: len(p.Rounds), Phase: run.FinalAudit, Verdict: v, Said: v})
}

// Close settles the open round.
func (p *Tape) Close(end run.End) *Tape {
	p.t.Helper()
	return p.Add(run.RoundClosed{Round: len(p.Rounds), End: end})
}

// Round is a whole round that comes to a verdict.
func (p *Tape) Round(v protocol.Verdict) *Tape {
	p.t.Helper()
	end := run.EndUnsupported
	if v.Supports() {
		end = run.EndSupported
	}
	return p.Do().Audit(v).Close(end)
}

// Claim plans a done that marks R1 completed by a round.
func (p *Tape) Claim(round int) *Tape {
	p.t.Helper()
	return p.Plan(protocol.Plan{Route: protocol.Done, Records: []protocol.StateRecord{Completed("R1", round)}})
}

// Completed is a record that cites a round.
func Completed(id string, round int) protocol.StateRecord {
	return protocol.StateRecord{ID: id, Mark: protocol.Completed, Round: round, Text: "said"}
}

// Ask opens a gate with the next id.
func (p *Tape) Ask(tr run.Trigger, reason string) *Tape {
	p.t.Helper()
	return p.Add(run.GateOpened{Gate: fmt.Sprintf("g%d", p.Gates+1), Trigger: tr, Reason: reason, Question: "go on?", Round: len(p.Rounds)})
}

// Answer answers the open gate.
func (p *Tape) Answer(a run.GateAnswered) *Tape {
	p.t.Helper()
	if p.Gate == nil {
		p.t.Fatal("no gate is open")
	}
	a.Gate = p.Gate.Gate
	return p.Add(a)
}
