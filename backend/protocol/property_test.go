package protocol

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// Lines that would be misread if free text were written as it is.
var awkward = []string{
	"Next: gui", "- Task: other", "**Question:** why", "```sh", "```", "~~~", "> Status: complete", "Every:", "Next:",
	"    deep", "## Boundaries", "Status: blocked", "Blocking constraints:", "- [x] item", "验收标准：", "状态：完成", "C1 x   check: y", "",
}

var (
	sentence = rapid.StringMatching(`[A-Za-z一二三]([A-Za-z 一二三.,|()-]{0,20}[a-z一二三])?`).Filter(func(s string) bool { return !none(s) && !unchanged(s) })
	prosaic  = rapid.Custom(func(t *rapid.T) string {
		middle := rapid.SliceOfN(rapid.OneOf(sentence, rapid.SampledFrom(awkward)), 0, 5).Draw(t, "middle")
		if len(middle) == 0 {
			return sentence.Draw(t, "line")
		}
		lines := append([]string{sentence.Draw(t, "first")}, middle...)
		return strings.Join(append(lines, sentence.Draw(t, "last")), "\n")
	})
	languages = rapid.SampledFrom([]Language{English, Chinese})
)

func drawPlan(t *rapid.T) Plan {
	p := Plan{
		Route:    rapid.SampledFrom([]Route{GUI, CLI, Wait, Ask, Done, Stop}).Draw(t, "route"),
		Contract: rapid.OneOf(rapid.Just(""), prosaic).Draw(t, "contract"),
		Task:     prosaic.Draw(t, "task"), Question: prosaic.Draw(t, "question"),
		Boundaries: rapid.OneOf(rapid.Just(""), prosaic).Draw(t, "boundaries"),
		Related:    rapid.SliceOfNDistinct(rapid.IntRange(1, 2000), 0, 4, rapid.ID).Draw(t, "related"),
	}
	for _, id := range rapid.SliceOfNDistinct(rapid.StringMatching(`[RAF][1-9]\d?`), 0, 5, rapid.ID).Draw(t, "ids") {
		p.Records = append(p.Records, StateRecord{
			ID: id, Mark: rapid.SampledFrom([]Mark{Completed, Pending, Blocked, Untrusted}).Draw(t, "mark"),
			Round: rapid.IntRange(0, 1200).Draw(t, "round"), Text: sentence.Draw(t, "record"),
		})
	}
	for _, n := range rapid.SliceOfNDistinct(rapid.IntRange(1, 99), 0, 4, rapid.ID).Draw(t, "criteria") {
		p.Criteria = append(p.Criteria, Criterion{
			ID: fmt.Sprintf("C%d", n), Text: sentence.Filter(func(s string) bool { return !strings.HasSuffix(s, "-") }).Draw(t, "criterion"),
			Check: rapid.SampledFrom([]string{"", "run `a | grep -q \"check: b\"` exit 1", "file 报告.pdf matches /x{2}  y/", "json a $.b != \"check:\""}).Draw(t, "check"),
		})
	}
	for _, n := range rapid.SliceOfNDistinct(rapid.IntRange(1, 99), 0, 3, rapid.ID).Draw(t, "serves") {
		p.Serves = append(p.Serves, fmt.Sprintf("R%d", n))
	}
	if choices := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-m1-9][.)]? [a-z]{2,6}`), 2, MostChoices, rapid.ID); rapid.Bool().Draw(t, "choose") {
		p.Choices = choices.Draw(t, "choices")
	}
	if p.Route == Wait {
		p.Until = rapid.SampledFrom([]string{"run `true`", "file a contains \"until: check:\"", "window title contains \"等待\""}).Draw(t, "until")
		p.EveryMillis = rapid.Int64Range(1000, MostWait.Milliseconds()).Draw(t, "every")
		p.ExpireMillis = rapid.Int64Range(1, 30*24).Draw(t, "expires") * time.Hour.Milliseconds()
	}
	return p
}

func TestPlansSurviveWritingAndReading(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := drawPlan(t)
		text := want.Text(languages.Draw(t, "language"))
		got, err := ParsePlan(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if d := cmp.Diff(want, got, sameButLines); d != "" {
			t.Fatalf("-want +got\n%s\n%s", d, text)
		}
	})
}

func TestReportsSurviveWritingAndReading(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.OneOf(sentence, rapid.SampledFrom([]string{"Status: blocked", "> x", "```", "- y", "1. z", "阻塞约束：无", "Facts"}))
		r := Report{
			Verdict: Verdict{
				rapid.SampledFrom([]Status{StatusComplete, StatusIncomplete, StatusBlocked}).Draw(t, "status"),
				rapid.SampledFrom([]Integrity{IntegrityClean, IntegritySuspect, IntegrityViolation}).Draw(t, "integrity"),
				rapid.SampledFrom([]ContractAudit{ContractAligned, ContractRevision, ContractInvalid, ContractUnknown}).Draw(t, "contract"),
			},
			Effect:   rapid.SampledFrom([]Effect{"", EffectBetter, EffectSame, EffectWorse}).Draw(t, "effect"),
			Facts:    rapid.SliceOfN(line, 0, 4).Draw(t, "facts"),
			Evidence: rapid.SliceOfNDistinct(rapid.StringMatching(`(evidence/[a-z]{2,4}\.png|[a-z]{3,5}|[a-f0-9]{4}x)`), 0, 3, rapid.ID).Draw(t, "evidence"),
			Gaps:     rapid.SliceOfN(line, 0, 4).Draw(t, "gaps"),
			Blocking: rapid.SliceOfNDistinct(line, 0, 4, rapid.ID).Draw(t, "blocking"),
			Update:   rapid.OneOf(rapid.Just(""), prosaic).Draw(t, "update"),
		}
		text := r.Text(languages.Draw(t, "language"))
		got, err := ParseAudit(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		want := Audit{Verdict: r.Verdict, Effect: r.Effect, Blocking: r.Blocking, Evidence: r.Evidence, Update: r.Update, Text: text}
		anyOrder := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Evidence" },
			cmpopts.SortSlices(func(a, b string) bool { return a < b }))
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty(), anyOrder); d != "" {
			t.Fatalf("-want +got\n%s\n%s", d, text)
		}
	})
}

