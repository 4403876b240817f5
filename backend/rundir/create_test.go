package rundir

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/safefs"
)

func TestCreateMakesARunThatIsWhole(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	r := newRun(t, h, "r1")
	s, err := r.Fold()
	check(t, err)
	spec, err := r.Spec(s.Created)
	check(t, err)
	if diff := cmp.Diff(specOf("r1"), spec); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	text, err := r.Task(s.Created)
	check(t, err)
	if got := string(text); got != "# r1\n" {
		t.Errorf("task %q", got)
	}
	rep, err := r.Verify()
	if err != nil || rep.Broken != nil || rep.Records != 1 {
		t.Errorf("verify: %+v, %v", rep, err)
	}
}

func TestCreateLeavesNothingWhenItFails(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first := firstOf("r1")
	first.Title = strings.Repeat("x", 20<<10) // more than a record holds
	if _, err := h.Create(specOf("r1"), []byte("# r1\n"), first); err == nil {
		t.Fatal("a record that does not fit was written")
	}
	left, err := os.ReadDir(filepath.Join(h.Path(), "runs"))
	check(t, err)
	if len(left) > 0 {
		t.Errorf("%s was left", left[0].Name())
	}
}

func TestCreateDoesNotReplaceARun(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	r := newRun(t, h, "r1")
	if _, err := h.Create(specOf("r1"), []byte("# other\n"), firstOf("r1")); err == nil {
		t.Fatal("a second run got the same id")
	}
	s, err := r.Fold()
	check(t, err)
	if _, err := r.Task(s.Created); err != nil {
		t.Errorf("the first run is not as it was: %v", err)
	}
	ids, err := h.IDs()
	check(t, err)
	if diff := cmp.Diff([]string{"r1"}, ids); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestIDsSortByAge(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var ids []string
	for range 200 {
		ids = append(ids, NewID(now))
		now = now.Add(7 * time.Millisecond)
	}
	if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Errorf("not sorted, or twice the same: %v", ids)
	}
}

func TestWhatRecordOneNamesCannotBeChanged(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	r := newRun(t, h, "r1")
	s, err := r.Fold()
	check(t, err)
	write(t, filepath.Join(r.Path(), "task.md"), "# r2\n")
	write(t, filepath.Join(r.Path(), "run.json"), `{"v":1,"run":"r1","title":"other"}`)
	if _, err := r.Task(s.Created); err == nil || !strings.Contains(err.Error(), "was changed") {
		t.Errorf("task.md: %v", err)
	}
	if _, err := r.Spec(s.Created); err == nil || !strings.Contains(err.Error(), "was changed") {
		t.Errorf("run.json: %v", err)
	}
}

func TestResolveNamesOneRun(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	if _, err := h.Resolve("last"); !errors.Is(err, ErrNoRun) {
		t.Errorf("without runs: %v", err)
	}
	for _, id := range []string{"20260101-a", "20260102-b", "20260102-bc"} {
		newRun(t, h, id)
	}
	for name, want := range map[string]string{
		"last": "20260102-bc", "20260101": "20260101-a", "20260102-b": "20260102-b", "20260102-bc": "20260102-bc",
	} {
		if got, err := h.Resolve(name); err != nil || got != want {
			t.Errorf("%s is %q, %v; want %s", name, got, err, want)
		}
	}
	for name, want := range map[string]string{
		"2026": `"2026" could be 20260101-a or 20260102-b`, "x": "no such run", "": "no such run", "../r": "no such run",
	} {
		if got, err := h.Resolve(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is %q, %v; want the error %s", name, got, err, want)
		}
	}
}

func TestDeleteRefusesARunAtWork(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	r := newRun(t, h, "r1")
	lease, err := r.Lease()
	check(t, err)
	if err := h.Delete("r1"); !errors.Is(err, safefs.ErrHeld) {
		t.Fatalf("at work: %v", err)
	}
	check(t, lease.Release())
	check(t, h.Delete("r1"))
	if _, err := h.Open("r1"); !errors.Is(err, ErrNoRun) {
		t.Errorf("after it: %v", err)
	}
	heads, err := os.ReadDir(filepath.Join(h.Path(), "heads"))
	check(t, err)
	if len(heads) > 0 {
		t.Errorf("%s was left", heads[0].Name())
	}
}

func TestListTellsOfARunThatCannotBeRead(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	newRun(t, h, "r1")
	bad := newRun(t, h, "r2")
	write(t, filepath.Join(bad.Path(), "ledger.jsonl"), "not a record\n")
	list, err := h.List()
	check(t, err)
	var got []string
	for _, s := range list {
		got = append(got, s.Run+" "+s.State)
	}
	if diff := cmp.Diff([]string{"r2 broken", "r1 new"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if list[0].Problem == "" {
		t.Error("it does not say why")
	}
}
