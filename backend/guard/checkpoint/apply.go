package checkpoint

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"longwatch/backend/guard"
)

// restorer carries steps out. A step that fails does not stop the others,
// unless they would fail in the same way.
type restorer struct {
	blobs  *blobs
	tree   *tree
	c      *comparison
	failed map[string]error
	loose  map[string]uint32 // folders made writable for us, and their modes
	moved  map[string]bool   // folders in which names came or went
}

func newRestorer(b *blobs, t *tree, c *comparison) *restorer {
	return &restorer{b, t, c, map[string]error{}, map[string]uint32{}, map[string]bool{}}
}

// run removes first, the deepest first; then writes, from the top; and sets
// the folders' own modes and times last, when nothing moves them any more.
func (r *restorer) run(ctx context.Context) error {
	err := r.steps(ctx)
	return errors.Join(err, r.folders())
}

func (r *restorer) steps(ctx context.Context) error {
	for _, x := range slices.Backward(r.c.steps) {
		if x.clears() {
			if err := r.step(ctx, x, r.clear); err != nil {
				return err
			}
		}
	}
	for _, x := range r.c.steps {
		if x.t == nil || r.failed[x.path] != nil || x.inside && isDir(x.t) {
			continue
		}
		if err := r.step(ctx, x, r.make); err != nil {
			return err
		}
	}
	return nil
}

// clears reports whether what is there must go before anything else.
func (x step) clears() bool {
	return x.p != nil && (x.t == nil || isDir(x.t) != isDir(x.p))
}

// step does one thing to a path, if need be after making its folder writable.
// The error is one that the next step would meet too.
func (r *restorer) step(ctx context.Context, x step, do func(node, step) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := r.in(x.path, x, do)
	if errors.Is(err, unix.EACCES) && r.loosen(parent(x.path)) {
		err = r.in(x.path, x, do)
	}
	if err == nil {
		return nil
	}
	if r.failed[x.path] = err; grave(err) {
		return err
	}
	return nil
}

func grave(err error) bool {
	for _, e := range []error{unix.ENOSPC, unix.EDQUOT, unix.EROFS, unix.EMFILE, unix.ENFILE, unix.ENOMEM} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// in opens the folder of a path anew: one that is kept open could have been
// moved out of the workspace.
func (r *restorer) in(path string, x step, do func(node, step) error) error {
	at := r.tree.cursor()
	defer at.close()
	n, err := at.at(path)
	if err != nil {
		return err
	}
	return do(n, x)
}

// loosen lets us write in a folder of ours, until folders.
func (r *restorer) loosen(dir string) bool {
	err := r.in(dir, step{}, func(n node, _ step) error {
		st, err := n.stat()
		if err != nil || uint32(st.Mode)&0o300 == 0o300 {
			return errors.Join(err, unix.EACCES)
		}
		if err := n.chmod(uint32(st.Mode)&0o7777 | 0o700); err != nil {
			return err
		}
		r.loose[dir] = uint32(st.Mode) & 0o7777
		return nil
	})
	return err == nil
}

// errMoved is about an entry that somebody changed after it was saved.
var errMoved = errors.New("it was changed during the restore")

func (r *restorer) clear(n node, x step) error {
	if err := x.unmoved(n); err != nil {
		return err
	}
	if err := n.remove(isDir(x.p)); err != nil {
		return fmt.Errorf("remove: %w", err)
	}
	r.moved[parent(x.path)] = true
	return nil
}

// unmoved makes sure that what we are about to overwrite is what was saved.
// The ctime of a file with several names moves when one of them goes.
func (x step) unmoved(n node) error {
	st, err := n.stat()
	switch {
	case errors.Is(err, unix.ENOENT) && (x.p == nil || x.clears()):
		return nil // never there, or cleared
	case err != nil:
		return fmt.Errorf("%w: %w", errMoved, err)
	case x.p == nil:
		return errMoved
	}
	same := st.Ino == x.p.Ino && uint32(st.Mode)&unix.S_IFMT == kindOf(x.p)
	if !isDir(x.p) {
		same = same && st.Mtim.Nano() == x.p.Mtime && (x.p.Nlink > 1 || st.Ctim.Nano() == x.p.Ctime)
	}
	if !same {
		return errMoved
	}
	return nil
}

func (r *restorer) make(n node, x step) error {
	if x.inside {
		if err := x.unmoved(n); err != nil {
			return err
		}
		return r.dress(n, x)
	}
	if err := r.fresh(n, x); err != nil {
		return err
	}
	r.moved[parent(x.path)] = true
	return nil
}

// fresh puts a new entry in place. All but folders are complete before they
// appear.
func (r *restorer) fresh(n node, x step) error {
	if isDir(x.t) {
		return unix.Mkdirat(n.dir, n.name, 0o700)
	}
	temp := node{n.dir, stagePrefix + rand.Text()}
	err := r.stage(temp, x)
	if err == nil {
		err = x.unmoved(n)
	}
	if err == nil {
		err = unix.Renameat(n.dir, temp.name, n.dir, n.name)
	}
	if err != nil {
		_ = temp.remove(false) // it may never have been made
	}
	return err
}

func (r *restorer) stage(temp node, x step) error {
	if isLink(x.t) {
		if err := unix.Symlinkat(x.t.Link, temp.dir, temp.name); err != nil {
			return err
		}
		return r.dress(temp, x)
	}
	const flags = unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_CLOEXEC | unix.O_NOFOLLOW
	fd, err := again(func() (int, error) { return unix.Openat(temp.dir, temp.name, flags, 0o600) })
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), x.path)
	if err := errors.Join(r.write(f, x.t), f.Close()); err != nil {
		return err
	}
	return r.dress(temp, x)
}

// write leaves holes for large stretches of zeros.
func (r *restorer) write(f *os.File, e *guard.Entry) error {
	var off int64
	err := r.blobs.each(e.Hash, func(b []byte) error {
		defer func() { off += int64(len(b)) }()
		if len(b) == chunkSize && zero(b) {
			return nil
		}
		_, err := f.WriteAt(b, off)
		return err
	})
	if err != nil {
		return err
	}
	if off != e.Size {
		return fmt.Errorf("%w: content %x has another length", ErrDamaged, e.Hash[:8])
	}
	return f.Truncate(off)
}

func zero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}
