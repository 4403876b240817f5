package guard

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	sweepBudget = 10 * time.Second
	stopRounds  = 20
	emptyLooks  = 2 // in a row: one can miss what is moving fast
	sweepPause  = 5 * time.Millisecond
)

// Ident names a launcher process for good: a process number alone is given
// out again, on the same boot and after the next.
type Ident struct {
	BootID     string `json:"boot_id"`
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"start_ticks"` // the system's own unit, only ever compared
}

// mark is the environment entry by which a tree is found when its launcher is
// gone. It says nothing worth hiding.
func (id Ident) mark() string {
	return fmt.Sprintf("LONGWATCH_TREE=%s/%d/%d", id.BootID, id.PID, id.StartTicks)
}

func (id Ident) of(p proc) bool { return p.pid == id.PID && p.start == id.StartTicks }

// proc is one row of the process table.
type proc struct {
	pid, ppid     int
	pgrp, session int
	start         uint64
	zombie        bool
}

// procID tells two processes with one number apart.
type procID struct {
	pid   int
	start uint64
}

func (p proc) id() procID { return procID{p.pid, p.start} }

// signalByPID leaves a moment in which the number could change hands.
func (p proc) signalByPID(sig unix.Signal) error {
	if now, err := lookUp(p.pid); err != nil || now.start != p.start {
		return unix.ESRCH
	}
	return unix.Kill(p.pid, sig)
}

// signalGroup reaches p's whole process group at one instant, which no fork
// escapes. All of that group is of p's tree: the launcher began a session of
// its own, and groups never span sessions.
func (p proc) signalGroup(sig unix.Signal) {
	now, err := lookUp(p.pid)
	if err == nil && now.start == p.start && now.pgrp > 1 && now.pgrp != unix.Getpgrp() {
		_ = unix.Kill(-now.pgrp, sig)
	}
}

func environHas(block []byte, entry string) bool {
	for kv := range bytes.SplitSeq(block, []byte{0}) {
		if string(kv) == entry {
			return true
		}
	}
	return false
}

// tree picks the seeds and all their descendants, never this process.
func tree(table []proc, seed func(proc) bool) []proc {
	children := make(map[int][]proc, len(table))
	in := make(map[int]bool)
	var out []proc
	for _, p := range table {
		children[p.ppid] = append(children[p.ppid], p)
		if p.pid != os.Getpid() && seed(p) {
			in[p.pid] = true
			out = append(out, p)
		}
	}
	for i := 0; i < len(out); i++ {
		for _, c := range children[out[i].pid] {
			// The table is not of one instant: a child older than its parent is
			// the child of an earlier process with that number.
			if !in[c.pid] && c.start >= out[i].start && c.pid != os.Getpid() {
				in[c.pid] = true
				out = append(out, c)
			}
		}
	}
	return out
}

// hunt finds a tree again and again until nothing of it lives.
type hunt struct {
	seed func(proc) bool
	bury bool            // reap what this process inherited of the tree
	seen map[procID]bool // all that were ever found alive
}

func newHunt(seed func(proc) bool) *hunt {
	return &hunt{seed: seed, seen: make(map[procID]bool)}
}

// live lists the tree's living processes.
func (h *hunt) live() ([]proc, error) { return h.look(func(proc) {}) }

// look does the same, and shows each seed the moment it is read: a process that
// lives shorter than it takes to read the whole table must be met at once.
func (h *hunt) look(meet func(proc)) ([]proc, error) {
	// One that was found stays found: what is being killed loses its parent and
	// its environment before it is dead.
	known := make(map[procID]bool)
	table, err := processes(func(p proc) {
		if p.pid != os.Getpid() && (h.seen[p.id()] || h.seed(p)) {
			known[p.id()] = true
			meet(p)
		}
	})
	if err != nil {
		return nil, err
	}
	var out []proc
	for _, p := range tree(table, func(p proc) bool { return known[p.id()] }) {
		if !p.zombie {
			h.seen[p.id()] = true
			out = append(out, p)
		} else if h.bury && p.ppid == os.Getpid() {
			_, _ = unix.Wait4(p.pid, nil, unix.WNOHANG, nil)
		}
	}
	return out, nil
}

// sweep kills the tree within the budget and reports how many are left. All
// are stopped before any is killed: a stopped process cannot fork, so even a
// tree that forks without end comes to rest.
func (h *hunt) sweep(budget time.Duration) (left int) {
	stopped := make(map[procID]bool)
	empty := 0
	for end := time.Now().Add(budget); ; time.Sleep(sweepPause) {
		list, err := h.stop(stopped)
		if empty++; err != nil || len(list) > 0 {
			empty = 0
		}
		if empty == emptyLooks {
			return 0
		}
		for _, p := range list {
			p.signalGroup(unix.SIGKILL)
			_ = p.signal(unix.SIGKILL)
		}
		if time.Now().After(end) {
			return max(len(list), 1) // an unreadable table proves nothing
		}
	}
}

// stop stops the tree until no new process is met, within reason.
func (h *hunt) stop(stopped map[procID]bool) (list []proc, err error) {
	for range stopRounds {
		fresh := false
		halt := func(p proc) {
			if !p.zombie && !stopped[p.id()] {
				stopped[p.id()], fresh = true, true
				_ = p.signal(unix.SIGSTOP)
			}
		}
		list, err = h.look(halt)
		for _, p := range list {
			halt(p)
		}
		if err != nil || !fresh {
			break
		}
	}
	return list, err
}
