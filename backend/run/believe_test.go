package run_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/loop/looptest"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

func record(id string, m protocol.Mark, round int) protocol.StateRecord {
	return protocol.StateRecord{ID: id, Mark: m, Round: round, Text: "said by the manager"}
}

func marks(s *run.State) string {
	var out []string
	for _, b := range s.Records {
		out = append(out, fmt.Sprintf("%s %s %d", b.ID, b.Mark, b.Round))
	}
	return strings.Join(out, ", ")
}

func TestRoundOneMayOnlySayPendingOrUntrusted(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Plan(protocol.Plan{Route: protocol.CLI, Records: []protocol.StateRecord{
		record("R1", protocol.Completed, 1), record("R2", protocol.Blocked, 0), record("A1", protocol.Completed, 0),
		record("F1", protocol.Pending, 0), record("F2", protocol.Untrusted, 0),
	}})
	want := "R1 untrusted 1, R2 pending 0, A1 untrusted 0, F1 pending 0, F2 untrusted 0"
	if got := marks(p.State); got != want {
		t.Errorf("records %s, want %s", got, want)
	}
	wantNotes := []string{
		"R1 is kept as untrusted: the verdict of round_001 does not support it",
		"R2 is kept as pending: round 1 may only say pending or untrusted",
		"A1 is kept as untrusted: completed cites no round",
	}
	if d := cmp.Diff(wantNotes, p.Notes); d != "" {
		t.Errorf("notes (-want +got):\n%s", d)
	}
}

func TestOnlyASupportingRoundCompletesARecord(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Round(looptest.Bad).Round(looptest.Good)
	p.Plan(protocol.Plan{Route: protocol.CLI, Records: []protocol.StateRecord{
		record("R1", protocol.Completed, 2), record("R2", protocol.Completed, 1),
		record("R3", protocol.Completed, 3), record("R4", protocol.Completed, 99), record("R5", protocol.Blocked, 0),
	}})
	want := "R1 completed 2, R2 untrusted 1, R3 untrusted 3, R4 untrusted 99, R5 blocked 0"
	if got := marks(p.State); got != want {
		t.Errorf("records %s, want %s", got, want)
	}
}

func TestWhatAPlanDoesNotNameStays(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Round(looptest.Good)
	p.Plan(protocol.Plan{Route: protocol.CLI, Contract: "contract", Records: []protocol.StateRecord{record("R1", protocol.Completed, 1)}})
	p.Start(run.Execute).Add(run.Executed{Round: 2}).Audit(looptest.Bad).Close(run.EndUnsupported)
	p.Plan(protocol.Plan{Route: protocol.CLI})
	if got := marks(p.State); got != "R1 completed 1" || p.Contract != "contract" {
		t.Errorf("after an empty plan: %s, contract %q", got, p.Contract)
	}
}

func TestTheTaskIsQuotedWhateverAPlanSays(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Round(looptest.Good)
	p.Plan(protocol.Plan{Route: protocol.CLI, Records: []protocol.StateRecord{
		{ID: "R1", Mark: protocol.Completed, Round: 1, Text: "an easier thing"}, {ID: "R2", Mark: protocol.Pending, Text: "first"},
	}})
	p.Start(run.Execute).Add(run.Executed{Round: 2}).Audit(looptest.Bad).Close(run.EndUnsupported)
	p.Plan(protocol.Plan{Route: protocol.CLI, Records: []protocol.StateRecord{{ID: "R2", Mark: protocol.Pending, Text: "second"}}})
	want := []run.Belief{
		{StateRecord: protocol.StateRecord{ID: "R1", Mark: protocol.Completed, Round: 1, Text: "out.txt exists"}, FromTask: true},
		{StateRecord: protocol.StateRecord{ID: "R2", Mark: protocol.Pending, Text: "second"}},
	}
	if d := cmp.Diff(want, p.Records); d != "" {
		t.Errorf("records (-want +got):\n%s", d)
	}
}

func TestARunKeepsAtMostSoManyRecords(t *testing.T) {
	t.Parallel()
	var many []protocol.StateRecord
	for i := range run.MostRecords + 5 {
		many = append(many, record(fmt.Sprintf("F%d", i+1), protocol.Untrusted, 0))
	}
	p := looptest.New(t).Plan(protocol.Plan{Route: protocol.CLI, Records: append(many, record("F1", protocol.Pending, 0))})
	if n := len(p.Records); n != run.MostRecords {
		t.Errorf("%d records, want %d", n, run.MostRecords)
	}
	if n := len(p.Notes); n != 6 || !strings.HasPrefix(p.Notes[5], "F505 was not kept") {
		t.Errorf("%d notes, the last %q; want 6, the last about F505", n, p.Notes[n-1])
	}
	if b, _ := p.Belief("F1"); b.Mark != protocol.Pending {
		t.Errorf("a record that is there could not change: %s", b)
	}
}

func TestAVoidAuditSupportsNothing(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Do().Start(run.Audit)
	p.Add(run.Violated{Round: 1, Phase: run.Audit, Changes: run.Changes{Count: 1, Counts: true, Tree: "t2"}})
	p.Add(run.Audited{Round: 1, Phase: run.Audit, Verdict: looptest.Good, Said: looptest.Good})
	if p.Supports(1) || p.Voids != 1 || p.Violated == nil {
		t.Errorf("void audit: supports %v, voids %d, violated %v", p.Supports(1), p.Voids, p.Violated)
	}
	p.Ask(run.GateNeedsHuman, "audit.void").Answer(run.GateAnswered{})
	p.Audit(looptest.Good).Close(run.EndSupported)
	p.Plan(protocol.Plan{Route: protocol.CLI, Records: []protocol.StateRecord{record("R1", protocol.Completed, 1)}})
	if got := marks(p.State); got != "R1 completed 1" || p.Voids != 0 {
		t.Errorf("after the audit was repeated: %s, voids %d", got, p.Voids)
	}
}

func TestAStepIsAuditedAgainstItsOwnPlanOnly(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Do().Audit(looptest.Good)
	refuses(t, p.State, run.PhaseStarted{Round: 1, Phase: run.Plan}, "a second plan of a round could cite the round itself")
	refuses(t, p.State, run.PhaseStarted{Round: 1, Phase: run.Execute}, "a second executor of a round")
	p.Close(run.EndSupported)
	refuses(t, p.State, run.PhaseStarted{Round: 1, Phase: run.Audit}, "an audit of a closed round could take its support back")
}

func refuses(t *testing.T, s *run.State, e run.Event, what string) {
	t.Helper()
	if s.Accepts(e) == nil {
		t.Errorf("accepted: %s", what)
	}
}
