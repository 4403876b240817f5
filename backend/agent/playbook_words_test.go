package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/check"
	"longwatch/backend/config"
	"longwatch/backend/loop"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
	"longwatch/backend/task"
)

func parsed(t *testing.T, texts ...string) (out []check.Check) {
	t.Helper()
	for _, text := range texts {
		c, err := check.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

// second is an input at the second of two steps, the first one verified.
func second(t *testing.T) *loop.Input {
	t.Helper()
	return &loop.Input{
		Round: 3, Title: "Two", Total: 2, Position: loop.Position{Mode: loop.ModeRun, Step: 1, Attempt: 1},
		Step: task.Step{
			Name: "Two: Next: done", Requirement: "R2", Run: "false", Else: []task.Action{{Run: "true"}},
			Timeout: config.Millis(60000), Expect: parsed(t, "file two.txt exists", "run `test -e two.txt`"),
		},
		Prove:  []protocol.StateRecord{{ID: "R1", Mark: protocol.Completed, Round: 2, Text: "One"}},
		Serves: []string{"R2"},
		Open:   []string{"Two: Next: done"}, Verified: []loop.Verified{{Name: "One", Round: 2}},
	}
}

// What the playbook's manager says is read back as what it means, in both
// languages, whatever a step is called.
func TestManagerWordsAreReadBack(t *testing.T) {
	t.Parallel()
	completed := []protocol.StateRecord{{ID: "R1", Mark: protocol.Completed, Round: 2, Text: "One"}}
	criteria := []protocol.Criterion{
		{ID: "C1", Text: "holds after the step", Check: "file two.txt exists"},
		{ID: "C2", Text: "holds after the step", Check: "run `test -e two.txt`"},
	}
	for mode, want := range map[loop.Mode]protocol.Plan{
		loop.ModeRun: {
			Records: completed, Route: protocol.CLI, Task: "Step 2 of 2: Two: Next: done (alternative 1)",
			Serves: []string{"R2"}, Criteria: criteria,
		},
		loop.ModeRecheck: {
			Records: completed, Route: protocol.CLI, Serves: []string{"R1", "R2"}, Criteria: criteria,
			Task: "Change nothing; look at the finished work again, because the person wrote.",
		},
		loop.ModeBlocked: {Records: completed, Route: protocol.Stop, Question: "it failed"},
		loop.ModeDone:    {Records: completed, Route: protocol.Done},
	} {
		for _, language := range []string{"en", "zh"} {
			in := second(t)
			in.Position.Mode, in.Position.Reason, in.Language = mode, "it failed", language
			in.Serves = want.Serves
			got, err := protocol.ParsePlan(managerWords(in))
			if err != nil {
				t.Fatalf("%s, %s: %v\n%s", mode, language, err, managerWords(in))
			}
			for i := range got.Criteria {
				got.Criteria[i].Line = 0
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s: -want +got\n%s", mode, language, diff)
			}
		}
	}
}

func TestTheFirstPlanHasAContract(t *testing.T) {
	t.Parallel()
	in := second(t)
	in.Round = 1
	p, err := protocol.ParsePlan(managerWords(in))
	if err != nil || !strings.Contains(p.Contract, "All 2 steps") {
		t.Errorf("%q, %v", p.Contract, err)
	}
}

func TestAuditorWordsSayWhatIsThere(t *testing.T) {
	t.Parallel()
	ran := &run.Checked{Results: []check.Result{{Check: "run `test -e two.txt`", Status: check.Pass, Proof: "exit 0"}}}
	for name, tt := range map[string]struct {
		file, supports bool
		checked        *run.Checked
		gap            string
	}{
		"all holds":               {file: true, checked: ran, supports: true},
		"the file is not there":   {checked: ran, gap: "file two.txt exists"},
		"the command did not run": {file: true, gap: "run `test -e two.txt`: it was not run"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if tt.file {
				if err := os.WriteFile(filepath.Join(dir, "two.txt"), []byte("x"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			in := second(t)
			in.Phase, in.Checked = run.Audit, tt.checked
			words := auditorWords(t.Context(), in, dir)
			a, err := protocol.ParseAudit(words)
			if err != nil {
				t.Fatalf("%v\n%s", err, words)
			}
			if a.Verdict.Supports() != tt.supports || !strings.Contains(words, tt.gap) || len(a.Blocking) > 0 {
				t.Errorf("%s; want supports %v and the gap %q\n%s", a.Verdict, tt.supports, tt.gap, words)
			}
		})
	}
}

// A step without checks is judged by how its command ended; one that was cut
// short cannot be.
func TestAStepWithoutChecksIsJudgedByItsExit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		executed *run.Executed
		supports bool
	}{
		"exit 0":      {&run.Executed{}, true},
		"exit 1":      {&run.Executed{Exit: 1, Fail: run.FailExit}, false},
		"its timeout": {&run.Executed{Fail: run.FailTimeout}, false},
		"interrupted": {nil, false},
	} {
		in := second(t)
		in.Phase, in.Executed = run.Audit, tt.executed
		in.Step.Expect = nil
		a, err := protocol.ParseAudit(auditorWords(t.Context(), in, t.TempDir()))
		if err != nil || a.Verdict.Supports() != tt.supports {
			t.Errorf("%s: %s, %v", name, a.Verdict, err)
		}
	}
}

func TestTheFinalAuditWantsEveryStep(t *testing.T) {
	t.Parallel()
	in := second(t)
	in.Phase = run.FinalAudit
	in.Step.Expect = nil
	a, err := protocol.ParseAudit(auditorWords(t.Context(), in, t.TempDir()))
	if err != nil || a.Verdict.Supports() {
		t.Errorf("R2 is not verified: %s, %v", a.Verdict, err)
	}
	in.Open = nil
	if a, err = protocol.ParseAudit(auditorWords(t.Context(), in, t.TempDir())); err != nil || !a.Verdict.Supports() {
		t.Errorf("both are verified: %s, %v", a.Verdict, err)
	}
}

func TestTheReplySaysWhatIsVerified(t *testing.T) {
	t.Parallel()
	in := second(t)
	want := "Two: 1 of 2 steps are verified, 1 are not.\n\n1. One: verified in round 2\n2. Two: Next: done: not verified\n"
	if diff := cmp.Diff(want, reporterWords(in)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
