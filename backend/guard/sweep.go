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
	buryTimeout = 2 * time.Second // from dead to reaped
	stopRounds  = 20
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
	pid, ppid, session int
	start              uint64
	zombie             bool
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
func (h *hunt) live() ([]proc, error) {
	table, err := processes()
	if err != nil {
		return nil, err
	}
	var out []proc
	// One that was found stays found: what is being killed loses its parent and
	// its environment before it is dead.
	known := func(p proc) bool { return h.seen[p.id()] || h.seed(p) }
	for _, p := range tree(table, known) {
		if !p.zombie {
			h.seen[p.id()] = true
			out = append(out, p)
		} else if h.bury && p.ppid == os.Getpid() {
			_, _ = unix.Wait4(p.pid, nil, unix.WNOHANG, nil)
		}
	}
	if h.bury {
		h.buryDead(table)
	}
	return out, nil
}

// buryDead reaps those that cannot be recognised any more now they are dead:
// a dead process has no environment.
func (h *hunt) buryDead(table []proc) {
	for _, p := range table {
		if p.zombie && p.ppid == os.Getpid() && h.seen[p.id()] {
			_, _ = unix.Wait4(p.pid, nil, unix.WNOHANG, nil)
		}
	}
}

// sweep kills the tree within the budget and reports how many are left. All
// are stopped before any is killed: a stopped process cannot fork, so even a
// tree that forks without end comes to rest.
func (h *hunt) sweep(budget time.Duration) (left int) {
	stopped := make(map[procID]bool)
	for end := time.Now().Add(budget); ; time.Sleep(sweepPause) {
		list, err := h.live()
		if err == nil && len(list) == 0 {
			return 0
		}
		for range stopRounds {
			if !stopAll(list, stopped) {
				break
			}
			list, _ = h.live()
		}
		for _, p := range list {
			_ = p.signal(unix.SIGKILL)
		}
		if time.Now().After(end) {
			return max(len(list), 1) // an unreadable table proves nothing
		}
	}
}

// stopAll reports whether it met one it had not stopped before.
func stopAll(list []proc, stopped map[procID]bool) bool {
	fresh := false
	for _, p := range list {
		if !stopped[p.id()] {
			stopped[p.id()], fresh = true, true
			_ = p.signal(unix.SIGSTOP)
		}
	}
	return fresh
}