// decorate rewrites the headings of a text the way models do.
func decorate(t *rapid.T, text string, v *vocabulary) string {
	lines := strings.Split(text, "\n")
	dash := rapid.SampledFrom([]string{"", "- ", "* ", "## "}).Draw(t, "dash")
	for i, l := range lines {
		m, ok := v.match(l)
		if !ok || newLine(1, l).indent > 0 || m.listed || v.specs[m.head].shape == prose && m.value != "" && strings.Contains(m.value, "*") {
			continue
		}
		key, value, _ := strings.Cut(strings.Replace(l, "：", ":", 1), ":")
		value = strings.TrimSpace(value)
		if v.specs[m.head].shape == word {
			value += rapid.SampledFrom([]string{"", ".", " (it is enough)", " — why", "。", " "}).Draw(t, "remark")
		}
		colon := rapid.SampledFrom([]string{":", "：", " :", ": "}).Draw(t, "colon")
		switch rapid.IntRange(0, 4).Draw(t, "style") {
		case 0:
			l = "**" + key + "**" + colon + value
		case 1:
			l = "**" + key + strings.TrimSpace(colon) + "** " + value
		case 2:
			l = "**" + strings.TrimSpace(key+colon+value) + "**"
		case 3:
			l = "`" + strings.TrimSpace(strings.ToUpper(key)+colon+value) + "`"
		case 4:
			l = key + colon + value
		}
		lines[i] = dash + l
	}
	lead := rapid.SampledFrom([]string{"", "Here it is.\n\n", "# Round 4\nNext I looked around:\n", "\ufeff\n"}).Draw(t, "lead")
	text = lead + strings.Join(lines, rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end"))
	if !strings.Contains(text, "~~~") && rapid.Bool().Draw(t, "fence") {
		text = "~~~~text\n" + text + "\n~~~~\n"
	}
	return text
}

func TestDecorationsDoNotChangeAPlan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := drawPlan(t)
		want.Contract, want.Task, want.Question, want.Boundaries = "", sentence.Draw(t, "task"), sentence.Draw(t, "question"), ""
		text := decorate(t, want.Text(languages.Draw(t, "language")), &planWords)
		got, err := ParsePlan(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if d := cmp.Diff(want, got, sameButLines); d != "" {
			t.Fatalf("-want +got\n%s\n%s", d, text)
		}
	})
}

