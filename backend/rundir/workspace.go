package rundir

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"longwatch/backend/safefs"
)

// ErrWorkspace is wrapped by every refusal of a folder as a workspace.
var ErrWorkspace = errors.New("cannot be a workspace")

// CheckWorkspace resolves a folder that roles are to work in and refuses those
// that can never be one: the root, the home folder or anything above it, and
// whatever contains, or lies in, the state folder.
func (h *Home) CheckWorkspace(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s %w: there is no such folder; make it first", path, ErrWorkspace)
	}
	if err != nil {
		return "", fmt.Errorf("%s %w: %w", path, ErrWorkspace, err)
	}
	st, err := os.Stat(real)
	if err != nil {
		return "", fmt.Errorf("%s %w: %w", path, ErrWorkspace, err)
	}
	if !st.IsDir() {
		return "", fmt.Errorf("%s %w: it is not a folder", path, ErrWorkspace)
	}
	if home, err := os.UserHomeDir(); err == nil {
		if home, err = filepath.EvalSymlinks(home); err == nil && within(home, real) {
			return "", fmt.Errorf("%s %w: it is the home folder or above it; choose a folder of its own with -w", path, ErrWorkspace)
		}
	}
	if real == "/" || overlap(real, h.Path()) {
		return "", fmt.Errorf("%s %w: it overlaps the folder where Longwatch keeps its runs; choose another with -w", path, ErrWorkspace)
	}
	return real, nil
}

// within reports whether path is outer or below it.
func within(path, outer string) bool {
	return path == outer || strings.HasPrefix(path, strings.TrimSuffix(outer, "/")+"/")
}

func overlap(a, b string) bool { return within(a, b) || within(b, a) }

// BusyError is a workspace that overlaps one another run is at work in.
type BusyError struct {
	Path string // that was asked for
	By   Holder
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("workspace %s: run %s is at work in %s", e.Path, e.By.Run, e.By.Path)
}

// Unwrap makes it a lease that is held.
func (e *BusyError) Unwrap() error { return safefs.ErrHeld }

// A worker that is about to let go is waited for: one that leaves a run that
// asks or was stopped, and one of a run that has ended, which still packs it.
const (
	letGoWithin = time.Second
	endWithin   = 5 * time.Second
)

// LeaseWorkspace takes a workspace for a run. When a worker has it, or a folder
// above or below it, and does not let go within a moment, the error is a
// *BusyError.
func (h *Home) LeaseWorkspace(path, id string) (*safefs.Lease, error) {
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		l, err := h.lease(path, id)
		var busy *BusyError
		waited := time.Since(began)
		if !errors.As(err, &busy) || waited > endWithin || waited > letGoWithin && !h.ended(busy.By.Run) {
			return l, err
		}
	}
}

func (h *Home) ended(id string) bool {
	r, err := h.Open(id)
	if err != nil {
		return false
	}
	defer r.Close()
	return r.Summary().State == "ended"
}

func (h *Home) lease(path, id string) (*safefs.Lease, error) {
	// One at a time looks through the leases, or two overlapping ones could
	// be taken side by side.
	turn, err := h.turn()
	if err != nil {
		return nil, err
	}
	defer func() { _ = turn.Release() }()
	if err := h.Busy(path); err != nil {
		return nil, err
	}
	key := sha256.Sum256([]byte(path))
	l, err := h.locks.Lock("ws-" + hex.EncodeToString(key[:12]))
	if err != nil {
		return nil, fmt.Errorf("workspace %s: %w", path, err)
	}
	b, err := json.Marshal(Holder{PID: os.Getpid(), Run: id, Path: path})
	if err != nil {
		return nil, err
	}
	return l, l.Write(b)
}

// Busy is a *BusyError when a worker has the folder, or one above or below it.
// It is a look: only a lease keeps others away.
func (h *Home) Busy(path string) error {
	names, err := h.locks.Names()
	if err != nil {
		return err
	}
	for _, n := range names {
		if !strings.HasPrefix(n, "ws-") {
			continue
		}
		b, held, err := h.locks.Holder(n)
		if err != nil || !held {
			continue
		}
		var by Holder
		if json.Unmarshal(b, &by) == nil && overlap(by.Path, path) {
			return &BusyError{path, by}
		}
	}
	return nil
}

// turn waits for the right to look through the leases. It is held for a moment
// only, so a holder that does not let go within the bound is an error.
func (h *Home) turn() (*safefs.Lease, error) {
	for end := time.Now().Add(10 * time.Second); ; {
		l, err := h.locks.Lock("turn")
		if !errors.Is(err, safefs.ErrHeld) || time.Now().After(end) {
			return l, err
		}
		time.Sleep(2 * time.Millisecond)
	}
}
