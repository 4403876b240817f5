package guard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// What Scan returns, wrapped with the folder's name, when there is no manifest
// to be had.
var (
	ErrRootMissing  = errors.New("the folder does not exist")
	ErrRootNotDir   = errors.New("not a folder")
	ErrRootReplaced = errors.New("the folder was replaced while it was read")
	ErrTooLarge     = errors.New("more entries than the limit")
)

const (
	defaultMaxEntries = 2_000_000
	defaultMaxHash    = 64 << 30  // bytes of one file; a sparse file can claim exabytes
	maxPathBytes      = 512 << 20 // of all paths together: deep trees grow quadratically
	hashWorkers       = 2
	hashQueue         = 64 // each waiting job may hold a directory descriptor

	// A write this close to the start of the base's scan may have left the
	// timestamps the base saw: older kernels tick every 1 to 10 ms.
	racyWindow = int64(20 * time.Millisecond)
)

// ScanOptions is how to scan. The zero value reads and hashes everything.
type ScanOptions struct {
	// Base lends its hashes for files whose stat data, ctime and inode
	// included, has not moved. It lends nothing on a file system whose times do
	// not tell of every write (tmpfs, network and unknown ones, macOS).
	Base     *Manifest
	FullHash bool // hash everything although there is a Base

	// SyncFirst writes dirty pages back before the first stat, so that a later
	// store through an existing memory map moves the times again. A manifest
	// that will be a Base should be made with it.
	SyncFirst bool

	// Skip leaves a path, and a folder with everything below, out. It must not
	// depend on anything in the scanned folder.
	Skip func(rel string) bool

	MaxEntries int   // 0 means 2,000,000; beyond it Scan returns ErrTooLarge
	MaxHash    int64 // bytes; 0 means 64 GiB; larger files get an Err, not a hash
}

// Scan describes the folder root. Anything unreadable inside becomes an entry
// with Err; the errors returned are those of the root itself, of the limits
// and of ctx. Symbolic links in root's own last part are refused with
// ErrRootNotDir: resolve it first.
func Scan(ctx context.Context, root string, o ScanOptions) (*Manifest, error) {
	m, err := scan(ctx, root, o)
	if err != nil {
		return nil, fmt.Errorf("scan %q: %w", root, err)
	}
	return m, nil
}

func scan(ctx context.Context, root string, o ScanOptions) (*Manifest, error) {
	fd, st, err := openRoot(root)
	if err != nil {
		return nil, err
	}
	reliable := timesTell(fd)
	if o.SyncFirst && reliable {
		if err := syncFS(fd); err != nil {
			_ = unix.Close(fd)
			return nil, fmt.Errorf("write back dirty pages: %w", err)
		}
	}
	if !reliable || o.FullHash {
		o.Base = nil
	}
	if o.MaxEntries <= 0 {
		o.MaxEntries = defaultMaxEntries
	}
	if o.MaxHash <= 0 {
		o.MaxHash = defaultMaxHash
	}
	m := &Manifest{Start: time.Now().UnixNano()}
	if err := fillManifest(ctx, m, newWalker(fd, st, o)); err != nil {
		return nil, err
	}
	var now unix.Stat_t
	if err := unix.Lstat(root, &now); err != nil || now.Dev != st.Dev || now.Ino != st.Ino {
		return nil, ErrRootReplaced
	}
	return m, nil
}

// fillManifest runs the walk on this goroutine and the hashing on two others,
// and returns after all have ended.
func fillManifest(ctx context.Context, m *Manifest, w *walker) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.ctx = ctx
	var wg sync.WaitGroup
	hashers := make([]hasher, hashWorkers)
	for i := range hashers {
		hashers[i] = hasher{ctx: ctx, dev: uint64(w.root.Dev), max: w.opts.MaxHash}
		wg.Go(func() { hashers[i].run(w.jobs) })
	}
	err := w.walk()
	if err != nil {
		cancel()
	}
	close(w.jobs)
	wg.Wait()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	for i := range hashers {
		m.Hashed += hashers[i].files
		m.Bytes += hashers[i].bytes
	}
	m.Entries, m.Files = w.entries, w.files
	slices.SortFunc(m.Entries, func(a, b *Entry) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

func openRoot(root string) (int, unix.Stat_t, error) {
	var st unix.Stat_t
	fd, err := retryInt(func() (int, error) { return unix.Open(root, dirFlags, 0) })
	switch {
	case errors.Is(err, unix.ENOENT):
		return -1, st, ErrRootMissing
	case errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP):
		return -1, st, ErrRootNotDir
	case err != nil:
		return -1, st, err
	}
	if err := unix.Fstat(fd, &st); err != nil {
		_ = unix.Close(fd)
		return -1, st, err
	}
	return fd, st, nil
}

// retryInt repeats a call that a signal interrupted.
func retryInt(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
