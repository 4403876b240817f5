package rundir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"longwatch/backend/safefs"
)

func TestCheckWorkspaceRefusesWhatCanNeverBeOne(t *testing.T) {
	h := newHome(t)
	base := t.TempDir()
	home := filepath.Join(base, "people", "me")
	check(t, os.MkdirAll(filepath.Join(home, "project"), 0o700))
	check(t, os.Symlink("project", filepath.Join(home, "link")))
	check(t, os.Symlink("nowhere", filepath.Join(home, "dangling")))
	check(t, os.MkdirAll(filepath.Join(h.Path(), "inside"), 0o700))
	write(t, filepath.Join(home, "file"), "x")
	t.Setenv("HOME", home) // which forbids t.Parallel
	for path, want := range map[string]string{
		"/":                                "",
		home:                               "home folder",
		filepath.Join(base, "people"):      "home folder",
		filepath.Join(home, "..", "me"):    "home folder",
		h.Path():                           "keeps its runs",
		filepath.Join(h.Path(), "inside"):  "keeps its runs",
		filepath.Dir(h.Path()):             "keeps its runs",
		filepath.Join(home, "file"):        "not a folder",
		filepath.Join(home, "missing"):     "no such folder",
		filepath.Join(home, "dangling"):    "no such folder",
		filepath.Join(home, "file", "sub"): "",
	} {
		_, err := h.CheckWorkspace(path)
		if !errors.Is(err, ErrWorkspace) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", path, err, want)
		}
	}
	want, err := filepath.EvalSymlinks(filepath.Join(home, "project"))
	check(t, err)
	if got, err := h.CheckWorkspace(filepath.Join(home, "link")); err != nil || got != want {
		t.Errorf("a link is %q, %v; want %s", got, err, want)
	}
}

func TestWorkspaceLeasesDoNotOverlap(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	lease, err := h.LeaseWorkspace("/data/a", "r1")
	check(t, err)
	for _, path := range []string{"/data/a", "/data/a/sub", "/data", "/"} {
		_, err := h.LeaseWorkspace(path, "r2")
		if !errors.Is(err, safefs.ErrHeld) || !strings.Contains(err.Error(), "run r1 is at work in /data/a") {
			t.Errorf("%s: %v", path, err)
		}
	}
	beside, err := h.LeaseWorkspace("/data/ab", "r2")
	if err != nil {
		t.Fatalf("a folder whose name begins the same: %v", err)
	}
	check(t, beside.Release())
	check(t, lease.Release())
	again, err := h.LeaseWorkspace("/data", "r2")
	if err != nil {
		t.Fatalf("after it was released: %v", err)
	}
	check(t, again.Release())
}
