package task

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/check"
	"longwatch/backend/config"
)

// report parses and writes the problems as a person sees them.
func report(text string) (Task, []string) {
	t, problems := Parse("task.md", []byte(text))
	var all []string
	for _, p := range problems {
		all = append(all, string(p.Severity)+" "+p.String())
	}
	return t, all
}

func mustParse(t *testing.T, text string) check.Check {
	t.Helper()
	c, err := check.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestParseReadsEveryKey(t *testing.T) {
	t.Parallel()
	text := "\ufeff" + strings.ReplaceAll(`---
title: Report
workspace: ~/work
exclusive_workspace: true
surface: cli
agent: claude
model: opus
effort: high
roles:
  auditor: {agent: my-agent, minutes: 20}
  gui_executor:
    model: small
limits:
  rounds: 40
  fails: 5
  active: 8h
  tokens: 2000000
  cost: $20.50
  minutes: {manager: 4}
deadline: 2026-12-31T18:00:00+01:00
display: mine
needs: [docker, gpu]
checks:
  - file "a b.txt" exists
hidden_checks:
  - run `+"`make test`"+` within 5m
services:
  - name: web
    run: |
      cd site
      python3 -m http.server
    ready: http http://localhost:8000 status 200
    writes: [site/log/]
    keep: true
final_audit: false
language: zh
attachments: [data.csv]
min_guard: kernel-ro
home: private
grant: [/data/in:ro, ~/out:rw]
on_fail: restore
on_violation: restore
build_patterns: [dist/]
brief: thin
---
# Heading
- [ ] one`, "\n", "\r\n")
	got, problems := report(text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := Task{
		Name: "task.md", Digest: got.Digest, Title: "Report", Body: "# Heading\n- [ ] one",
		Casting: config.Casting{Agent: "claude", Model: "opus", Effort: "high", Roles: map[config.Role]config.Player{
			config.Auditor: {Agent: "my-agent", Minutes: 20}, config.GUIExecutor: {Model: "small"}, config.Manager: {Minutes: 4},
		}},
		Workspace: "~/work", Exclusive: true, Surface: "cli", Display: "mine", Language: "zh", Brief: "thin",
		Limits:   config.Limits{Rounds: 40, Fails: 5, Active: 8 * 3600 * 1000, Tokens: 2_000_000, Cost: 20_500_000},
		Deadline: time.Date(2026, 12, 31, 17, 0, 0, 0, time.UTC).UnixMilli(), Needs: []string{"docker", "gpu"},
		Checks: []check.Check{mustParse(t, `file "a b.txt" exists`)}, Hidden: []check.Check{mustParse(t, "run `make test` within 5m")},
		Services: []Service{{
			Name: "web", Run: "cd site\npython3 -m http.server", Ready: []check.Check{mustParse(t, "http http://localhost:8000 status 200")},
			Writes: []string{"site/log/"}, Keep: true, Line: 28,
		}},
		Attachments: []string{"data.csv"}, MinGuard: "kernel-ro", Home: "private",
		Grants: []Grant{{Path: "/data/in"}, {Path: "~/out", Write: true}}, OnFail: "restore", OnViolation: "restore",
		Build: []string{"dist/"}, Checkboxes: []Requirement{{ID: "R1", Text: "one", Line: 47}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	data, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var back Task
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, back); diff != "" {
		t.Errorf("through JSON (-want +got)\n%s", diff)
	}
}

func TestParseNeedsNoFrontMatter(t *testing.T) {
	t.Parallel()
	got, problems := report("Fix the build.")
	want := Task{
		Name: "task.md", Digest: "b9eb0cbc5ae5e5a4bbe7a3b1c0a4eb0f", Title: "task", Body: "Fix the build.",
		Surface: "auto", FinalAudit: true, MinGuard: "detect", Home: "overlay", OnFail: "keep", OnViolation: "ask",
	}
	want.Digest = got.Digest
	if diff := cmp.Diff(want, got); diff != "" || len(problems) > 0 || len(got.Digest) != 64 {
		t.Errorf("problems %v (-want +got)\n%s", problems, diff)
	}
	if got.Requirements() != nil {
		t.Error("requirements out of nothing")
	}
}

func TestParseSaysWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	for front, want := range map[string]string{
		"rounds_limit: 3":                `error task.md:2: unknown key "rounds_limit"; did you mean "limits"?`,
		"a: 1\nTitle: x":                 `error task.md:3: unknown key "Title"; did you mean "title"?`,
		"final-audit: true":              `error task.md:2: unknown key "final-audit"; did you mean "final_audit"?`,
		"lang: en":                       `error task.md:2: unknown key "lang"; did you mean "language"?`,
		"tags: [a]":                      `note task.md:2: the key "tags" is not Longwatch's and is ignored`,
		"draft: true":                    `note task.md:2: the key "draft" is not Longwatch's and is ignored`,
		"name: x":                        `note task.md:2: the key "name" is not Longwatch's and is ignored`,
		"limits:\n  rouns: 3":            `error task.md:3: unknown key "rouns" in limits; did you mean "rounds"?`,
		"limits:\n  tags: 3":             `error task.md:3: unknown key "tags" in limits`,
		"roles: {auditr: {}}":            `error task.md:2: unknown key "auditr" in roles; did you mean "auditor"?`,
		"roles: {auditor: {command: x}}": `error task.md:2: unknown key "command" in roles.auditor`,
		"roles: {auditor: claude}":       `error task.md:2: roles.auditor is text; wanted a mapping (key: value)`,
		"title: 3":                       `error task.md:2: title is a number; wanted text`,
		"title:":                         `error task.md:2: title has no value; wanted text`,
		"title: \"a\\nb\"":               `error task.md:2: title is not one line of plain text`,
		"final_audit: yes":               `error task.md:2: final_audit is text; wanted true or false`,
		"surface: gu":                    `error task.md:2: surface is "gu"; wanted cli, gui, auto; did you mean "gui"?`,
		"agent: Claude":                  `error task.md:2: agent is "Claude"; wanted a name of small letters, digits and hyphens; did you mean "claude"?`,
		"agent: /bin/sh":                 `error task.md:2: agent is "/bin/sh"; wanted a name of small letters, digits and hyphens`,
		"agent: cluade":                  `warning task.md:2: agent is "cluade"; did you mean "claude"?`,
		"agent: playbook":                `error task.md: the agent "playbook" plays steps, and the task has none`,
		"limits: {rounds: 0}":            `error task.md:2: limits.rounds is "0"; wanted a whole number from 1 to 10000`,
		"limits: {rounds: -1}":           `error task.md:2: limits.rounds is "-1"; wanted a whole number from 1 to 10000`,
		"limits: {rounds: 1.5}":          `error task.md:2: limits.rounds is a number; wanted a whole number from 1 to 10000`,
		"limits: {cost: free}":           `error task.md:2: limits.cost is "free"; wanted dollars, up to 1000000, such as "$20" or 2.50`,
		"limits: {active: 8}":            `error task.md:2: limits.active is a number; wanted a time with its unit, such as 90s, 45m or 8h`,
		"limits: {minutes: {auditor: 3}}\nroles: {auditor: {minutes: 4}}": `error task.md:3: the minutes of auditor are here twice`,
		"deadline: tomorrow":        `error task.md:2: deadline is "tomorrow"; wanted a date and time`,
		"workspace: /":              `error task.md:2: the workspace cannot be "/"`,
		"workspace: ~/":             `error task.md:2: the workspace cannot be "~/"`,
		"grant: [/data]":            `error task.md:2: grant[1] is "/data"; wanted a folder and :ro or :rw`,
		"grant: [~/../b:rw]":        `error task.md:2: grant[1]: the folder "~/../b" cannot be granted`,
		"needs: docker":             `error task.md:2: needs is text; wanted a list`,
		"checks:\n  - file a exist": `error task.md:3: checks[1]: column 8: got "exist"; wanted exists, absent, contains, matches or sha256 (did you mean "exists"?)`,
		"checks: [3]":               `error task.md:2: checks[1] is a number; wanted text`,
		"title: a\ntitle: b":        `error task.md:3: mapping key "title" already defined at [2:1]`,
		"title: &a x":               `error task.md:2: this is an anchor (&), which a task file cannot have`,
		"title: *a":                 `error task.md:2: this is an alias (*), which a task file cannot have`,
		"title: !!str x":            `error task.md:2: this is a tag (!), which a task file cannot have`,
		"<<: {title: x}":            `error task.md:2: this is a merge key (<<), which a task file cannot have`,
		"title: a\n...\nagent: b":   `error task.md:3: this is a second document (--- or ...), which a task file cannot have`,
		"title: [":                  `error task.md:2: sequence end token ']' not found`,
		"just text":                 `error task.md:2: the front matter is text, not lines of key: value`,
		"title: " + strings.Repeat("[", 40) + strings.Repeat("]", 40): `error task.md:2: values are nested deeper than 32`,
		strings.Repeat("- ", 40): `error task.md:2: values are nested deeper than 32`,
	} {
		_, problems := report("---\n" + front + "\n---\nbody\n")
		if front == "a: 1\nTitle: x" && len(problems) > 1 {
			problems = problems[1:]
		}
		if diff := cmp.Diff([]string{want}, problems); diff != "" {
			t.Errorf("%s (-want +got)\n%s", front, diff)
		}
	}
}

func TestParseJudgesTheWholeFile(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"---\ntitle: x\nbody\n":                         "error task.md:1: the front matter that begins here has no closing ---",
		"---\ntitle: x\n---\n \n":                       "error task.md: the file says how, but not what is to be done",
		"---\n---\n" + strings.Repeat("a", WholeBody+1): "warning task.md: the body is longer than 32 KiB, so briefs show its headings and a file to read",
		"a\n\xff": "error task.md:2: the text is not valid UTF-8 here",
		"---\na: " + strings.Repeat("x", MaxFront) + "\n---\nb": "error task.md:1: the front matter is larger than 64 KiB",
	} {
		if _, problems := report(text); !cmp.Equal([]string{want}, problems) {
			t.Errorf("%.30q: %v, want %s", text, problems, want)
		}
	}
}

func TestCheckProblemPointsIntoTheLine(t *testing.T) {
	t.Parallel()
	_, problems := Parse("t.md", []byte("---\nchecks:\n  - file a exist\n---\nx"))
	if len(problems) != 1 || problems[0].Line != 3 || problems[0].Col != 12 {
		t.Errorf("got %+v", problems)
	}
}

func TestLocalDeadlineIsLocal(t *testing.T) {
	t.Parallel()
	got, _ := Parse("t.md", []byte("---\ndeadline: 2026-12-01 18:30\n---\nx"))
	if want := time.Date(2026, 12, 1, 18, 30, 0, 0, time.Local).UnixMilli(); got.Deadline != want {
		t.Errorf("got %d, want %d", got.Deadline, want)
	}
}

func TestTitleComesFromTheNextBestPlace(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"---\ntitle: A\n---\n# B": "A", "x\n\n## B c ##\n# D": "B c", "```\n# no\n```\n# Yes": "Yes", "#no\nplain": "my task", "#\n# \x1b[2JB": "?[2JB",
	} {
		if got, _ := Parse("/x/my task.md", []byte(text)); got.Title != want {
			t.Errorf("%q: title %q, want %q", text, got.Title, want)
		}
	}
}

