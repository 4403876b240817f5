package loop_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/check"
	"longwatch/backend/loop"
	"longwatch/backend/loop/looptest"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
	"longwatch/backend/task"
)

func engine(tk task.Task) *loop.Engine {
	return &loop.Engine{
		Task: tk, Bounds: loop.DefaultBounds, Now: func() int64 { return looptest.Epoch0 },
		Agent: func(p run.Phase, surface string) string { return string(p) + "@" + surface },
	}
}

var plain = task.Task{Body: "# Write out.txt\n\n- [ ] out.txt exists\n"}

// brief renders what the next decision needs.
func brief(t testing.TB, tk task.Task, s *run.State, phase run.Phase) string {
	t.Helper()
	d, err := loop.Decide(s, max(s.At, s.RetryAt))
	must(t, err)
	if d.Step.Phase != phase {
		t.Fatalf("the decision is %s, not %s", said(d), phase)
	}
	b, err := engine(tk).Render(s, d)
	must(t, err)
	return b.Text
}

// copied is a state that was written down and read again.
func copied(t testing.TB, s *run.State) *run.State {
	t.Helper()
	b, err := json.Marshal(s)
	must(t, err)
	out := &run.State{}
	must(t, json.Unmarshal(b, out))
	return out
}

func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("the brief lacks %q:\n%s", p, text)
		}
	}
}

func lacks(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if strings.Contains(text, p) {
			t.Errorf("the brief has %q:\n%s", p, text)
		}
	}
}

func TestTheSameStateGivesTheSameBrief(t *testing.T) {
	t.Parallel()
	left := map[run.Phase]bool{}
	for _, p := range run.Phases {
		left[p] = true
	}
	for seed := range uint64(40) {
		r := &driver{s: &run.State{}, now: looptest.Epoch0, dice: rand.New(rand.NewPCG(seed, 3)).IntN}
		must(t, r.add(looptest.Created(r.dice)))
		for r.s.Finished == nil {
			d, err := loop.Decide(r.s, r.now)
			must(t, err)
			if d.Step.Do == loop.DoPhase {
				delete(left, d.Step.Phase)
				renders(t, r.s, d)
			}
			must(t, r.carryOut(d))
		}
	}
	if len(left) > 0 {
		t.Errorf("no brief was rendered for %v", left)
	}
}

// renders checks that a brief is the same for the same state, and bounded.
func renders(t *testing.T, s *run.State, d loop.Decision) {
	t.Helper()
	first, err := engine(steps).Render(s, d)
	must(t, err)
	again, err := engine(steps).Render(copied(t, s), d)
	must(t, err)
	if diff := cmp.Diff(first, again, cmp.AllowUnexported(loop.Brief{}), cmp.Comparer(check.Check.Equal)); diff != "" {
		t.Fatalf("%s (-first +again):\n%s", said(d), diff)
	}
	if b := loop.DefaultBounds; len(first.Text) > 2048+b.Task+b.Control+b.Evidence {
		t.Fatalf("%s: the brief has %d bytes", said(d), len(first.Text))
	}
}

// long is a run of n rounds whose roles talk a lot.
func long(t *testing.T, n int) *looptest.Tape {
	p := looptest.From(t, run.Created{
		Limits: run.Limits{Rounds: n + 1, Fails: n + 1}, Requirements: []run.Requirement{{ID: "R1", Text: "out.txt exists"}},
	})
	for i := range n {
		p.Plan(protocol.Plan{
			Route: protocol.CLI, Task: fmt.Sprintf("step %d: %s", i+1, strings.Repeat("word ", 200)),
			Contract: strings.Repeat("contract ", 200), Records: []protocol.StateRecord{
				{ID: fmt.Sprintf("F%d", i+1), Mark: protocol.Untrusted, Text: fmt.Sprintf("fact %d %s", i+1, strings.Repeat("x", 300))},
				{ID: "R1", Mark: protocol.Completed, Round: 9999, Text: "no"},
			},
		})
		p.Start(run.Execute).Add(run.Executed{Round: i + 1, Said: run.Text{Text: strings.Repeat("did ", 1000)}})
		p.Start(run.Audit).Add(run.Audited{
			Round: i + 1, Phase: run.Audit, Verdict: looptest.Bad, Report: run.Text{Text: strings.Repeat("saw ", 1400)},
			Tree: fmt.Sprint(i),
		}).Close(run.EndUnsupported)
	}
	return p
}

func TestTheManagersBriefIsAsLargeInRound200AsInRound20(t *testing.T) {
	t.Parallel()
	size := map[int]int{}
	for _, n := range []int{100, 200, 400} {
		text := brief(t, plain, long(t, n).State, run.Plan)
		size[n] = len(text)
		has(t, text,
			fmt.Sprintf("fact %d ", n), fmt.Sprintf("round_%03d cli", n), fmt.Sprintf("The last verdict, of round_%03d", n),
			"R1 [untrusted @round_9999] out.txt exists", "left out for room: round_001 to round_", "earlier ones, left out for room",
		)
	}
	twenty := len(brief(t, plain, long(t, 20).State, run.Plan))
	if b := loop.DefaultBounds; size[200] > 2048+b.Control+b.Evidence || size[200] > 2*twenty {
		t.Errorf("round 20 has %d bytes, round 200 %d", twenty, size[200])
	}
	if d := size[400] - size[200]; d > 100 || d < -100 {
		t.Errorf("the brief grows: %v", size)
	}
}

