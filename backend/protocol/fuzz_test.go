package protocol

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// sameButLines compares plans without the lines their criteria stood on.
var sameButLines = cmp.Options{
	cmpopts.IgnoreFields(Criterion{}, "Line"),
	cmpopts.EquateEmpty(),
}

func FuzzParsePlan(f *testing.F) {
	f.Add(planEnglish)
	f.Add(planChinese)
	f.Add("```text\nNext: wait\nUntil: `check: file a exists`\nEvery: 1h30m\n```")
	f.Add("Next: cli\nTask:\n```sh\nNext: gui\n```\n- Boundaries: x\n    Next: ask\n---\nChoices: a、b")
	f.Add("# Next\ncli\n**Task**\nfoo\n\n- C1: x — **check:** run `y`\nRequirements: R1\n> Next: gui")
	f.Add("- Next: ask\n- Question: - a\n- Choices:\n  1. a | b\n  - `c`\n- Current task state:\n- R1 [pending]: @round_3 foo\n  bar")
	f.Add("Acceptance criteria:\nsanity check: none\nC2 a  check: b  check: c\n- d\n   check: run `e`\nNext: done")
	f.Add("Next: done\nAcceptance criteria:\n- a -\n  check: b")
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := ParsePlan(text)
		if err != nil {
			if pe := new(ParseError); !errors.As(err, &pe) || pe.Want == "" {
				t.Fatalf("error %v is not a whole *ParseError", err)
			}
			return
		}
		for _, lang := range []Language{English, Chinese} {
			wrote := plan.Text(lang)
			if len(wrote) > MostText {
				continue
			}
			again, err := ParsePlan(wrote)
			if err != nil {
				t.Fatalf("%s text is not accepted: %v\n%s", lang, err, wrote)
			}
			if d := cmp.Diff(plan, again, sameButLines); d != "" {
				t.Fatalf("%s text changed the plan (-want +got):\n%s\n%s", lang, d, wrote)
			}
		}
	})
}

func FuzzParseAudit(f *testing.F) {
	f.Add(auditEnglish)
	f.Add(auditChinese)
	f.Add("## Verdict\n**Status:** complete ✅\n- Integrity: `clean`.\nContract audit\nneeds revision\n\n## Blockers\n- none\n\n## Notes\n- x")
	f.Add("```\nStatus: blocked\nIntegrity: suspect\nContract audit: unknown\nBlocking constraints:\n> a\n- Status: blocked\nb\n```")
	f.Add("Status: complete\nIntegrity: clean\nContract audit: aligned\nEvidence: e1, e2 — x\n[evidence: a b]\nState update for manager:\n    Status: blocked\n~~~")
	f.Add("Status: complete\nIntegrity: clean\nContract audit: aligned\n[evidence: A0 00]")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAudit(text)
		if err != nil {
			if pe := new(ParseError); !errors.As(err, &pe) || pe.Want == "" {
				t.Fatalf("error %v is not a whole *ParseError", err)
			}
			return
		}
		for _, lang := range []Language{English, Chinese} {
			r := Report{Verdict: a.Verdict, Effect: a.Effect, Evidence: a.Evidence, Blocking: a.Blocking, Update: a.Update}
			wrote := r.Text(lang)
			if len(wrote) > MostText {
				continue
			}
			again, err := ParseAudit(wrote)
			if err != nil {
				t.Fatalf("%s text is not accepted: %v\n%s", lang, err, wrote)
			}
			a.Text, again.Text = "", ""
			if d := cmp.Diff(a, again, cmpopts.EquateEmpty(), cmpopts.SortSlices(func(a, b string) bool { return a < b })); d != "" {
				t.Fatalf("%s text changed the audit (-want +got):\n%s\n%s", lang, d, wrote)
			}
		}
	})
}
