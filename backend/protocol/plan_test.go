package protocol

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParsePlanReadsAWholePlan(t *testing.T) {
	t.Parallel()
	got, err := ParsePlan(planEnglish)
	if err != nil {
		t.Fatal(err)
	}
	want := Plan{
		Records: []StateRecord{
			{ID: "R1", Mark: Completed, Round: 3, Text: "The report lists all four quarters"},
			{ID: "A1", Mark: Pending, Text: "report.pdf in the workspace"},
			{ID: "F1", Mark: Untrusted, Text: "The sheet has 412 rows"},
		},
		Contract: "The report exists and is right.\n\n- Boundaries: only out/ may change\n> Next: gui",
		Route:    CLI,
		Task:     "Export the report as PDF",
		Serves:   []string{"R1", "R2"},
		Criteria: []Criterion{
			{ID: "C1", Text: "report.pdf exists and has 4 pages", Check: "run `pdfinfo report.pdf | grep -q 'Pages: *4'`", Line: 14},
			{ID: "C2", Text: "the title page is dated", Line: 15},
		},
		Boundaries: "write only to out/",
		Related:    []int{3, 4},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestParsePlanReadsChinese(t *testing.T) {
	t.Parallel()
	got, err := ParsePlan(planChinese)
	if err != nil {
		t.Fatal(err)
	}
	want := Plan{
		Records: []StateRecord{
			{ID: "R1", Mark: Completed, Round: 3, Text: "报告列出四个季度"},
			{ID: "A1", Mark: Pending, Text: "工作区中的 report.pdf"},
		},
		Contract:   "报告存在且正确。",
		Route:      CLI,
		Task:       "把报告导出为 PDF",
		Serves:     []string{"R1", "R2"},
		Criteria:   []Criterion{{ID: "C1", Text: "report.pdf 存在", Check: "file report.pdf exists", Line: 10}},
		Boundaries: "只写 out/",
		Related:    []int{3, 4},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestParsePlanIsLenient(t *testing.T) {
	t.Parallel()
	cli := Plan{Route: CLI, Task: "go"}
	rows := map[string]struct {
		text string
		want Plan
	}{
		"trailing stop":            {"Next: cli.\nTask: go", cli},
		"list dashes":              {"- Next: cli\n- Task: go", cli},
		"numbers":                  {"1. Next: cli\n2. Task: go", cli},
		"bold line":                {"**Next: cli**\n**Task: go**", cli},
		"bold names":               {"**Next:** cli\n**Task**: go", cli},
		"bold value":               {"**Next:** **cli**\nTask: go", cli},
		"code ticks":               {"`Next: cli`\nTask: go", cli},
		"ticked value":             {"Next: `cli`.\nTask: go", cli},
		"headings":                 {"## Next: cli\n### Task\n\ngo\n", cli},
		"value on the next line":   {"Next:\n\n- cli\nTask:\n  go", cli},
		"remark":                   {"Next: cli (shell is enough)\nTask: go", cli},
		"dashed remark":            {"Next: CLI — the shell is enough, no gui\nTask: go", cli},
		"leading sentences":        {"Here is my plan.\nNext: we go on.\n\nNext: cli\nTask: go", cli},
		"upper case":               {"NEXT: CLI\nTASK: go", cli},
		"same value twice":         {"Next: cli\nTask: go\nNext: **cli**\nTask: go", cli},
		"carriage returns":         {"Next: cli\r\nTask: go\r\n", cli},
		"unusual blanks":           {"\ufeffNext:\u00a0cli\nTask:\u00a0go\x00", cli},
		"surrounding fence":        {"The plan:\n```text\nNext: cli\nTask: go\n```\n", cli},
		"surrounding indentation":  {"The plan:\n\n    Next: cli\n    Task: go\n", cli},
		"cut off fence":            {"```\nNext: cli\nTask: go", cli},
		"full-width colons":        {"下一步：命令行。\n任务：go", cli},
		"mixed languages":          {"下一步: cli\nTask：go", cli},
		"quoted older header":      {"> Next: gui\nNext: cli\nTask: go", cli},
		"fenced older header":      {"Before:\n```\nNext: gui\n```\nNow:\nNext: cli\nTask: go", cli},
		"indented older header":    {"    Next: gui\nNext: cli\nTask: go", cli},
		"empty and none elsewhere": {"Next: cli\nTask: go\nRequirements:\nBoundaries: none\nRelated audit reports: n/a\nQuestion: -\nChoices: None.\nUntil: none\nEvery:\nExpires: none", cli},
		"unchanged blocks":         {"Current task state: unchanged\nTask contract: (unchanged)\nNext: cli\nTask: go", cli},
		"prose like a header":      {"Next: cli\nTask: go\nNext: we will look", Plan{Route: CLI, Task: "go\nNext: we will look"}},
		"prose about requirements": {"Task contract:\nRequirements: it must print\nNext: done", Plan{Route: Done, Contract: "Requirements: it must print"}},
		"fence in a task":          {"Next: cli\nTask: ```sh\nNext: gui\n```\nBoundaries: b", Plan{Route: CLI, Task: "```sh\nNext: gui\n```", Boundaries: "b"}},
		"fence below a task":       {"Next: cli\nTask:\n  run\n  ~~~\n  Task: x\n  ~~~\n", Plan{Route: CLI, Task: "run\n~~~\nTask: x\n~~~"}},
		"reason of blocked":        {"Next: blocked\nTask: no licence", Plan{Route: Stop, Question: "no licence"}},
		"question with choices":    {"Next: ask\nQuestion: Which?\nChoices:\n- **red**\n- blue\n", Plan{Route: Ask, Question: "Which?", Choices: []string{"red", "blue"}}},
		"choices on one line":      {"Next: ask\nQuestion: Which?\nChoices: `1. red` | blue | blue", Plan{Route: Ask, Question: "Which?", Choices: []string{"1. red", "blue"}}},
		"Chinese choices":          {"下一步：询问\n问题：哪个？\n选项：红、蓝", Plan{Route: Ask, Question: "哪个？", Choices: []string{"红", "蓝"}}},
		"wait with defaults":       {"Next: wait\nUntil: check: file build.log contains \"BUILD OK\"", Plan{Route: Wait, Until: "file build.log contains \"BUILD OK\"", EveryMillis: 60_000, ExpireMillis: 21_600_000}},
		"wait with times":          {"Next: wait\nUntil:\n- `check: file a exists`\nEvery: 90 seconds.\nExpires: 1d (at most)", Plan{Route: Wait, Until: "file a exists", EveryMillis: 90_000, ExpireMillis: 86_400_000}},
		"Chinese wait":             {"下一步：等待\n直到：检查：file a exists\n每隔：2分钟\n过期：6 小时", Plan{Route: Wait, Until: "file a exists", EveryMillis: 120_000, ExpireMillis: 21_600_000}},
		"related rounds":           {"Next: done\nRelated audit reports:\n- round_003 - 5 pages, as round 2 said\n- @round_4\n- 12", Plan{Route: Done, Related: []int{3, 2, 4, 12}}},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ParsePlan(row.text)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(row.want, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

func TestParsePlanReadsCriteria(t *testing.T) {
	t.Parallel()
	got, err := ParsePlan(strings.Join([]string{
		"Next: done",
		"Acceptance criteria:",
		"All of these hold:",
		"- **C1** — it prints: a check: of sorts  check: run `echo \"check: x\"` within 60s",
		"- C3. two lines of",
		"  text",
		"  - **check:** file a exists",
		"- without an id | check: none",
		"4. `C4`：中文，检查：json a $.b == 1",
		"- C1 it prints: a check: of sorts   check: run `echo \"check: x\"` within 60s",
		"",
		"That is all.",
	}, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Criterion{
		{ID: "C1", Text: "it prints: a check: of sorts", Check: "run `echo \"check: x\"` within 60s", Line: 4},
		{ID: "C3", Text: "two lines of text", Check: "file a exists", Line: 5},
		{ID: "C2", Text: "without an id", Line: 8},
		{ID: "C4", Text: "中文", Check: "json a $.b == 1", Line: 9},
	}
	if d := cmp.Diff(want, got.Criteria); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestParsePlanRefuses(t *testing.T) {
	t.Parallel()
	rows := map[string]struct{ text, want string }{
		"no route":            {"Task: go", `wanted "Next:" with one of gui, cli, wait, ask, done, blocked`},
		"unknown route":       {"Hello\nNext: maybe\nTask: go", `line 2: got "Next: maybe"; wanted "Next:" with one of gui, cli, wait, ask, done, blocked`},
		"a sentence as route": {"Next: ask the user", `line 1: got "Next: ask the user"; wanted "Next:" with one of gui, cli, wait, ask, done, blocked`},
		"the template":        {"Next: gui | cli | wait", `line 1: got "Next: gui | cli | wait"; wanted "Next:" with one of gui, cli, wait, ask, done, blocked`},
		"an alternative":      {"Next: cli (or gui)", `line 1: got "Next: cli (or gui)"; wanted "Next:" with one of gui, cli, wait, ask, done, blocked`},
		"two routes":          {"Next: cli\nTask: go\n- Next: gui", `line 3: got "- Next: gui"; wanted one value; line 1 says "Next: cli"`},
		"two tasks":           {"Next: cli\nTask: go\nTask: stay", `line 3: got "Task: stay"; wanted one value; line 2 says "Task: go"`},
		"only a quoted route": {"> Next: cli\nTask: go", `wanted "Next:" with one of gui, cli, wait, ask, done, blocked`},
		"quoting fence":       {"Before:\n```\nNext: done\n```\nI am not sure.", `wanted "Next:" with one of gui, cli, wait, ask, done, blocked`},
		"hidden headings":     {"Next: cli\nTask: go\n```\nBoundaries: b", "line 3: got \"```\"; wanted an end of this code block before Boundaries: b"},
		"no task":             {"\nNext: gui", `line 2: got "Next: gui"; wanted also "Task:" with one bounded step`},
		"no question":         {"Next: ask\nTask: go", `line 1: got "Next: ask"; wanted also "Question:" with what to ask`},
		"no reason":           {"Next: blocked", `line 1: got "Next: blocked"; wanted also "Question:" with the reason`},
		"no check to wait":    {"Next: wait", `line 1: got "Next: wait"; wanted also "Until: check: …" with what to wait for`},
		"odd time":            {"Next: wait\nUntil: x\nEvery: often", `line 3: got "Every: often"; wanted a duration such as 90s, 2m, 6h or 1d`},
		"short time":          {"Next: wait\nUntil: x\nEvery: 20ms", `line 3: got "Every: 20ms"; wanted between 1s and 30d`},
		"long time":           {"Next: wait\nUntil: x\nExpires: 31d", `line 3: got "Expires: 31d"; wanted between 1s and 30d`},
		"seven choices":       {"Next: ask\nQuestion: q\nChoices: a|b|c|d|e|f|g", `line 3: got "a|b|c|d|e|f|g"; wanted at most 6 choices`},
		"two records":         {"Current task state:\n- R1 [pending] a\n- R1 [blocked] a\nNext: done", `line 3: got "R1 [blocked] a"; wanted one value; line 2 says "R1 [pending] a"`},
		"odd record":          {"Current task state:\n- R1 pending\nNext: done", `line 2: got "R1 pending"; wanted a record such as: - R1 [pending] what must be true`},
		"two criteria":        {"Acceptance criteria:\n- C1 a\n- C1 b\nNext: done", `line 3: got "C1 b"; wanted one value; line 2 says "C1 a"`},
		"text after a check":  {"Acceptance criteria:\n- C1 a check: run `b`\n  and more\nNext: done", `line 3: got "and more"; wanted a new criterion: a check ends with its line`},
		"range of ids":        {"Next: done\nRequirements: R1-R3", `line 2: got "R1-R3"; wanted each requirement by itself, such as R1, R2`},
		"odd ids":             {"Next: done\nRequirements: all", `line 2: got "Requirements: all"; wanted requirement ids such as R1, R2`},
		"odd related":         {"Next: done\nRelated audit reports: the last one", `line 2: got "the last one"; wanted rounds such as round_003`},
		"too long":            {strings.Repeat("x", MostText+1), `got "262145 bytes"; wanted at most 262144 bytes`},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ParsePlan(row.text)
			if err == nil {
				t.Fatal("accepted")
			}
			if d := cmp.Diff(row.want, err.Error()); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

func TestParsePlanBoundsItsLists(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		head, item string
		most       int
	}{
		{"Current task state:\n", "- F%d [pending] x\n", MostRecords},
		{"Acceptance criteria:\n", "- C%d x\n", MostCriteria},
	} {
		if _, err := ParsePlan("Next: done\n" + row.head + counted(row.item, row.most)); err != nil {
			t.Errorf("%d of %q: %v", row.most, row.item, err)
		}
		if _, err := ParsePlan("Next: done\n" + row.head + counted(row.item, row.most+1)); err == nil {
			t.Errorf("%d of %q were accepted", row.most+1, row.item)
		}
	}
}