// A manager whose own words made its next brief impossible would end the run.
func TestNothingARoleSaysMakesABriefImpossible(t *testing.T) {
	t.Parallel()
	wall := strings.Repeat(`"\<三>`+"\n", 3000)
	var records []protocol.StateRecord
	for i := range run.MostRecords {
		records = append(records, protocol.StateRecord{ID: fmt.Sprintf("F%d", i+1), Mark: protocol.Completed, Text: wall[:400]})
	}
	p := looptest.New(t).Plan(protocol.Plan{Route: protocol.Done, Contract: wall[:2<<10], Records: records, Task: wall})
	p.Add(run.DoneRefused{Round: 1, Missing: []string{wall[:3<<10]}}).Close(run.EndRefused).Start(run.Plan)
	p.Add(run.PhaseFailed{Round: 2, Phase: run.Plan, Fail: run.FailUnreadable, Detail: wall[:400], Said: &run.Text{Text: wall[:6<<10]}})
	text := brief(t, plain, p.State, run.Plan)
	has(t, text, "# Not believed", "# Repair", "# Plan differently, because", "# Task contract", "more\n")
	p.Add(run.Finished{}, run.MessageReceived{ID: "m", Text: "x"})
	has(t, brief(t, plain, p.State, run.Plan), "# The person's messages")
}

func TestEveryUnreadMessageHasItsShareOrTheBriefIsAnError(t *testing.T) {
	t.Parallel()
	p := looptest.New(t)
	for i := range 3 {
		p.Add(run.MessageReceived{ID: fmt.Sprint(i), Text: fmt.Sprintf("message %d %s", i, strings.Repeat("m", 7000))})
	}
	has(t, brief(t, plain, p.State, run.Plan), "message 0 mm", "message 1 mm", "message 2 mm", "cut here: 7010 bytes in all", "R1 [pending]")
	for i := range 60 {
		p.Add(run.MessageReceived{ID: fmt.Sprint(i + 3), Text: strings.Repeat("m", 300)})
	}
	d, err := loop.Decide(p.State, p.At)
	must(t, err)
	if b, err := engine(plain).Render(p.State, d); err == nil || !strings.Contains(err.Error(), "brief.control_kib") {
		t.Errorf("a brief of %d bytes, error %v", len(b.Text), err)
	}
}

func TestALongTaskIsGivenByItsHeadings(t *testing.T) {
	t.Parallel()
	body := "# One\n" + strings.Repeat("text\n", 8000) + "## Two\ntext\n"
	text := brief(t, task.Task{Body: body}, looptest.New(t).State, run.Plan)
	has(t, text, "# One\n## Two", "only its headings")
	lacks(t, text, "text\ntext")
}

func TestMessagesStayInTheManagersBriefUntilTheyAreUsed(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Add(run.MessageReceived{ID: "a", Text: "make it blue"})
	has(t, brief(t, plain, p.State, run.Plan), "make it blue")
	p.Plan(protocol.Plan{Route: protocol.CLI, Task: "t"}).Add(run.MessageUsed{Round: 1, IDs: []string{"a"}})
	has(t, brief(t, plain, p.State, run.Execute), "make it blue")
	p.Start(run.Execute).Add(run.Executed{Round: 1})
	has(t, brief(t, plain, p.State, run.Audit), "make it blue")
	p.Audit(looptest.Good).Close(run.EndSupported)
	lacks(t, brief(t, plain, p.State, run.Plan), "make it blue")
	p.Add(run.StopRequested{})
	has(t, brief(t, plain, p.State, run.Report), "make it blue")
}

func TestAnAnswerComesWithItsQuestion(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Plan(protocol.Plan{Route: protocol.Ask, Question: "?"})
	p.Add(run.GateOpened{Gate: "g1", Trigger: run.GateNeedsInput, Reason: "manager.asks", Question: "red or blue?"})
	p.Answer(run.GateAnswered{Text: "the second"}).Close(run.EndAsked)
	has(t, brief(t, plain, p.State, run.Plan), "the second (the answer to: red or blue?)")
}

