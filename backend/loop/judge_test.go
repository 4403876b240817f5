package loop_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"longwatch/backend/check"
	"longwatch/backend/loop"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

// better orders statuses; whatever is not complete supports nothing.
var better = map[protocol.Status]int{protocol.StatusComplete: 1}

func TestJudgingNeverRaisesAVerdict(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		said := protocol.Verdict{
			Status:    rapid.SampledFrom([]protocol.Status{protocol.StatusComplete, protocol.StatusIncomplete, protocol.StatusBlocked}).Draw(t, "status"),
			Integrity: rapid.SampledFrom([]protocol.Integrity{protocol.IntegrityClean, protocol.IntegritySuspect, protocol.IntegrityViolation}).Draw(t, "integrity"),
			Contract:  rapid.SampledFrom([]protocol.ContractAudit{protocol.ContractAligned, protocol.ContractRevision, protocol.ContractInvalid, protocol.ContractUnknown}).Draw(t, "contract"),
		}
		a := protocol.Audit{
			Verdict:  said,
			Blocking: rapid.SliceOfN(rapid.Just("x"), 0, 2).Draw(t, "blocking"),
			Evidence: rapid.SliceOfN(rapid.SampledFrom([]string{"evidence/1", "the file"}), 0, 2).Draw(t, "evidence"),
		}
		r := &run.Round{Plan: &protocol.Plan{}}
		if rapid.Bool().Draw(t, "has checks") {
			r.Plan.Criteria = []protocol.Criterion{{ID: "C1", Check: "file a exists"}}
		}
		if rapid.Bool().Draw(t, "checked") {
			status := rapid.SampledFrom([]check.Status{check.Pass, check.Fail, check.Unavailable, check.Broken}).Draw(t, "result")
			r.Checked = &run.Checked{Results: []check.Result{{Check: "file a exists", Status: status}}}
			r.FinalChecked = r.Checked
		}
		phase := rapid.SampledFrom([]run.Phase{run.Audit, run.FinalAudit}).Draw(t, "phase")
		got, reasons := loop.Judge(r, phase, a)
		if better[got.Status] > better[said.Status] || got.Integrity != said.Integrity || got.Contract != said.Contract {
			t.Fatalf("%s became %s", said, got)
		}
		if got != said && len(reasons) == 0 {
			t.Fatalf("%s became %s for no reason", said, got)
		}
		if said.Status != protocol.StatusComplete && got != said {
			t.Fatalf("%s, which supports nothing, became %s", said, got)
		}
		if got.Status == protocol.StatusComplete && len(reasons) > 0 {
			t.Fatalf("%s stands against its reasons %q", got, reasons)
		}
	})
}

func TestEachFactLowersCompleteWithItsReason(t *testing.T) {
	t.Parallel()
	complete := protocol.Verdict{Status: protocol.StatusComplete, Integrity: protocol.IntegrityClean, Contract: protocol.ContractAligned}
	withChecks := &protocol.Plan{Criteria: []protocol.Criterion{{ID: "C1", Check: "file a exists"}}}
	failing := &run.Checked{Results: []check.Result{{Check: "file a exists", Status: check.Fail}, {Check: "file b exists", Status: check.Pass}}}
	for _, c := range []struct {
		want  string
		r     run.Round
		phase run.Phase
		a     protocol.Audit
	}{
		{"", run.Round{Plan: withChecks, Checked: &run.Checked{}, FinalChecked: failing}, run.Audit, protocol.Audit{}},
		{"the check fails: file a exists", run.Round{Plan: withChecks, Checked: failing}, run.Audit, protocol.Audit{}},
		{"the check fails: file a exists", run.Round{FinalChecked: failing}, run.FinalAudit, protocol.Audit{}},
		{"the step's machine checks could not be run", run.Round{Plan: withChecks}, run.Audit, protocol.Audit{}},
		{"blocking constraints are named: no disk", run.Round{}, run.Audit, protocol.Audit{Blocking: []string{"no disk", "x"}}},
		{"the cited evidence/shot-1 is missing", run.Round{}, run.Audit, protocol.Audit{Evidence: []string{"e", "evidence/shot-1"}}},
		{"a violation never goes with complete", run.Round{}, run.Audit, protocol.Audit{Verdict: protocol.Verdict{Integrity: protocol.IntegrityViolation}}},
		{"the contract is invalid", run.Round{}, run.Audit, protocol.Audit{Verdict: protocol.Verdict{Contract: protocol.ContractInvalid}}},
		{"the contract is unknown", run.Round{}, run.FinalAudit, protocol.Audit{Verdict: protocol.Verdict{Contract: protocol.ContractUnknown}}},
		{"the contract is needs_revision", run.Round{}, run.Audit, protocol.Audit{Verdict: protocol.Verdict{Contract: protocol.ContractRevision}}},
		{"the step's machine checks could not be run", run.Round{Plan: withChecks}, run.Audit, protocol.Audit{Verdict: protocol.Verdict{Integrity: protocol.IntegritySuspect}}},
	} {
		v := complete
		if c.a.Verdict.Integrity != "" {
			v.Integrity = c.a.Verdict.Integrity
		}
		if c.a.Verdict.Contract != "" {
			v.Contract = c.a.Verdict.Contract
		}
		c.a.Verdict = v
		got, reasons := loop.Judge(&c.r, c.phase, c.a)
		if all := strings.Join(reasons, "; "); all != c.want || (all == "" && got != v) || (all != "" && got.Supports()) {
			t.Errorf("judged %s because %q, want because %q", got, all, c.want)
		}
	}
}
