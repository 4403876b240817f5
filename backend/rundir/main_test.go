package rundir

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"longwatch/backend/run"
)

// newHome is a state folder with nothing in it.
func newHome(t *testing.T) *Home {
	t.Helper()
	h, err := OpenHome(filepath.Join(t.TempDir(), "home"))
	check(t, err)
	t.Cleanup(func() { check(t, h.Close()) })
	return h
}

// newRun makes a run with only its first record.
func newRun(t *testing.T, h *Home, id string) *Run {
	t.Helper()
	r, err := h.Create(specOf(id), []byte("# "+id+"\n"), firstOf(id))
	check(t, err)
	t.Cleanup(func() { check(t, r.Close()) })
	return r
}

func specOf(id string) Spec {
	return Spec{V: 1, Run: id, Title: id, CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixMilli()}
}

func firstOf(id string) run.Created {
	return run.Created{Run: id, Title: id, Limits: run.Limits{Rounds: 3, Fails: 3}}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	check(t, os.WriteFile(path, []byte(text), 0o600))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
