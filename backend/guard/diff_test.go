package guard

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// TestDiffFindsHiddenWrites makes each change in a folder of its own and
// compares with a stat manifest that may reuse hashes, and with a full one.
func TestDiffFindsHiddenWrites(t *testing.T) {
	t.Parallel()
	past := time.Unix(1_000_000_000, 0)
	for _, c := range hiddenWrites(past) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			outside, dir := t.TempDir(), t.TempDir()
			write(t, filepath.Join(dir, "d/f"), "before")
			write(t, filepath.Join(dir, "g"), "other")
			check(t, os.Symlink("g", filepath.Join(dir, "l")))
			check(t, os.Link(filepath.Join(dir, "g"), filepath.Join(outside, "g")))
			check(t, os.Chtimes(filepath.Join(dir, "d/f"), past, past))
			settle(t, dir)
			base := scanned(t, dir, ScanOptions{SyncFirst: true})
			c.do(t, dir, outside)
			for _, o := range []ScanOptions{{Base: base}, {FullHash: true}} {
				got := map[string]What{}
				for _, ch := range Diff(base, scanned(t, dir, o)) {
					got[ch.Path] = ch.What
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("full hash %t (-want +got):\n%s", o.FullHash, diff)
				}
			}
		})
	}
}

type hiddenWrite struct {
	name string
	do   func(t *testing.T, dir, outside string)
	want map[string]What
}

func hiddenWrites(past time.Time) []hiddenWrite {
	return []hiddenWrite{
		{"nothing", func(*testing.T, string, string) {}, map[string]What{}},
		{"same size, mtime set back", func(t *testing.T, dir, _ string) {
			write(t, filepath.Join(dir, "d/f"), "bEfore")
			check(t, os.Chtimes(filepath.Join(dir, "d/f"), past, past))
		}, map[string]What{"d/f": Content}},
		{"written back as it was, mtime set back", func(t *testing.T, dir, _ string) {
			write(t, filepath.Join(dir, "d/f"), "before")
			check(t, os.Chtimes(filepath.Join(dir, "d/f"), past, past))
		}, map[string]What{"d/f": Meta}},
		{"truncate", func(t *testing.T, dir, _ string) {
			check(t, os.Truncate(filepath.Join(dir, "g"), 1))
		}, map[string]What{"g": Content}},
		{"through a hard link elsewhere", func(t *testing.T, _, outside string) {
			write(t, filepath.Join(outside, "g"), "OTHER")
		}, map[string]What{"g": Content}},
		{"chmod", func(t *testing.T, dir, _ string) {
			check(t, os.Chmod(filepath.Join(dir, "d/f"), 0o600))
		}, map[string]What{"d/f": Mode}},
		{"setuid bit", func(t *testing.T, dir, _ string) {
			check(t, os.Chmod(filepath.Join(dir, "d/f"), 0o644|os.ModeSetuid))
		}, map[string]What{"d/f": Mode}},
		{"chmod of the root and back", func(t *testing.T, dir, _ string) {
			check(t, os.Chmod(dir, 0o700))
			check(t, os.Chmod(dir, 0o755))
		}, map[string]What{".": Meta}},
		{"utimes", func(t *testing.T, dir, _ string) {
			check(t, os.Chtimes(filepath.Join(dir, "g"), past, past))
		}, map[string]What{"g": Times}},
		{"utimes of a folder", func(t *testing.T, dir, _ string) {
			check(t, os.Chtimes(filepath.Join(dir, "d"), past, past))
		}, map[string]What{"d": Times}},
		{"a new hard link", func(t *testing.T, dir, outside string) {
			check(t, os.Link(filepath.Join(dir, "g"), filepath.Join(outside, "g2")))
		}, map[string]What{"g": Links}},
		{"replaced by a copy", func(t *testing.T, dir, _ string) {
			write(t, filepath.Join(dir, "copy"), "other")
			check(t, os.Rename(filepath.Join(dir, "copy"), filepath.Join(dir, "g")))
		}, map[string]What{"g": Replaced}},
		{"a link pointed elsewhere", func(t *testing.T, dir, _ string) {
			check(t, os.Remove(filepath.Join(dir, "l")))
			check(t, os.Symlink("d", filepath.Join(dir, "l")))
		}, map[string]What{"l": Content}},
		{"a file becomes a fifo", func(t *testing.T, dir, _ string) {
			check(t, os.Remove(filepath.Join(dir, "g")))
			check(t, unix.Mkfifo(filepath.Join(dir, "g"), 0o600))
		}, map[string]What{"g": Type}},
		{"renamed within", func(t *testing.T, dir, _ string) {
			check(t, os.Rename(filepath.Join(dir, "g"), filepath.Join(dir, "h")))
		}, map[string]What{"g": Removed, "h": Added}},
		{"moved out", func(t *testing.T, dir, outside string) {
			check(t, os.Rename(filepath.Join(dir, "d"), filepath.Join(outside, "d")))
		}, map[string]What{"d": Removed, "d/f": Removed}},
		{"moved in", func(t *testing.T, dir, outside string) {
			write(t, filepath.Join(outside, "e/x"), "")
			check(t, os.Rename(filepath.Join(outside, "e"), filepath.Join(dir, "e")))
		}, map[string]What{"e": Added, "e/x": Added}},
		{"folder moved out, edited and moved back", func(t *testing.T, dir, outside string) {
			check(t, os.Rename(filepath.Join(dir, "d"), filepath.Join(outside, "d")))
			write(t, filepath.Join(outside, "d/f"), "BEFORE")
			check(t, os.Rename(filepath.Join(outside, "d"), filepath.Join(dir, "d")))
		}, map[string]What{"d": Meta, "d/f": Content}},
		{"a file came and went", func(t *testing.T, dir, _ string) {
			write(t, filepath.Join(dir, "d/tmp"), "")
			check(t, os.Remove(filepath.Join(dir, "d/tmp")))
		}, map[string]What{}},
	}
}