func TestARepairQuotesWhatCouldNotBeReadAndWhy(t *testing.T) {
	t.Parallel()
	bad := func(ph run.Phase) run.PhaseFailed {
		return run.PhaseFailed{
			Round: 1, Phase: ph, Fail: run.FailUnreadable, Detail: "line 1: two values", Said: &run.Text{Text: "Next: gui\nNext: cli"},
		}
	}
	want := "Your last answer could not be read: line 1: two values\nIt was:\n> Next: gui\n> Next: cli"
	p := looptest.New(t).Start(run.Plan).Add(bad(run.Plan))
	has(t, brief(t, plain, p.State, run.Plan), want)
	p.Plan(protocol.Plan{Route: protocol.CLI, Task: "t"})
	lacks(t, brief(t, plain, p.State, run.Execute), "could not be read")
	p.Start(run.Execute).Add(run.Executed{Round: 1})
	lacks(t, brief(t, plain, p.State, run.Audit), "could not be read")
	p.Start(run.Audit).Add(bad(run.Audit))
	has(t, brief(t, plain, p.State, run.Audit), want)
}

// traces is a run in which everybody said something to be known by.
func traces(t *testing.T) *looptest.Tape {
	p := looptest.New(t)
	for n := 1; n <= 2; n++ {
		p.Start(run.Plan).Add(run.Planned{
			Round: n, Said: run.Text{Text: fmt.Sprintf("manager raw %d", n)},
			Plan: protocol.Plan{Route: protocol.CLI, Contract: "the contract", Task: fmt.Sprintf("task %d", n), Boundaries: "bounds", Criteria: []protocol.Criterion{{ID: "C1", Text: "criterion"}}},
		})
		p.Start(run.Execute).Add(run.Executed{Round: n, Said: run.Text{Text: fmt.Sprintf("executor said %d", n)}})
		p.Start(run.Audit).Add(run.Audited{
			Round: n, Phase: run.Audit, Verdict: looptest.Bad, Report: run.Text{Text: fmt.Sprintf("auditor report %d", n)}, Tree: fmt.Sprint(n),
		}).Close(run.EndUnsupported)
	}
	return p
}

func TestAnExecutorSeesItsStepAndCitedReportsAndNoTrace(t *testing.T) {
	t.Parallel()
	p := traces(t)
	p.Plan(protocol.Plan{Route: protocol.CLI, Task: "task 3", Boundaries: "keep out", Related: []int{2}, Criteria: []protocol.Criterion{{ID: "C1", Text: "it is there", Check: "file a exists"}}})
	text := brief(t, plain, p.State, run.Execute)
	has(t, text, "task 3", "keep out", "C1 it is there   check: file a exists", "> auditor report 2", "the contract", "R1 [pending]", plain.Body)
	lacks(t, text, "manager raw", "executor said", "auditor report 1", "task 1", "Budgets")
	p.Start(run.Execute).Add(run.Executed{Round: 3, Exit: 7, Said: run.Text{Text: "executor said 3"}})
	p.Add(run.WorkspaceChanged{Round: 3, During: run.Execute, Changes: run.Changes{First: []run.Change{{What: "added", Path: "out.txt"}}, Count: 5}})
	p.Start(run.Check).Add(run.Checked{Round: 3, Phase: run.Check, Results: []check.Result{{Check: "file a exists", Status: check.Fail, Proof: "not there"}}})
	text = brief(t, plain, p.State, run.Audit)
	lacks(t, text, "hidden")
	has(t, text, "task 3", "> executor said 3", "exit 7", "fail: file a exists (not there)", "during execute", "- added out.txt", "- and 4 more")
	lacks(t, text, "manager raw", "executor said 2", "auditor report")
}

func TestTheManagerSeesTheLastVerdictInFullAndTheContractNotInTheFinalAudit(t *testing.T) {
	t.Parallel()
	p := traces(t)
	text := brief(t, plain, p.State, run.Plan)
	has(t, text, "> auditor report 2", "round_001 cli incomplete", "8 of 10 rounds are left", "the contract")
	lacks(t, text, "manager raw", "executor said", "auditor report 1", "tokens", "minutes")
	p.Do().Audit(looptest.Good).Close(run.EndSupported).Claim(3)
	text = brief(t, plain, p.State, run.FinalAudit)
	has(t, text, plain.Body, "round_003 cli complete", "R1 [completed @round_003] out.txt exists")
	lacks(t, text, "the contract", "manager raw", "executor said")
}

func TestTheFinalAuditorSeesTheTasksMachineChecks(t *testing.T) {
	t.Parallel()
	p := claim(t, run.Created{Checks: 1}, looptest.Good)
	changed(p).Start(run.FinalCheck).Add(found(check.Pass, 0))
	has(t, brief(t, plain, p.State, run.FinalAudit), "- pass: file out.txt exists (seen)", "during between")
}

func TestAnInterruptedExecutorHasNoReport(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Plan(protocol.Plan{Route: protocol.GUI, Task: "t"}).Start(run.Execute).Add(run.Interrupted{Round: 1, Phase: run.Execute})
	d, err := loop.Decide(p.State, p.At)
	must(t, err)
	b, err := engine(plain).Render(p.State, d)
	must(t, err)
	has(t, b.Text, "it was interrupted")
	if b.Agent != "audit@gui" || b.Surface != "gui" {
		t.Errorf("played by %s on %s", b.Agent, b.Surface)
	}
}
