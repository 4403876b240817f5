package protocol

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func counted(item string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, item, i+1)
	}
	return b.String()
}

func TestParseRecordReadsItsVariations(t *testing.T) {
	t.Parallel()
	r1 := StateRecord{ID: "R1", Mark: Completed, Round: 3, Text: "done it"}
	for text, want := range map[string]StateRecord{
		"- R1 [completed @round_003] done it":       r1,
		"* **R1** [completed, round 3]: done it":    r1,
		"**R1 [completed @round_003] done it**":     r1,
		"r01 (Completed — @3) done it":              r1,
		"1. `R1`: [done it] x":                      {},
		"R1【已完成 @第3轮】done it":                       r1,
		"- R1 [completed] @round_003 — done it":     r1,
		"- R1 [completed by round 3, in] - done it": r1,
		"- A2 [pending] -5 degrees":                 {ID: "A2", Mark: Pending, Text: "-5 degrees"},
		"- F9 [不可信] 有 412 行":                        {ID: "F9", Mark: Untrusted, Text: "有 412 行"},
		"- R1 [pending]":                            {},
		"- R0 [pending] x":                          {},
		"- R1 [completed @round_003 @round_004] x":  {},
		"- R1 [completed @rond] x":                  {},
		"- R1 [completedish] x":                     {},
		"- B1 [pending] x":                          {},
	} {
		got, err := ParseRecord(text)
		if (err != nil) != (want == StateRecord{}) {
			t.Errorf("%s: error %v", text, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", text, d)
		}
	}
	if got := r1.String(); got != "- R1 [completed @round_003] done it" {
		t.Errorf("wrote %q", got)
	}
}

func TestRecordsContinueOnIndentedLines(t *testing.T) {
	t.Parallel()
	got, err := ParsePlan("Next: done\nCurrent task state:\nThese changed:\n\n- R1 [pending] one\ntwo\n  - three\n\nNothing else\nchanged.\n> - R2 [pending] old\n- none\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []StateRecord{{ID: "R1", Mark: Pending, Text: "one two three"}}
	if d := cmp.Diff(want, got.Records); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestParseRoundReadsItsVariations(t *testing.T) {
	t.Parallel()
	type read struct {
		Round int
		Rest  string
		OK    bool
	}
	for text, want := range map[string]read{
		"round_003 — why": {3, "why", true},
		"@round_003":      {3, "", true},
		"`round_12`: x":   {12, "x", true},
		"Round 3":         {3, "", true},
		"第 3 轮：why":       {3, "why", true},
		"7":               {7, "", true},
		"round_000":       {},
		"round_3x":        {},
		"3rd":             {},
		"last":            {},
		"9999999":         {},
	} {
		var got read
		got.Round, got.Rest, got.OK = ParseRound(text)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", text, d)
		}
	}
}

func TestParseDurationReadsItsVariations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "2m": 2 * time.Minute, "6h": 6 * time.Hour, "1d": 24 * time.Hour,
		"1h30m": 90 * time.Minute, "1 h 30 min.": 90 * time.Minute, "2 Minutes (cheap)": 2 * time.Minute,
		"`5m`": 5 * time.Minute, "2分钟": 2 * time.Minute, "1 天": 24 * time.Hour, "0s": 0,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%s: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "120", "-5m", "5 parsecs", "2m or 3m", "2m ago", "99999d", "99999999999999999999s", "h"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}
