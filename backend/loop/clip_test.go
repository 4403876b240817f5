package loop_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"longwatch/backend/check"
	"longwatch/backend/loop"
	"longwatch/backend/run"
)

// asJSON is how many bytes a text takes in a record, its quotes aside.
func asJSON(t rapid.TB, text string) int {
	t.Helper()
	b, err := run.Encode(run.CommandRefused{Reason: text})
	if err != nil {
		t.Fatal(err)
	}
	empty, _ := run.Encode(run.CommandRefused{})
	return len(b) - len(empty)
}

func TestAClippedTextFitsItsRoomInARecord(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("a\"\\\n\t\x01三😀\u2028<&"))),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		n := rapid.IntRange(1, 120).Draw(t, "n")
		got := loop.Clip(text, n)
		if size := asJSON(t, got); size > n {
			t.Fatalf("%q clipped to %d is %q of %d bytes", text, n, got, size)
		}
		kept, _, marked := strings.Cut(got, " … [cut here: ")
		if !strings.HasPrefix(text, kept) || (utf8.ValidString(text) && !utf8.ValidString(got)) {
			t.Fatalf("%q clipped to %d is %q", text, n, got)
		}
		if fits := asJSON(t, text) <= n; fits && got != text || !fits && n > 60 && !marked {
			t.Fatalf("%q, which takes %d bytes, clipped to %d is %q", text, asJSON(t, text), n, got)
		}
	})
}

func TestAListIsClippedAsAWhole(t *testing.T) {
	t.Parallel()
	if d := cmp.Diff([]string{"a", "b"}, loop.ClipAll([]string{"a", "b"})); d != "" {
		t.Errorf("a short list (-want +got):\n%s", d)
	}
	if got := loop.ClipAll(nil); got != nil {
		t.Errorf("no list became %q", got)
	}
	var short, long []string
	for i := range 30 {
		short = append(short, fmt.Sprint(i))
		long = append(long, strings.Repeat("<", 1000))
	}
	if got := loop.ClipAll(short); len(got) != 21 || got[20] != "and 10 more" {
		t.Errorf("30 short lines became %q", got)
	}
	got := loop.ClipAll(long)
	last := got[len(got)-1]
	if size := len(strings.Join(got, "")); len(got) != 8 || size > 3<<10 || last != "and 23 more" || !strings.HasSuffix(got[0], "1000 bytes in all]") {
		t.Errorf("30 long lines became %d lines of %d bytes, the last %q", len(got), size, last)
	}
}

func TestManyCheckResultsFitInARecordAndNoFailureIsLost(t *testing.T) {
	t.Parallel()
	some := func(n, check_, proof int) []check.Result {
		var out []check.Result
		for i := range n {
			out = append(out, check.Result{
				Check: fmt.Sprintf("file %03d%s exists", i, strings.Repeat("x", check_)), Status: check.Pass, Proof: strings.Repeat("p", proof),
			})
		}
		return out
	}
	few := some(5, 50, 600)
	if d := cmp.Diff(some(5, 50, 600), loop.Fit(few)); d != "" {
		t.Errorf("what fits was changed:\n%s", d)
	}
	wordy := loop.Fit(some(40, 50, 600))
	if wordy[39].Check != some(40, 50, 0)[39].Check || len(wordy) != 40 {
		t.Errorf("proofs are to be cut before checks: %d results, %q", len(wordy), wordy[39].Check)
	}
	many := some(300, 2000, 600)
	many[299].Status, many[150].Status = check.Fail, check.Broken
	got := loop.Fit(many)
	body, err := run.Encode(run.Checked{Results: got})
	must(t, err)
	failed := 0
	for _, r := range got {
		if !r.Passed() {
			failed++
		}
	}
	if len(body) > 16<<10 || failed != 2 {
		t.Errorf("%d results take %d bytes, %d of them failures", len(got), len(body), failed)
	}
}
