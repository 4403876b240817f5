package rundir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/safefs"
)

func planned(t *testing.T, h *Home, w PurgeWish) (ids []string) {
	t.Helper()
	plan, err := h.PurgePlan(w)
	check(t, err)
	for _, p := range plan {
		ids = append(ids, p.Run)
		if p.Bytes <= 0 {
			t.Errorf("%s frees %d bytes", p.Run, p.Bytes)
		}
	}
	return ids
}

func TestPurgePlansOnlyWhatEndedAndIsOld(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	worked(t, h, "r1-ended", true)
	worked(t, h, "r2-interrupted", false)
	working := worked(t, h, "r3-at-work", true)
	lease, err := working.Lease()
	check(t, err)
	soon := time.Now().Add(time.Hour).UnixMilli()
	if diff := cmp.Diff([]string{"r1-ended"}, planned(t, h, PurgeWish{Before: soon})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := planned(t, h, PurgeWish{Before: DaysAgo(time.Now(), 1)}); len(got) > 0 {
		t.Errorf("of today: %v", got)
	}
	if diff := cmp.Diff([]string{"r2-interrupted"}, planned(t, h, PurgeWish{Runs: []string{"r2-interrupted"}})); diff != "" {
		t.Errorf("named: -want +got\n%s", diff)
	}
	if _, err := h.PurgePlan(PurgeWish{Runs: []string{"r3-at-work"}}); !errors.Is(err, safefs.ErrHeld) {
		t.Errorf("at work: %v", err)
	}
	check(t, lease.Release())
}

func TestPurgeKeepsARunThatWentOn(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	r := worked(t, h, "r1", true)
	plan, err := h.PurgePlan(PurgeWish{Runs: []string{"r1"}})
	check(t, err)
	head, _, err := r.Head().Load()
	check(t, err)
	head.Seq++
	head.UpdatedAt++
	check(t, r.Head().Save(head, true))
	if err := h.Purge(plan[0]); !errors.Is(err, ErrWentOn) {
		t.Errorf("purge: %v", err)
	}
	plan[0].seq++
	check(t, h.Purge(plan[0]))
	if ids, err := h.IDs(); err != nil || len(ids) > 0 {
		t.Errorf("left: %v, %v", ids, err)
	}
}

// A deletion that was killed has renamed the run and not come to its files.
func TestLeftoversOfADeletionGo(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	newRun(t, h, "r1")
	check(t, os.Rename(filepath.Join(h.Path(), "runs", "r1"), filepath.Join(h.Path(), "runs", gone+"r1")))
	newRun(t, h, "r2")
	check(t, h.Leftovers())
	left, err := os.ReadDir(filepath.Join(h.Path(), "runs"))
	check(t, err)
	if len(left) != 1 || left[0].Name() != "r2" {
		t.Errorf("left: %v", left)
	}
}

func TestSizeGrowsWithWhatIsKept(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	r := newRun(t, h, "r1")
	before, err := r.Size()
	check(t, err)
	check(t, r.dir.WriteFile("rounds/big", make([]byte, 1<<20)))
	after, err := r.Size()
	check(t, err)
	used, err := h.Used()
	check(t, err)
	if after-before < 1<<20 || used < after {
		t.Errorf("from %d to %d, all together %d", before, after, used)
	}
}

func TestNoRunStartsAboveTheCap(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	newRun(t, h, "r1")
	if err := h.Room(1); err != nil {
		t.Errorf("below it: %v", err)
	}
	if err := room(2<<30, 2); err != nil {
		t.Errorf("at it: %v", err)
	}
	if err := room(2<<30+1, 2); !errors.Is(err, ErrCannotStart) || !strings.Contains(err.Error(), "2.0 GiB, more than storage.total_gib = 2") {
		t.Errorf("above it: %v", err)
	}
}
