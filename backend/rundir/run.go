package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"longwatch/backend/capability"
	"longwatch/backend/ledger"
	"longwatch/backend/run"
	"longwatch/backend/safefs"
)

// Run is one run's folder.
type Run struct {
	ID   string
	home *Home
	dir  *safefs.Dir
}

// Open opens a run by its id.
func (h *Home) Open(id string) (*Run, error) {
	d, err := h.runs.Sub(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNoRun, id)
	}
	if err != nil {
		return nil, err
	}
	return &Run{ID: id, home: h, dir: d}, nil
}

// Close lets the folder go.
func (r *Run) Close() error { return r.dir.Close() }

// Path is where the run's folder is.
func (r *Run) Path() string { return r.dir.Path() }

// maxTask and maxSpec bound what is read back, in bytes.
const (
	maxTask = 1 << 20
	maxSpec = 4 << 20
)

// Spec reads run.json and holds it against record 1.
func (r *Run) Spec(first run.Created) (Spec, error) {
	var s Spec
	b, err := r.dir.ReadFile(specName, maxSpec)
	if err != nil {
		return s, err
	}
	if n := len(b); n > 0 && b[n-1] == '\n' {
		b = b[:n-1]
	}
	if sum(b) != first.SpecDigest {
		return s, fmt.Errorf("%s: not what record 1 names: it was changed", specName)
	}
	return s, json.Unmarshal(b, &s)
}

// Task reads task.md and holds it against record 1.
func (r *Run) Task(first run.Created) ([]byte, error) {
	b, err := r.dir.ReadFile(taskName, maxTask)
	if err != nil {
		return nil, err
	}
	if sum(b) != first.TaskDigest {
		return nil, fmt.Errorf("%s: not what record 1 names: it was changed", taskName)
	}
	return b, nil
}

// Head is where the run's end is remembered.
func (r *Run) Head() ledger.HeadStore { return r.home.head(r.ID) }

// Writer opens the ledger for writing; the worker alone does.
func (r *Run) Writer(o ledger.Options) (*ledger.Writer, error) {
	o.Head = r.Head()
	return ledger.Open(r.dir, ledgerName, o)
}

// Follow reads the ledger as it grows.
func (r *Run) Follow() (*ledger.Follower, error) { return ledger.Follow(r.dir, ledgerName) }

// Entry reads a record as an event.
func Entry(rec ledger.Record) (run.Entry, error) {
	e, err := run.Decode(run.Kind(rec.Kind), run.Class(rec.Class), rec.Body)
	if err != nil {
		return run.Entry{}, fmt.Errorf("record %d: %w", rec.Seq, err)
	}
	return run.Entry{Seq: rec.Seq, Epoch: rec.Epoch, At: rec.At, Event: e}, nil
}

// Fold makes the state from the ledger as it is now.
func (r *Run) Fold() (*run.State, error) {
	s := &run.State{}
	for rec, err := range ledger.Read(r.dir, ledgerName) {
		if err != nil {
			return s, err
		}
		e, err := Entry(rec)
		if err != nil {
			return s, err
		}
		if err := s.Apply(e); err != nil {
			return s, err
		}
	}
	if s.Seq == 0 {
		return s, fmt.Errorf("run %s: the ledger has no record", r.ID)
	}
	return s, nil
}

// LedgerInfo is the ledger's file as it is now: its size and time say whether
// anything was added to it, or done to it.
func (r *Run) LedgerInfo() (fs.FileInfo, error) { return r.dir.Stat(ledgerName) }

// Evidence reads what was captured, by its digest. Nobody has checked it.
func (r *Run) Evidence(digest string) ([]byte, error) {
	return r.dir.ReadFile("evidence/"+digest, maxKept)
}

// BeatAt is when the worker last left a sign of life, unix ms; 0 if never.
func (r *Run) BeatAt() int64 {
	b, err := r.dir.ReadFile("heartbeat", 64)
	if err != nil {
		return 0
	}
	at, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil {
		return 0
	}
	return at
}

// Tidy removes what a killed worker was writing. What others write is left.
func (r *Run) Tidy() error {
	errs := []error{r.dir.Sweep(), r.home.heads.Sweep()}
	for _, name := range []string{"inbox", "rounds"} {
		d, err := r.dir.Sub(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, d.Sweep(), d.Close())
	}
	return errors.Join(errs...)
}

// lockName is the worker's lease on the run; its content is a [Holder].
const lockName = "worker.lock"

// Lease takes the run for a worker. [safefs.ErrHeld] when it has one.
func (r *Run) Lease() (*safefs.Lease, error) { return r.dir.Lock(lockName) }

// Holder says which worker has a lease.
type Holder struct {
	PID  int    `json:"pid"`
	Run  string `json:"run"`
	Path string `json:"path,omitempty"` // of a workspace lease
}

// Worker reports whether a worker has the run, and its pid.
func (r *Run) Worker() (pid int, alive bool) {
	b, held, err := r.dir.Holder(lockName)
	if err != nil || !held {
		return 0, false
	}
	var h Holder
	_ = json.Unmarshal(b, &h)
	return h.PID, true
}

// Beat leaves a sign of life.
func (r *Run) Beat(now time.Time) error {
	return r.dir.WriteCache("heartbeat", fmt.Appendf(nil, "%d\n", now.UnixMilli()))
}

// LogPath is where a detached worker's output goes.
func (r *Run) LogPath() string { return r.dir.Path() + "/worker.log" }

// OpenLog opens the worker's log for appending.
func (r *Run) OpenLog() (*os.File, error) { return r.dir.OpenAppend("worker.log") }

// leastFree is how much of a disk is as good as nothing, in bytes.
const leastFree = 64 << 10

// LastLog is why the worker ended, as far as its log says.
func (r *Run) LastLog() string {
	b, err := r.dir.ReadFile("worker.log", 16<<20)
	if err != nil {
		return "it left no log"
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	_, why, ok := strings.Cut(lines[len(lines)-1], " err=")
	switch free, err := capability.FreeBytes(r.dir.Path()); {
	case err == nil && free < leastFree && (!ok || b[len(b)-1] != '\n'):
		// The log is on the same disk: its last line may not have fitted.
		return fmt.Sprintf("the disk of %s is full", r.dir.Path())
	case !ok:
		return "it did not say why; its log is " + r.LogPath()
	}
	if text, err := strconv.Unquote(why); err == nil {
		return text
	}
	return why
}
