package operator

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// It sets HOME, so it is not parallel.
func TestANewFolderIsNeverOneThatIsUsed(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	in := func(name string) string { return filepath.Join(home, "Longwatch", name) }
	var got []string
	for range 3 {
		path, err := Make("Report: the/2nd")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, path)
		if err := os.WriteFile(filepath.Join(path, "x"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{in("Report the 2nd"), in("Report the 2nd 2"), in("Report the 2nd 3")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := os.Remove(filepath.Join(want[1], "x")); err != nil {
		t.Fatal(err)
	}
	if path, err := Fresh("Report: the/2nd"); err != nil || path != want[1] {
		t.Errorf("an empty one is %s, %v; want %s", path, err, want[1])
	}
	if err := os.Symlink(home, in("Linked")); err != nil {
		t.Fatal(err)
	}
	if path, err := Fresh("Linked"); err != nil || path != in("Linked 2") {
		t.Errorf("a link was taken for a folder: %s, %v", path, err)
	}
}

// It sets HOME, so it is not parallel.
func TestASampleThatCannotBeCopiedLeavesNothing(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	from := fstest.MapFS{"task.md": {Data: []byte("# x")}, "data/a.csv": {Data: []byte("1")}}
	path, err := Sample(from, "A sample")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(path, "data", "a.csv")); err != nil || string(b) != "1" {
		t.Errorf("%q, %v", b, err)
	}
	from["bad"] = &fstest.MapFile{Mode: os.ModeDevice}
	if path, err := Sample(from, "A sample"); err == nil {
		t.Errorf("copied to %s", path)
	}
	if left, _ := filepath.Glob(filepath.Join(home, "Longwatch", "*")); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

func TestAFolderNameIsSafe(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Quarterly report":       "Quarterly report",
		"季度报告":                   "季度报告",
		"../../etc/passwd":       "etc passwd",
		"..":                     "Task",
		"":                       "Task",
		"  .hidden ":             "hidden",
		"-rf ~":                  "rf ~",
		"a\x00b\nc\x1b[31m":      "a b c [31m",
		"ends with dots...":      "ends with dots",
		"a\u202eb":               "ab",
		`C:\Users\x "y" <z> | ?`: "C Users x y z",
	} {
		if got := folderName(title); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
	long := folderName(strings.Repeat("报", 100))
	if len(long) > longestName || !utf8.ValidString(long) || long == "" {
		t.Errorf("a long title: %q", long)
	}
}
