package rundir

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"longwatch/backend/safefs"
)

// Size is what the run takes on disk, in bytes.
func (r *Run) Size() (int64, error) { return size(r.dir) }

// size adds up the blocks of a folder. What disappears meanwhile is not there.
func size(d *safefs.Dir) (int64, error) {
	names, err := d.Names()
	if err != nil {
		return 0, err
	}
	var total int64
	for _, n := range names {
		st, err := d.Stat(n)
		if err != nil {
			continue
		}
		if u, ok := st.Sys().(*unix.Stat_t); ok {
			total += u.Blocks * 512
		}
		if !st.IsDir() {
			continue
		}
		sub, err := d.Sub(n)
		if err != nil {
			continue
		}
		below, err := size(sub)
		_ = sub.Close()
		if err != nil {
			return 0, err
		}
		total += below
	}
	return total, nil
}

// Used is what all runs take on disk together, in bytes.
func (h *Home) Used() (int64, error) { return size(h.runs) }

// Room refuses a new run where all of them take more than so many GiB. Nothing
// is deleted for it: what was worked on for days is not a cache.
func (h *Home) Room(gib int) error {
	used, err := h.Used()
	if err != nil {
		return err
	}
	return room(used, gib)
}

func room(used int64, gib int) error {
	if used <= int64(gib)<<30 {
		return nil
	}
	return fmt.Errorf("%w: all runs take %.1f GiB, more than storage.total_gib = %d; `longwatch purge` deletes old ones, `longwatch runs --size` shows what they take",
		ErrCannotStart, float64(used)/(1<<30), gib)
}

// PurgeWish says which runs a purge is about.
type PurgeWish struct {
	// Before is when the newest of them may have changed last, unix ms.
	Before int64
	// Runs, if there are any, are the only ones, whatever their age; one that
	// waits for a person or was interrupted is meant too.
	Runs []string
}

// Purgeable is a run that a purge would delete.
type Purgeable struct {
	Run       string `json:"run"`
	Title     string `json:"title"`
	State     string `json:"state"`
	ChangedAt int64  `json:"changed_at"`
	Bytes     int64  `json:"bytes"` // on disk
	seq       uint64
}

// PurgePlan lists what a purge would delete, oldest first: runs that have ended
// and are old enough, or the ones named. It deletes nothing. A named run that
// is at work is refused with [safefs.ErrHeld].
func (h *Home) PurgePlan(w PurgeWish) ([]Purgeable, error) {
	ids := w.Runs
	named := len(ids) > 0
	if !named {
		var err error
		if ids, err = h.IDs(); err != nil {
			return nil, err
		}
	}
	var out []Purgeable
	for _, id := range ids {
		p, due, err := h.due(id, w.Before, named)
		if err != nil {
			return nil, err
		}
		if due {
			out = append(out, p)
		}
	}
	return out, nil
}

func (h *Home) due(id string, before int64, named bool) (p Purgeable, due bool, err error) {
	r, err := h.Open(id)
	if err != nil {
		return p, false, err
	}
	defer r.Close()
	_, alive := r.Worker()
	switch {
	case alive && named:
		return p, false, fmt.Errorf("run %s is at work; stop it first: %w", id, safefs.ErrHeld)
	case alive:
		return p, false, nil
	}
	s := r.Summary()
	if !named && (s.State != "ended" || s.ChangedAt >= before) {
		return p, false, nil
	}
	p = Purgeable{Run: id, Title: s.Title, State: s.State, ChangedAt: s.ChangedAt}
	if s.Outcome != "" {
		p.State = string(s.Outcome)
	}
	p.seq = r.End()
	p.Bytes, err = r.Size()
	return p, err == nil, err
}

// End is the number of the last record as it is remembered, 0 if it is not.
func (r *Run) End() uint64 {
	head, _, err := r.Head().Load()
	if err != nil {
		return 0
	}
	return head.Seq + uint64(len(head.Next))
}

// ErrWentOn: the run has gone on since it was listed.
var ErrWentOn = errors.New("it has gone on meanwhile and is kept")

// Purge deletes a run that PurgePlan listed, unless it went on meanwhile.
func (h *Home) Purge(p Purgeable) error {
	return h.remove(p.Run, func(r *Run) error {
		if r.End() != p.seq {
			return fmt.Errorf("run %s: %w", p.Run, ErrWentOn)
		}
		return nil
	})
}

// Leftovers removes what a deletion that was killed had not come to yet.
func (h *Home) Leftovers() error {
	names, err := h.runs.Names()
	if err != nil {
		return err
	}
	for _, n := range names {
		if strings.HasPrefix(n, gone) {
			err = errors.Join(err, h.runs.RemoveAll(n))
		}
	}
	return err
}

// DaysAgo is the instant some days before now, in unix ms.
func DaysAgo(now time.Time, days int) int64 { return now.AddDate(0, 0, -days).UnixMilli() }
