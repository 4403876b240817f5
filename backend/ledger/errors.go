package ledger

import (
	"errors"
	"fmt"
	"io/fs"

	"longwatch/backend/safefs"
)

// Errors of a writer.
var (
	// ErrHeld: another writer has this ledger.
	ErrHeld = safefs.ErrHeld
	// ErrTampered: somebody else changed the file while we had it open.
	ErrTampered = errors.New("changed by somebody else")
	// ErrNoEpoch: records need an epoch; call Begin first, and once.
	ErrNoEpoch = errors.New("no epoch has begun")
	// ErrClosed: the writer was closed.
	ErrClosed = errors.New("ledger is closed")
)

// BrokenError is a ledger that is not continued or read on.
type BrokenError struct {
	Name string
	Broken
	// Err is the cause where one can be branched on, else nil.
	Err error
}

func (e *BrokenError) Error() string {
	if e.Seq == 0 {
		return fmt.Sprintf("ledger %q: broken: %s", e.Name, e.Why)
	}
	return fmt.Sprintf("ledger %q: broken at record %d (offset %d): %s", e.Name, e.Seq, e.Offset, e.Why)
}

func (e *BrokenError) Unwrap() error { return e.Err }

// fileReasons says in plain words what stands where the ledger should.
var fileReasons = []struct {
	err error
	why string
}{
	{safefs.ErrSymlink, "a symbolic link stands in its place"},
	{safefs.ErrHardLink, "it has a second name (a hard link), through which it can be changed unseen"},
	{safefs.ErrOwner, "it belongs to another user"},
	{safefs.ErrReplaced, "another file has taken its place"},
	{fs.ErrNotExist, "it is gone"},
}

// fileBroken tells a file that is not what the ledger was from an error of
// the disk; the latter returns nil.
func fileBroken(err error) *Broken {
	for _, r := range fileReasons {
		if errors.Is(err, r.err) {
			return &Broken{Why: r.why}
		}
	}
	if errors.Is(err, safefs.ErrNotRegular) {
		var in *fs.PathError
		if errors.As(err, &in) {
			return &Broken{Why: "what stands in its place is " + in.Err.Error()}
		}
	}
	return nil
}

// fileError makes a *BrokenError of what fileBroken knows.
func fileError(name string, err error) error {
	if b := fileBroken(err); b != nil {
		return &BrokenError{Name: name, Broken: *b, Err: err}
	}
	return fmt.Errorf("ledger %q: %w", name, err)
}
