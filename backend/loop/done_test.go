package loop_test

import (
	"testing"

	"longwatch/backend/check"
	"longwatch/backend/loop"
	"longwatch/backend/loop/looptest"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

// claim is a run whose only step is audited and whose manager says done.
func claim(t *testing.T, c run.Created, v protocol.Verdict) *looptest.Tape {
	c.Limits = looptest.Limits
	c.Requirements = []run.Requirement{{ID: "R1", Text: "out.txt exists"}}
	return looptest.From(t, c).Round(v).Claim(1)
}

func found(status check.Status, hidden int) run.Checked {
	return run.Checked{
		Round: 2, Phase: run.FinalCheck, Hidden: hidden,
		Results: []check.Result{{Check: "file out.txt exists", Status: status, Proof: "seen"}},
	}
}

func TestRow12ADoneThatHoldsIsReportedAndAccepted(t *testing.T) {
	t.Parallel()
	p := claim(t, run.Created{FinalAudit: true, Checks: 1}, looptest.Good)
	decides(t, p, "12 run_now phase final_check of round 2")
	p.Start(run.FinalCheck).Add(found(check.Pass, 0))
	decides(t, p, "12 run_now phase report of round 2")
	p.Start(run.Report).Add(run.FinalReply{Round: 2})
	decides(t, p, "12 run_now close done")
	decides(t, p.Close(run.EndDone), "12 ask_user gate completed done.holds")
	p.Ask(run.GateCompleted, "done.holds").Answer(run.GateAnswered{Rounds: 1, Text: "and the annex"})
	decides(t, p, "16 run_now phase plan of round 3")
	p = claim(t, run.Created{Unattended: true}, looptest.Good).Start(run.Report).Add(run.FinalReply{Round: 2}).Close(run.EndDone)
	decides(t, p, "12 terminal finish completed")
}

func TestRow12EachMissingThingIsNamed(t *testing.T) {
	t.Parallel()
	const refuse = "12 replan refuse "
	decides(t, looptest.New(t).Plan(protocol.Plan{Route: protocol.Done}), refuse+"nothing was audited yet; R1 is pending: out.txt exists")
	decides(t, claim(t, run.Created{}, looptest.Bad),
		refuse+"the verdict of round_001 does not support it: incomplete · clean · aligned; R1 is untrusted: out.txt exists")
	none := looptest.From(t, run.Created{Limits: looptest.Limits}).Round(looptest.Good).Plan(protocol.Plan{Route: protocol.Done})
	decides(t, none, refuse+"no requirement is recorded")
	decides(t, claim(t, run.Created{}, looptest.Good).Add(run.MessageReceived{ID: "m", Text: "x"}),
		refuse+"the person wrote after the last verdict: do and audit a step that takes it in")
	p := claim(t, run.Created{Checks: 1}, looptest.Good).Start(run.FinalCheck).Add(found(check.Fail, 0))
	decides(t, p, refuse+"the check fails: file out.txt exists (seen)")
	p = claim(t, run.Created{Checks: 1}, looptest.Good).Start(run.FinalCheck).Add(found(check.Broken, 0))
	decides(t, p, refuse+"the check fails: file out.txt exists (seen)")
	p = claim(t, run.Created{Checks: 1}, looptest.Good).Start(run.FinalCheck).Add(fails(run.FinalCheck, 2))
	p.Start(run.FinalCheck).Add(fails(run.FinalCheck, 2))
	decides(t, p, refuse+"the task's machine checks could not be run")
	p.Add(run.DoneRefused{Round: 2, Missing: []string{"x"}})
	decides(t, p, "15 run_now close refused")
}

func TestRow12AHiddenCheckOnlySaysThatItFailed(t *testing.T) {
	t.Parallel()
	p := claim(t, run.Created{Checks: 4}, looptest.Good).Start(run.FinalCheck).Add(found(check.Pass, 3))
	decides(t, p, "12 replan refuse a hidden acceptance check failed")
}

func TestRow12ChecksOlderThanTheLastChangeAreRunAgain(t *testing.T) {
	t.Parallel()
	p := claim(t, run.Created{Checks: 1}, looptest.Good).Start(run.FinalCheck).Add(found(check.Pass, 0))
	decides(t, changed(p), "12 run_now phase final_check of round 2")
}

func TestRow12WhenTheWholeTaskIsAudited(t *testing.T) {
	t.Parallel()
	const final, report = "12 run_now phase final_audit of round ", "12 run_now phase report of round "
	two := func(c run.Created) *looptest.Tape {
		c.Limits = looptest.Limits
		return looptest.From(t, c).Round(looptest.Bad).Plan(protocol.Plan{Route: protocol.CLI, Records: []protocol.StateRecord{{ID: "R1", Mark: protocol.Pending}}}).
			Start(run.Execute).Add(run.Executed{Round: 2}).Audit(looptest.Good).Close(run.EndSupported).Claim(2)
	}
	decides(t, claim(t, run.Created{FinalAudit: true}, looptest.Good), report+"2") // one step was audited as the task
	decides(t, two(run.Created{FinalAudit: true}), final+"3")
	decides(t, two(run.Created{}), report+"3")
	decides(t, changed(two(run.Created{})), final+"3")
	decides(t, changed(claim(t, run.Created{}, looptest.Good)), final+"2")
	decides(t, two(run.Created{FinalAudit: true}).Final(looptest.Good), report+"3")
	decides(t, changed(two(run.Created{FinalAudit: true}).Final(looptest.Good)), final+"3")
	decides(t, two(run.Created{FinalAudit: true}).Final(looptest.Bad),
		"12 replan refuse the final audit does not support it: incomplete · clean · aligned")
	p := two(run.Created{FinalAudit: true}).Start(run.FinalAudit).Add(fails(run.FinalAudit, 3))
	decides(t, p, final+"3 attempt 2")
	decides(t, p.Start(run.FinalAudit).Add(fails(run.FinalAudit, 3)), "12 replan refuse the final audit gave no verdict")
}

func TestRow12AFinalAuditThatFailedIsNotForgottenByTheNextClaim(t *testing.T) {
	t.Parallel()
	p := changed(claim(t, run.Created{}, looptest.Good)).Final(looptest.Bad)
	p.Add(run.DoneRefused{Round: 2, Missing: []string{"the final audit"}}).Close(run.EndRefused).Claim(1)
	decides(t, p, "12 run_now phase final_audit of round 3")
}

func TestRow12AVoidFinalAuditAsksAndIsRepeated(t *testing.T) {
	t.Parallel()
	p := void(changed(claim(t, run.Created{}, looptest.Good)), run.FinalAudit)
	decides(t, p, "10 ask_user gate needs_human audit.void")
	p.Ask(run.GateNeedsHuman, "audit.void").Answer(run.GateAnswered{})
	decides(t, p, "12 run_now phase final_audit of round 2")
	p = looptest.From(t, run.Created{Limits: looptest.Limits, MayRestore: true, Requirements: []run.Requirement{{ID: "R1"}}})
	changed(p.Round(looptest.Good).Claim(1))
	void(p, run.FinalAudit).Add(run.Restored{})
	void(p, run.FinalAudit).Add(run.Restored{})
	decides(t, p, "12 ask_user gate needs_human audit.stale_twice")
}

func TestRow12AMessageDuringTheFinalAuditRefusesTheClaim(t *testing.T) {
	t.Parallel()
	p := changed(claim(t, run.Created{}, looptest.Good)).Start(run.FinalAudit).Add(run.MessageReceived{ID: "m", Text: "blue"})
	p.Add(run.Audited{Round: 2, Phase: run.FinalAudit, Verdict: looptest.Good, Said: looptest.Good})
	decides(t, p, "12 replan refuse the person wrote after the last verdict: do and audit a step that takes it in")
}

func TestANoticeNamesEachBudgetOnce(t *testing.T) {
	t.Parallel()
	p := looptest.From(t, run.Created{Limits: run.Limits{Rounds: 10, Fails: 3, Tokens: 100, MicroUSD: 10, ActiveMillis: 10}})
	p.Start(run.Plan).Add(run.PlanRefused{Round: 1, Usage: run.Usage{Tokens: 79, MicroUSD: 8, Millis: 9}})
	notice := func() string {
		t.Helper()
		d, err := loop.Decide(p.State, p.At)
		if err != nil {
			t.Fatal(err)
		}
		return d.Notice
	}
	if got := notice(); got != "active cost" {
		t.Errorf("notice %q", got)
	}
	p.Add(run.BudgetNoted{Budget: "cost"})
	if got := notice(); got != "active" {
		t.Errorf("notice %q after the cost was noted", got)
	}
	p.Close(run.EndRefused)
	for range 7 {
		p.Start(run.Plan).Add(run.PlanRefused{Round: len(p.Rounds)}).Close(run.EndRefused)
	}
	if got := notice(); got != "rounds active" {
		t.Errorf("notice %q in round 8 of 10", got)
	}
	p.Add(run.Finished{Outcome: run.Stopped})
	if got := notice(); got != "" {
		t.Errorf("a finished run gives notice %q", got)
	}
}
