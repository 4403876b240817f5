package checkpoint

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"
)

// dress gives an entry its owner, attributes, mode and mtime, in the order in
// which none undoes another. Owner and attributes may be refused: what comes
// of that is found by looking.
func (r *restorer) dress(n node, x step) error {
	st, err := n.stat()
	if err != nil {
		return err
	}
	if st.Uid != x.t.UID || st.Gid != x.t.GID {
		if err := n.chown(x.t.UID, x.t.GID); err != nil {
			r.failed[x.path] = fmt.Errorf("owner: %w", err)
		}
	}
	mode := x.t.Mode & 0o7777
	if !isLink(x.t) {
		if !x.bare {
			r.attributes(n, x, uint32(st.Mode)&0o7777)
		}
		if err := n.chmod(mode); err != nil {
			return fmt.Errorf("mode: %w", err)
		}
	}
	if err := n.setMtime(x.t.Mtime); err != nil {
		return fmt.Errorf("mtime: %w", err)
	}
	return nil
}

// attributes needs a mode that lets us write, which the final one may not be.
func (r *restorer) attributes(n node, x step, mode uint32) {
	want := r.c.target.attrs[x.path]
	err := n.setAttrs(want)
	if errors.Is(err, unix.EACCES) && mode&0o600 != 0o600 && n.chmod(mode|0o600) == nil {
		err = n.setAttrs(want)
	}
	if err != nil {
		r.failed[x.path] = fmt.Errorf("extended attribute %w", err)
	}
}

// folders gives every folder that was made, changed or written in its own
// mode and times, the deepest first.
func (r *restorer) folders() error {
	work := map[string]step{}
	for dir := range r.moved {
		t, ok := r.c.target.m.Lookup(dir)
		if ok && isDir(t) && r.c.selected(dir, t, t) {
			work[dir] = step{path: dir, t: t, bare: r.c.blurred(dir), quiet: true}
		}
	}
	for _, x := range r.c.steps {
		if x.t != nil && isDir(x.t) && r.failed[x.path] == nil {
			work[x.path] = x
		}
	}
	for dir := range r.loose {
		if _, ok := work[dir]; !ok {
			work[dir] = step{path: dir}
		}
	}
	var failures []error
	for _, dir := range slices.Backward(sortedKeys(work)) {
		err := r.in(dir, work[dir], r.folder)
		if err == nil {
			continue
		}
		if r.failed[dir] = err; grave(err) {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

func (r *restorer) folder(n node, x step) error {
	if x.t == nil { // only its mode, which we have loosened
		if err := n.chmod(r.loose[x.path]); !errors.Is(err, unix.ENOENT) {
			return err
		}
		return nil // removed since
	}
	st, err := n.stat()
	if err != nil {
		return err
	}
	if uint32(st.Mode)&unix.S_IFMT != unix.S_IFDIR {
		return errMoved
	}
	return r.dress(n, x)
}

func sortedKeys(m map[string]step) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
