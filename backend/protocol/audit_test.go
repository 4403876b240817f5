package protocol

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseAuditReadsAWholeReport(t *testing.T) {
	t.Parallel()
	got, err := ParseAudit(auditEnglish)
	if err != nil {
		t.Fatal(err)
	}
	want := Audit{
		Verdict:  Verdict{StatusIncomplete, IntegrityClean, ContractAligned},
		Blocking: []string{"The sheet lacks Q4"},
		Evidence: []string{"e12", "e13", "shot-7"},
		Update:   "R1 stays pending.",
		Text:     auditEnglish,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestParseAuditReadsChinese(t *testing.T) {
	t.Parallel()
	got, err := ParseAudit(auditChinese)
	if err != nil {
		t.Fatal(err)
	}
	want := Audit{
		Verdict:  Verdict{StatusIncomplete, IntegrityClean, ContractAligned},
		Blocking: []string{"表格缺少第四季度"},
		Evidence: []string{"e12", "e13"},
		Update:   "R1 仍为待定。",
		Text:     auditChinese,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestParseAuditReadsTheEffectWhereItIsSaid(t *testing.T) {
	t.Parallel()
	head := "Status: incomplete\nIntegrity: clean\nContract audit: aligned\n"
	for line, want := range map[string]Effect{
		"":                             "",
		"Effect: worse":                EffectWorse,
		"**Effect:** worse, two lost":  EffectWorse,
		"- Effect: improved":           EffectBetter,
		"影响：变差":                        EffectWorse,
		"效果：无变化":                       EffectSame,
		"Effect: of the change: none":  "",
		"> Effect: worse":              "",
		"Effect: same\nEffect: same.":  EffectSame,
		"The effect could be worse":    "",
		"Effect: worse or better, yes": "",
	} {
		got, err := ParseAudit(head + line)
		if err != nil || got.Effect != want {
			t.Errorf("%q: %q, %v; want %q", line, got.Effect, err, want)
		}
	}
	if _, err := ParseAudit(head + "Effect: better\nEffect: worse"); err == nil {
		t.Error("two effects were taken for one")
	}
}

func TestParseAuditIsLenient(t *testing.T) {
	t.Parallel()
	good := Verdict{StatusComplete, IntegrityClean, ContractAligned}
	rest := "\nIntegrity: clean\nContract audit: aligned\n"
	for name, row := range map[string]struct {
		text string
		want Verdict
	}{
		"bold":                   {"**Status:** complete\n**Integrity:** clean\n**Contract audit:** aligned", good},
		"dashes":                 {"- Status: complete\n- Integrity: clean\n- Contract audit: aligned", good},
		"stops":                  {"Status: complete." + rest, good},
		"tick":                   {"Status: complete ✅" + rest, good},
		"remark":                 {"Status: complete — all four pages are there, not three" + rest, good},
		"heading and sentence":   {"# Audit of round 3\n\nI looked at everything.\n\nStatus: complete" + rest, good},
		"headings":               {"## Status\ncomplete\n## Integrity\nclean\n## Contract audit\naligned", good},
		"fence":                  {"```\nStatus: complete" + rest + "```", good},
		"Chinese":                {"状态：完成\n完整性：干净\n契约审计：一致", good},
		"spelling of revision":   {"Status: blocked\nIntegrity: suspect\nContract audit: Needs revision (two readings)", Verdict{StatusBlocked, IntegritySuspect, ContractRevision}},
		"quoted earlier verdict": {"Status: complete" + rest + "Facts:\n> Status: incomplete\n```\nStatus: blocked\n```\n    Integrity: violation\n", good},
		"prose like a header":    {"Status: complete" + rest + "Facts:\nStatus: the page says incomplete\n", good},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseAudit(row.text)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(row.want, got.Verdict); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

func TestParseAuditRefuses(t *testing.T) {
	t.Parallel()
	rest := "\nIntegrity: clean\nContract audit: aligned\n"
	const status = `"Status:" in the first lines, with one of complete, incomplete, blocked`
	for name, row := range map[string]struct{ text, want string }{
		"no verdict":          {"All is well.", "wanted " + status},
		"the template":        {"Status: complete|incomplete|blocked" + rest, `line 1: got "Status: complete|incomplete|blocked"; wanted ` + status},
		"two words":           {"Status: complete, incomplete" + rest, `line 1: got "Status: complete, incomplete"; wanted ` + status},
		"a denial":            {"Status: not complete" + rest, `line 1: got "Status: not complete"; wanted ` + status},
		"a question":          {"Status: complete?" + rest, `line 1: got "Status: complete?"; wanted ` + status},
		"a hedge":             {"Status: complete, except for page 2" + rest, `line 1: got "Status: complete, except for page 2"; wanted ` + status},
		"a sentence":          {"Status: complete once page 2 is there" + rest, `line 1: got "Status: complete once page 2 is there"; wanted ` + status},
		"quoted verdict":      {"> Status: complete\n> Integrity: clean\n> Contract audit: aligned", "wanted " + status},
		"fenced and denied":   {"The last one said\n```\nStatus: complete" + rest + "```\nwhich is wrong.", "wanted " + status},
		"missing third":       {"Status: complete\nIntegrity: clean", `wanted "Contract audit:" in the first lines, with one of aligned, needs_revision, invalid, unknown`},
		"late second verdict": {"Status: complete" + rest + strings.Repeat("fact\n", 2000) + "Status: incomplete", `line 2004: got "Status: incomplete"; wanted one value; line 1 says "Status: complete"`},
		"listed second":       {"Status: complete" + rest + "Facts:\n- **Integrity: violation**", `line 5: got "- **Integrity: violation**"; wanted one value; line 2 says "Integrity: clean"`},
		"late verdict":        {strings.Repeat("fact\n", 17) + "Status: complete" + rest, `line 18: got "Status: complete"; wanted ` + status},
		"hidden constraints":  {"Status: complete" + rest + "```\nBlocking constraints:\n- x", "line 4: got \"```\"; wanted an end of this code block before Blocking constraints:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseAudit(row.text)
			if err == nil {
				t.Fatal("accepted")
			}
			if d := cmp.Diff(row.want, err.Error()); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

func TestParseAuditMissesNoBlockingConstraint(t *testing.T) {
	t.Parallel()
	head := "Status: complete\nIntegrity: clean\nContract audit: aligned\n"
	for name, row := range map[string]struct {
		text string
		want []string
	}{
		"none":                 {"Blocking constraints: none", nil},
		"none with a stop":     {"**Blocking constraints:** None.", nil},
		"none with a remark":   {"Blocking constraints: None — everything verified", nil},
		"none below":           {"Blocking constraints:\n- (none)\n\nSome notes follow.", nil},
		"dash":                 {"Blocking constraints:\n-\n", nil},
		"n/a":                  {"## Blockers\nN/A\n## Notes\nfine", nil},
		"Chinese none":         {"阻塞约束：无。", nil},
		"limited none":         {"Blocking constraints: none, except the licence", []string{"none, except the licence"}},
		"none of something":    {"Blocking constraints:\nNone of the files exist", []string{"None of the files exist"}},
		"none and yet one":     {"Blocking constraints: none\n- the licence", []string{"the licence"}},
		"on the line":          {"Blocking constraints: the licence", []string{"the licence"}},
		"quoted and fenced":    {"Blocking constraints:\n> the licence\n```\nthe seal\n```", []string{"the licence", "the seal"}},
		"listed in the gaps":   {"Gaps:\n- Blocking constraints: the licence", []string{"the licence"}},
		"repeating a header":   {"Blocking constraints:\n- Contract audit: aligned\n- the licence", []string{"Contract audit: aligned", "the licence"}},
		"far down":             {"Facts:\n" + strings.Repeat("fact\n", 5000) + "Blocking constraints:\n- the licence", []string{"the licence"}},
		"a heading of its own": {"## Blocking constraints\n### Critical\n- the licence\n## Notes\n- fine", []string{"### Critical", "the licence"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseAudit(head + row.text)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(row.want, got.Blocking); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

func TestParseAuditCollectsCitedEvidence(t *testing.T) {
	t.Parallel()
	got, err := ParseAudit("Status: complete\nIntegrity: clean\nContract audit: aligned\nFacts:\n" +
		"- 4 pages [evidence: shot, `e2`], see evidence/page-1.png.\nEvidence:\n- e1, **e2** shows 3 windows\n- screenshots of it all\n- #7: the seal\n【证据：图】\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"e1", "e2", "#7", "shot", "图", "evidence/page-1.png"}
	if d := cmp.Diff(want, got.Evidence); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}