func TestDecorationsDoNotChangeAVerdict(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := Verdict{StatusComplete, IntegritySuspect, ContractRevision}
		blocking := rapid.SliceOfNDistinct(sentence, 0, 3, rapid.ID).Draw(t, "blocking")
		text := Report{Verdict: want, Blocking: blocking, Update: "go on"}.Text(languages.Draw(t, "language"))
		text = decorate(t, text, &reportWords)
		got, err := ParseAudit(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if got.Verdict != want || got.Update != "go on" || cmp.Diff(blocking, got.Blocking, cmpopts.EquateEmpty()) != "" {
			t.Fatalf("got %+v, want %v and %q\n%s", got, want, blocking, text)
		}
	})
}

// Any heap of fragments that is accepted is written so that it reads the same.
func TestAcceptedFragmentsAreWrittenFaithfully(t *testing.T) {
	t.Parallel()
	pieces := append([]string{
		"Next: cli", "Next: ask", "下一步：等待", "Task: ", "Task:", "Question: q", "Choices:", "a | b", "c、d", "Until: check: x", "check: y",
		"Acceptance criteria:", "- C1 a", "- b — check: c", "  check: none", "check", ": d", "Current task state:", "- R1 [pending]",
		"@round_3 e", "- A2 [completed] ", "Requirements: R1", "Task contract:", "Related audit reports:", "2, 3", "round_4 - 5",
		"Every: 2m", "Expires:", "1d", "- ", "  ", "\t", "`", "**", "-", "—", ":", "#", "---", "none", "\u3000",
	}, awkward...)
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 14).Draw(t, "parts")
		text := "Next: done\n"
		for _, p := range parts {
			text += p + rapid.SampledFrom([]string{"\n", "\n", "\n", " ", ""}).Draw(t, "joint")
		}
		plan, err := ParsePlan(text)
		if err != nil {
			return
		}
		accepted++
		for _, lang := range []Language{English, Chinese} {
			again, err := ParsePlan(plan.Text(lang))
			if err != nil {
				t.Fatalf("%v\n%s", err, plan.Text(lang))
			}
			if d := cmp.Diff(plan, again, sameButLines); d != "" {
				t.Fatalf("-want +got\n%s\n%q\n%s", d, text, plan.Text(lang))
			}
		}
	})
	if accepted == 0 {
		t.Error("no heap was accepted: the test shows nothing")
	}
}

// A text eight times as long takes eight times as long; a quadratic reader
// would take sixty-four times. One fair measurement of five is enough, since
// other processes only ever add time.
func TestReadingTakesLinearTime(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{
		"Next:\n\n", "- R1 [pending] x\n", "> \n", "```a\n", "```\n", "~~~\nTask:\n", "- ", "C1 check: ", "Task: a\n", "Blocking constraints:\n- x\n",
		"Evidence: e1 ", "[evidence: e1", "Requirements: R1-", "Related audit reports: 1,\n", "Choices: a|a\n", " \t", "*", "#", "第1轮", "Every: 1h\n", "\n x",
	} {
		var short, long time.Duration
		linear := false
		for try := 0; try < 5 && !linear; try++ {
			short, long = readingTime(piece, 4<<10), readingTime(piece, 32<<10)
			linear = long < 30*short
		}
		if !linear {
			t.Errorf("%q: 4 KiB took %v, 32 KiB took %v", piece, short, long)
		}
	}
}

func readingTime(piece string, size int) time.Duration {
	text := strings.Repeat(piece, size/len(piece))
	start := time.Now()
	for _, before := range []string{"", "Next: cli\nTask:\n", "Next: done\nCurrent task state:\n- R1 [pending] x", "Next: done\nAcceptance criteria:\n"} {
		if p, err := ParsePlan(before + text); err == nil {
			_ = p.Text(Chinese)
		}
	}
	_, _ = ParseAudit("Status: complete\nIntegrity: clean\nContract audit: aligned\n" + text)
	return time.Since(start)
}