func TestDiffReportsAChangedReadError(t *testing.T) {
	t.Parallel()
	a := &Manifest{Entries: []*Entry{{Path: "x", Err: "permission denied"}, {Path: "y", UID: 1}}}
	b := &Manifest{Entries: []*Entry{{Path: "x", Err: "input/output error"}, {Path: "y", UID: 2}}}
	want := []Change{
		{
			Path: "x", What: Content, Kind: "unknown",
			Before: &State{Err: "permission denied"}, After: &State{Err: "input/output error"},
		},
		{Path: "y", What: Owner, Kind: "unknown", Before: &State{}, After: &State{}},
	}
	if diff := cmp.Diff(want, Diff(a, b)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestChangePathsNeverCollideInJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := Change{Path: string(rapid.SliceOf(rapid.Byte()).Draw(t, "a")), What: Added, Kind: "file", After: &State{Size: 3}}
		b := a
		b.Path = string(rapid.SliceOf(rapid.Byte()).Draw(t, "b"))
		ja, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		jb, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		if (a.Path == b.Path) != (string(ja) == string(jb)) {
			t.Fatalf("%q and %q become %s and %s", a.Path, b.Path, ja, jb)
		}
		var back Change
		if err := json.Unmarshal(ja, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a, back); diff != "" {
			t.Fatalf("round trip (-want +got):\n%s", diff)
		}
	})
}

func TestChangeRefusesASecondSpelling(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no path":            `{"what":"added"}`,
		"both":               `{"path":"a","path_b64":"/w=="}`,
		"base64 of text":     `{"path_b64":"YQ=="}`,
		"base64 not strict":  `{"path_b64":"/x=="}`,
		"base64 not at all":  `{"path_b64":"?"}`,
		"path not a text":    `{"path":1}`,
		"base64 of no bytes": `{"path_b64":""}`,
	} {
		var c Change
		if err := json.Unmarshal([]byte(text), &c); err == nil {
			t.Errorf("%s: accepted as %+v", name, c)
		}
	}
}
