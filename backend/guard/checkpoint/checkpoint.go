// Package checkpoint keeps states of a workspace so that it can be put back.
//
// A Store is a folder of packs, which hold content named by its SHA-256, and
// of checkpoint files, each a manifest with what a manifest lacks. Content is
// stored once, whoever has it. A checkpoint exists when its file is renamed
// into place; by then everything it needs is on disk. Whoever records it, by
// its digest, does so after Save has returned.
//
// What is not stored is said: Checkpoint.Left names every FIFO, socket,
// unreadable, skipped and unstable entry. Hard links become separate files
// when they are put back, which the plan says. Symbolic links have no
// extended attributes here. Paths are bytes.
//
// It refuses a workspace that is the home folder or holds it, more than its
// budget, and a disk with too little room. A restore refuses a folder that no
// longer is what the caller has just saved, and leaves alone every entry whose
// present content no checkpoint holds: it can always be undone.
//
// The invariant: nothing reaches the workspace that does not have the digest
// the checkpoint names, and nothing outside the workspace is ever written.
package checkpoint

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"longwatch/backend/guard"
	"longwatch/backend/safefs"
)

// DefaultBudget is how many bytes a store may take on disk.
const DefaultBudget = 2 << 30

// DefaultSkip are the folders whose content can be made again. They are in
// the manifest, so a change in them is seen, but they cannot be put back.
var DefaultSkip = []string{
	"node_modules/",
	".venv/",
	"target/",
	"__pycache__/",
	".pytest_cache/",
	".mypy_cache/",
	".ruff_cache/",
	".tox/",
	".gradle/",
	".cache/",
}

// Options is how a store is used. The zero value is the usual.
type Options struct {
	Budget int64    // bytes on disk; 0 means DefaultBudget
	Skip   []string // as guard.Ignored takes them; nil means DefaultSkip, empty none

	// Omit is the guard.ScanOptions.Skip that the saved manifests were made
	// with, if any: a restore scans in the same way.
	Omit func(rel string) bool
}

// Note is what the caller says about a checkpoint.
type Note struct {
	Label string `json:"label,omitempty"` // why it was made, in words
	Round int    `json:"round,omitempty"`
	Clean bool   `json:"clean,omitempty"` // the state has a supporting verdict
	Keep  bool   `json:"keep,omitempty"`  // KeepDefault never drops it
}

// Checkpoint is a stored state of a workspace.
type Checkpoint struct {
	ID       string `json:"id"`   // sorts by age
	Digest   string `json:"-"`    // names the checkpoint file: 64 hexadecimal digits
	Tree     string `json:"tree"` // guard.Manifest.Digest of what was stored
	At       int64  `json:"at"`   // unix ms at which the scan began
	Note            //
	Files    int    `json:"files"`     // whose content can be put back
	New      int    `json:"new"`       // of these, read and stored by this one
	Bytes    int64  `json:"bytes"`     // of content that can be put back
	NewBytes int64  `json:"new_bytes"` // bytes this one added to the packs
	Left     []Left `json:"left,omitempty"`
	Damage   string `json:"-"` // why it cannot be read; then only ID is known
}

// Errors a caller may branch on.
var (
	// ErrDamaged: bytes on disk are not the ones that were written.
	ErrDamaged = errors.New("the store is damaged")
	// ErrUnknown: the store has no checkpoint of that name.
	ErrUnknown = errors.New("no such checkpoint")
	// ErrStalePlan: a restore would do something the plan does not show.
	ErrStalePlan = errors.New("the folder has changed since the plan was made")
	// ErrRoot: the folder is too large a thing to be put back.
	ErrRoot = errors.New("not a folder to make checkpoints of")
)

// Store is an open store. Its methods may be called from several goroutines;
// they take turns.
type Store struct {
	mu     sync.Mutex
	dir    *safefs.Dir
	packs  *safefs.Dir
	points *safefs.Dir
	lease  *safefs.Lease
	opts   Options
	skip   skipper
	blobs  blobs
	prev   *state // the newest checkpoint, once it was needed
}

const maxPointFile = 1 << 30 // bytes of a checkpoint file

// Open takes the store in dir, which it makes if it is not there yet, and
// removes what a killed process left half-written. While another has it, the
// error is safefs.ErrHeld. dir must stay open until Close.
func Open(dir *safefs.Dir, o Options) (*Store, error) {
	if o.Budget <= 0 {
		o.Budget = DefaultBudget
	}
	if o.Skip == nil {
		o.Skip = DefaultSkip
	}
	skip, err := newSkipper(o.Skip)
	if err != nil {
		return nil, fmt.Errorf("open checkpoints: %w", err)
	}
	lease, err := dir.Lock("lock")
	if err != nil {
		return nil, fmt.Errorf("open checkpoints: %w", err)
	}
	s := &Store{dir: dir, lease: lease, opts: o, skip: skip}
	if err := s.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("open checkpoints: %w", err), s.Close())
	}
	return s, nil
}

func (s *Store) load() (err error) {
	if s.packs, err = s.dir.Mkdir("packs"); err != nil {
		return err
	}
	if s.points, err = s.dir.Mkdir("checkpoints"); err != nil {
		return err
	}
	for _, d := range []*safefs.Dir{s.packs, s.points} {
		if err := d.Sweep(); err != nil {
			return err
		}
	}
	s.blobs, err = openBlobs(s.packs)
	return err
}

// Close gives the store up for another to open.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blobs.close()
	var failures []error
	for _, d := range []*safefs.Dir{s.packs, s.points} {
		if d != nil {
			failures = append(failures, d.Close())
		}
	}
	return errors.Join(append(failures, s.lease.Release())...)
}

// List gives every checkpoint, the oldest first. A damaged one is there too,
// with Damage.
func (s *Store) List() ([]Checkpoint, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list()
}

func (s *Store) list() ([]Checkpoint, error) {
	ids, err := s.ids()
	if err != nil {
		return nil, err
	}
	out := make([]Checkpoint, 0, len(ids))
	for _, id := range ids {
		data, err := s.points.ReadFile(id, maxPointFile)
		if err != nil {
			return nil, err
		}
		c, err := decodeSummary(id, data)
		if err != nil {
			c = Checkpoint{ID: id, Damage: err.Error()}
		}
		out = append(out, c)
	}
	return out, nil
}

// ids are the names of all checkpoint files, the oldest first.
func (s *Store) ids() ([]string, error) {
	names, err := s.points.Names()
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !validID(n) })
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(sequence(a), sequence(b)), strings.Compare(a, b))
	})
	return names, nil
}

// Manifest is what a checkpoint describes. Entries it could not store in time
// are Unstable in it.
func (s *Store) Manifest(id string) (*guard.Manifest, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.state(id)
	if err != nil {
		return nil, err
	}
	return p.manifest, nil
}

// Diff lists what differs from checkpoint a to b.
func (s *Store) Diff(a, b string) ([]guard.Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, err := s.state(a)
	if err != nil {
		return nil, err
	}
	y, err := s.state(b)
	if err != nil {
		return nil, err
	}
	return guard.Diff(x.manifest, y.manifest), nil
}

// MarshalJSON adds the digest, which the stored form cannot hold.
func (c Checkpoint) MarshalJSON() ([]byte, error) {
	type plain Checkpoint
	return json.Marshal(struct {
		plain
		Digest string `json:"digest,omitempty"`
		Damage string `json:"damage,omitempty"`
	}{plain(c), c.Digest, c.Damage})
}
