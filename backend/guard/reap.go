package guard

import (
	"errors"
	"fmt"
)

// ErrSurvivors means that processes of a tree could not be killed.
var ErrSurvivors = errors.New("processes could not be killed")

// Reap ends what is left of a tree whose worker is gone, and reports whether
// there was anything. It acts only on this boot, on the launcher only if its
// start time is the recorded one, and else only on processes that carry the
// tree's mark in their environment: a number reused by a stranger is never
// touched. An id with an unknown boot is refused.
func Reap(id Ident) (killed bool, err error) {
	now := BootID()
	switch {
	case id.BootID == "" || id.PID <= 1:
		return false, fmt.Errorf("reap: incomplete identity of process %d", id.PID)
	case now == "":
		return false, errors.New("reap: this boot cannot be named")
	case now != id.BootID:
		return false, nil // the machine restarted, nothing can be left
	}
	h := newHunt(func(p proc) bool { return id.of(p) || id.marked(p) })
	left := h.sweep(sweepBudget)
	if left > 0 {
		err = fmt.Errorf("reap tree of process %d: %d: %w", id.PID, left, ErrSurvivors)
	}
	return len(h.seen) > 0, err
}

// marked looks only at processes young enough to be of the tree.
func (id Ident) marked(p proc) bool {
	return p.start >= id.StartTicks && !p.zombie && p.carries(id.mark())
}

// sweepLost ends the tree of a launcher that is dead and reaped, and buries
// what this process inherited as its subreaper.
func sweepLost(id Ident) (killed, left int) {
	h := newHunt(func(p proc) bool { return p.inSession(id) || id.marked(p) })
	h.bury = true
	left = h.sweep(sweepBudget)
	return len(h.seen), left
}
