package rundir

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPackMakesTwoFilesOfARound(t *testing.T) {
	t.Parallel()
	r := newRun(t, newHome(t), "r1")
	for name, text := range map[string]string{
		"report.md": "fine", "plan.md": "Next: cli", "executor.md": "did it",
		"plan.1.prompt": "you plan", "audit.1.trace": "looked",
	} {
		_, err := r.Keep(1, name, text, false)
		check(t, err)
	}
	check(t, r.Pack(1))
	if diff := cmp.Diff([]string{"001.gz", "001.md"}, names(t, r, "rounds")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	want := "===== plan.md\n\nNext: cli\n\n===== executor.md\n\ndid it\n\n===== report.md\n\nfine\n\n"
	if diff := cmp.Diff(want, said(t, r)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}

	// A reply comes after its round was closed, and a crash may repeat it all.
	_, err := r.Keep(1, "reply.md", "all done", false)
	check(t, err)
	_, err = r.Keep(1, "report.1.prompt", "you report", false)
	check(t, err)
	check(t, r.Pack(1))
	check(t, r.Pack(1))
	if diff := cmp.Diff(want+"===== reply.md\n\nall done\n\n", said(t, r)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	raw := unpacked(t, filepath.Join(r.Path(), "rounds", "001.gz"))
	for _, part := range []string{"===== plan.1.prompt\n\nyou plan", "===== audit.1.trace\n\nlooked", "===== report.1.prompt\n\nyou report"} {
		if !strings.Contains(raw, part) {
			t.Errorf("%q is not in %q", part, raw)
		}
	}
}

// A text that a record names by its file stays that file.
func TestPackLeavesLongTextsWhereTheyAre(t *testing.T) {
	t.Parallel()
	r := newRun(t, newHome(t), "r1")
	long := strings.Repeat("a long report\n", 1000)
	file, err := r.Keep(2, "report.md", long, true)
	check(t, err)
	_, err = r.Keep(2, "plan.md", "Next: cli", false)
	check(t, err)
	check(t, r.Pack(2))
	got, err := r.Kept(file)
	check(t, err)
	if string(got) != long {
		t.Error("the text is not what was kept")
	}
	if diff := cmp.Diff([]string{"002", "002.md"}, names(t, r, "rounds")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	check(t, r.Pack(3)) // a round that said nothing
}

func said(t *testing.T, r *Run) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(r.Path(), "rounds", "001.md"))
	check(t, err)
	return string(b)
}

func unpacked(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	check(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	check(t, err)
	b, err := io.ReadAll(z)
	check(t, err)
	return string(b)
}

func names(t *testing.T, r *Run, folder string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(r.Path(), folder))
	check(t, err)
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
