package task

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckboxesAreQuotedAndNumbered(t *testing.T) {
	t.Parallel()
	got, problems := report("# T\n" +
		"- [ ] one  **bold** `code`\n" + // 2
		"  goes on\n" +
		"and on\n" +
		"\n" +
		"  a paragraph of its own\n" +
		"\n" +
		"* [x] two <!-- why -->\n" + // 8
		"    1. [X] nested\n" + // 9
		"+ [ ]\tthree\n" + // 10
		"3) [ ] four\n" + // 11
		"> - [ ] quoted\n" +
		"```sh\n- [ ] fenced\n~~~\n```\n" +
		"<!-- - [ ] hidden -->\n" +
		"<!--\n- [ ] hidden\n-->\n" +
		"- plain `<!--`\n" +
		"- [ ] five\n" + // 22
		"\nText.\n\n" +
		"    - [ ] indented code\n" +
		"- [link](x)\n- [y] no\n" +
		"- [ ] six", // 29
	)
	if len(problems) > 0 {
		t.Error(problems)
	}
	want := []Requirement{
		{ID: "R1", Text: "one  **bold** `code` goes on and on", Line: 2},
		{ID: "R2", Text: "two", Ticked: true, Line: 8},
		{ID: "R3", Text: "nested", Ticked: true, Line: 9},
		{ID: "R4", Text: "three", Line: 10},
		{ID: "R5", Text: "four", Line: 11},
		{ID: "R6", Text: "five", Line: 22},
		{ID: "R7", Text: "six", Line: 29},
	}
	if diff := cmp.Diff(want, got.Requirements()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestWhatLooksLikeACheckboxIsNotLostInSilence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"- [] a":            "warning task.md:1: this is not read as a checkbox",
		"-[ ] a":            "warning task.md:1: this is not read as a checkbox",
		"x\n- [ ]":          "warning task.md:2: this checkbox has no text and is ignored",
		"x\n```\n- [ ] a":   "warning task.md:2: the code block that begins here is never closed: no checkbox below it is read",
		"x\n<!-- \n- [ ] a": "warning task.md:2: the comment that begins here is never closed: no checkbox below it is read",
	} {
		if _, problems := report(text); !cmp.Equal([]string{want}, problems) {
			t.Errorf("%q: %v", text, problems)
		}
	}
}

const playbook = `---
steps:
  - name: Build  the thing
    run: make
    expect: file out exists
  - name: second
    run: |
      a
      b
    expect:
      - file b exists
      - json c $.x == 1
    else:
      - run: c
    timeout: 2h
---
- [x] build the THING
`

func TestEachStepFulfilsOneRequirement(t *testing.T) {
	t.Parallel()
	got, problems := report(playbook)
	if len(problems) > 0 || got.Agent != "playbook" {
		t.Fatal(got.Agent, problems)
	}
	want := []Requirement{
		{ID: "R1", Text: "build the THING", Ticked: true, Line: 17},
		{ID: "R2", Text: "second", Line: 6},
	}
	if diff := cmp.Diff(want, got.Requirements()); diff != "" {
		t.Errorf("requirements (-want +got)\n%s", diff)
	}
	second := Step{Name: "second", Requirement: "R2", Run: "a\nb", Else: []Action{{Run: "c"}}, Timeout: 2 * 3600 * 1000, Line: 6, Expect: got.Steps[1].Expect}
	if diff := cmp.Diff(second, got.Steps[1]); diff != "" || len(second.Expect) != 2 {
		t.Errorf("step (-want +got)\n%s", diff)
	}
	if got.Steps[0].Requirement != "R1" || got.Steps[0].Timeout != defaultTimeout {
		t.Errorf("step %+v", got.Steps[0])
	}
}

func TestCheckboxWithoutAStepIsRefusedInAPlaybookOnly(t *testing.T) {
	t.Parallel()
	_, problems := report(playbook + "- [ ] third\n")
	if diff := cmp.Diff([]string{`error task.md:18: no step fulfils this checkbox: "third"`}, problems); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	got, problems := report("---\nagent: claude\nsteps:\n  - {name: a, run: b, expect: file a exists}\n---\n- [ ] third\n")
	want := []string{`warning task.md:4: steps are played only by the agent "playbook"; "claude" sees them as requirements`}
	if diff := cmp.Diff(want, problems); diff != "" || len(got.Requirements()) != 2 {
		t.Errorf("%v (-want +got)\n%s", got.Requirements(), diff)
	}
}

func TestStepsAreStrict(t *testing.T) {
	t.Parallel()
	for step, want := range map[string]string{
		"{name: a, run: b}":                                                  "warning task.md:3: step \"a\" expects nothing; only exit codes are looked at",
		"{run: b, expect: file a exists}":                                    "error task.md:3: steps[1] has no name",
		"{name: a, expect: file a exists}":                                   "error task.md:3: steps[1] needs exactly one of run, gui and service, and has 0",
		"{name: a, run: b, gui: c, expect: file a exists}":                   "error task.md:3: steps[1] needs exactly one of run, gui and service, and has 2",
		"{name: a, gui: c, expect: file a exists}":                           "warning task.md:3: steps[1] uses gui, which is not available yet: it will fail",
		"{name: a, service: c, expect: file a exists}":                       `error task.md:3: no service is named "c"`,
		"{name: a, run: b, expct: file a exists}":                            `error task.md:3: unknown key "expct" in steps[1]; did you mean "expect"?`,
		"{name: a, run: b, expect: file a exist}":                            `error task.md:3: steps[1].expect: column 8: got "exist"; wanted exists, absent, contains, matches or sha256 (did you mean "exists"?)`,
		"{name: a, run: b, expect: file a exists, timeout: 25h}":             `error task.md:3: steps[1].timeout is "25h"; wanted at most 24h0m0s`,
		"{name: a, run: b, expect: file a exists, else: [{run: c, gui: d}]}": "error task.md:3: steps[1].else[1] needs exactly one of run, gui and service, and has 2",
		"{name: a, run: b, expect: file a exists, else: {run: c}}":           "error task.md:3: steps[1].else is a mapping (key: value); wanted a list",
		"make": "error task.md:3: steps[1] is text; wanted a mapping (key: value)",
		"{name: a, run: b, expect: file a exists}\n- {name: A, run: b, expect: file a exists}": `error task.md:4: two steps are named "A"`,
	} {
		_, problems := report("---\nsteps:\n- " + step + "\n---\nx")
		if len(problems) == 0 || problems[0] != want && problems[len(problems)-1] != want {
			t.Errorf("%s: %v, want %s", step, problems, want)
		}
	}
}