func TestProblemsAreBounded(t *testing.T) {
	t.Parallel()
	// The error comes after more warnings than are reported, and still shows.
	_, problems := Parse("t.md", []byte(strings.Repeat("- [] a\n", 3*MaxProblems)+strings.Repeat("- [ ] a\n", MaxSteps+9)))
	errors := 0
	for _, p := range problems {
		if p.Severity == config.Error {
			errors++
		}
	}
	if len(problems) != MaxProblems || errors != 1 {
		t.Errorf("%d problems, %d errors", len(problems), errors)
	}
	var keys strings.Builder
	for i := range maxKeys + 9 {
		fmt.Fprintf(&keys, "k%d: 1\n", i)
	}
	if _, problems = Parse("t.md", []byte("---\n"+keys.String()+"---\nx")); !config.Refused(problems) {
		t.Errorf("%d keys were let pass", maxKeys+9)
	}
}

// The template is what a newcomer runs first, so here its steps really run.
func TestTemplateRunsInAnEmptyFolder(t *testing.T) {
	t.Parallel()
	task, problems := report(Template())
	if len(problems) > 0 || len(task.Steps) == 0 || task.Agent != config.Playbook {
		t.Fatalf("problems %v, agent %q", problems, task.Agent)
	}
	root := t.TempDir()
	shell := func(command string) int {
		c := exec.Command("/bin/sh", "-c", command)
		c.Dir, c.Stderr = root, os.Stderr
		if err := c.Run(); err != nil && c.ProcessState == nil {
			t.Fatal(err)
		}
		return c.ProcessState.ExitCode()
	}
	for _, s := range task.Steps {
		shell(s.Run)
		for _, c := range s.Expect {
			if c.Kind == check.Run {
				if code := shell(c.Shell); code != c.Exit {
					t.Errorf("%s: exit %d", c, code)
				}
			} else if got := check.Evaluate(t.Context(), c, check.Env{Root: root}); !got.Passed() {
				t.Errorf("%s: %+v", s.Name, got)
			}
		}
	}
	for _, c := range task.Checks {
		if got := check.Evaluate(t.Context(), c, check.Env{Root: root}); !got.Passed() {
			t.Errorf("%+v", got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(Template()))
	for _, seed := range []string{
		"- [x] a\n  b\n```\n- [ ] no\n", "---\na: {b: [c]}\n---\n", "---\r\ntitle: >\r\n  x\r\n---", "---\n{a}\n---\nx", "---\n\"", "---\n- - -\n---\n", "\ufeff---\n? a\n---", "---\nsteps:\n- name: a\n  run: b\n  expect: file\n---",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		task, problems := Parse("t.md", data)
		lines := strings.Count(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data)), "\n") + 1
		if len(problems) > MaxProblems {
			t.Fatalf("%d problems", len(problems))
		}
		for _, p := range problems {
			if p.Line < 0 || p.Line > lines || p.Col < 0 || p.Text == "" || len(p.String()) > 2000 {
				t.Fatalf("problem %+v of %d lines", p, lines)
			}
		}
		if config.Refused(problems) {
			return
		}
		seen := map[string]bool{}
		for _, r := range task.Requirements() {
			if seen[r.ID] || r.Text == "" || r.Line < 1 || r.Line > lines {
				t.Fatalf("requirement %+v", r)
			}
			seen[r.ID] = true
		}
		for _, s := range task.Steps {
			if !seen[s.Requirement] || s.Name == "" {
				t.Fatalf("step %+v", s)
			}
		}
	})
}
