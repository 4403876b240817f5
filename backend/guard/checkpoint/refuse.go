package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"longwatch/backend/safefs"
)

// BudgetError: the store would take more than it may. Pruning, or a larger
// budget, helps.
type BudgetError struct {
	Budget, Used int64 // bytes on disk
	Need         int64 // bytes of new content, before compression
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("checkpoints use %d of %d bytes and there are up to %d more to store", e.Used, e.Budget, e.Need)
}

// SpaceError: the disk has too little room, or is full. Path is the folder
// whose disk it is. Saving wants twice the room of what there is to store.
type SpaceError struct {
	Path       string
	Free, Need int64 // bytes
}

func (e *SpaceError) Error() string {
	return fmt.Sprintf("%s: %d bytes are free on the disk and %d must be", e.Path, e.Free, e.Need)
}

// ChangedError: the folder is not what the checkpoint that should have saved
// its present state says.
type ChangedError struct {
	ID    string
	Count int
	Paths []string // the first few, raw bytes
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("the folder is no longer as checkpoint %s saved it: %d differences, the first at %q", e.ID, e.Count, e.Paths[0])
}

// RefusedRoot says why path may not have checkpoints, or nil: it is the home
// folder, or holds it, as / does. The error wraps ErrRoot or is the disk's.
func RefusedRoot(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	starts := []string{"/"}
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		starts = append(starts, home)
		if real, err := filepath.EvalSymlinks(home); err == nil {
			starts = append(starts, real)
		}
	}
	for _, p := range starts {
		// By identity and not by name: a link or another spelling is no way in.
		for {
			if there, err := os.Stat(p); err == nil && os.SameFile(there, info) {
				return fmt.Errorf("%q is or holds the home folder: %w", path, ErrRoot)
			}
			if p == filepath.Dir(p) {
				break
			}
			p = filepath.Dir(p)
		}
	}
	return nil
}

// refuseInside keeps the store out of the tree it stores.
func refuseInside(store *safefs.Dir, root string) error {
	info, err := os.Stat(root)
	if err != nil {
		return err
	}
	for p := store.Path(); ; p = filepath.Dir(p) {
		if there, err := os.Stat(p); err == nil && os.SameFile(there, info) {
			return fmt.Errorf("%q holds its own checkpoints: %w", root, ErrRoot)
		}
		if p == filepath.Dir(p) {
			return nil
		}
	}
}

// free asks the disk of the store. The lock file is the one file that is
// always there to ask.
func (s *Store) free() (int64, error) {
	f, err := s.dir.Open("lock")
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	return freeOn(int(f.Fd()))
}

func freeOn(fd int) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Fstatfs(fd, &st); err != nil {
		return 0, fmt.Errorf("ask the disk for its free space: %w", err)
	}
	// The types differ between systems.
	return int64(st.Bavail) * int64(st.Bsize), nil
}

func full(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT)
}

// Size is how many bytes the store takes on disk.
func (s *Store) Size() (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size()
}

func (s *Store) size() (int64, error) {
	ids, err := s.ids()
	if err != nil {
		return 0, err
	}
	total := s.blobs.size()
	for _, id := range ids {
		info, err := s.points.Stat(id)
		if err != nil {
			return 0, err
		}
		total += info.Size()
	}
	return total, nil
}
