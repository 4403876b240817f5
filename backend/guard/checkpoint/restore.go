package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"golang.org/x/sys/unix"

	"longwatch/backend/guard"
)

// changedPaths bounds how many paths a ChangedError names.
const changedPaths = 20

// Result is what a restore did, found by looking and not by remembering.
type Result struct {
	ID       string          `json:"id"`     // the checkpoint that was put back
	Before   string          `json:"before"` // the one that undoes it
	Restored []guard.Change  `json:"restored,omitempty"`
	Left     []Left          `json:"left,omitempty"` // what was not put back, and why
	Manifest *guard.Manifest `json:"-"`              // root afterwards
}

// Restore does what p shows to root. before is the checkpoint that the caller
// has just saved of the present: if root is no longer that, the error is a
// *ChangedError and nothing is touched. What Restore finds it would have to do
// beyond p is ErrStalePlan, and nothing is touched either.
//
// With any other error the result, unless its Manifest is nil, says how far it
// came. After a crash or an error, save, plan and restore again: files left
// under temporary names are removed then.
func (s *Store) Restore(ctx context.Context, root, before string, p Plan) (Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	res, err := s.restore(ctx, root, before, p)
	if err != nil {
		err = fmt.Errorf("restore %q: %w", root, err)
	}
	return res, err
}

func (s *Store) restore(ctx context.Context, root, before string, p Plan) (Result, error) {
	res := Result{ID: p.ID, Before: before}
	saved, err := s.state(before)
	if err != nil {
		return res, err
	}
	r, err := s.prepare(ctx, root, saved, p)
	if err != nil {
		return res, err
	}
	defer r.tree.close()
	failure := r.run(ctx)
	if full(failure) {
		free, _ := freeOn(r.tree.fd) // 0 is as good an answer on a full disk
		failure = &SpaceError{root, free, p.Write}
	}
	// Also after a failure: the caller must know what there is now.
	err = s.finish(context.WithoutCancel(ctx), root, r, saved, &res)
	return res, errors.Join(failure, err)
}

// prepare makes every check that comes before the first change.
func (s *Store) prepare(ctx context.Context, root string, saved *state, p Plan) (*restorer, error) {
	if err := errors.Join(RefusedRoot(root), refuseInside(s.dir, root)); err != nil {
		return nil, err
	}
	target, err := s.state(p.ID)
	if err != nil {
		return nil, err
	}
	present := saved.side()
	if present.m, err = s.unchanged(ctx, root, saved); err != nil {
		return nil, err
	}
	c := &comparison{blobs: &s.blobs, target: target.side(), present: present, paths: p.paths, saved: true}
	if err := c.run(); err != nil {
		return nil, err
	}
	now := c.plan(p.ID)
	if err := within(now, p); err != nil {
		return nil, err
	}
	t, err := openTree(root)
	if err != nil {
		return nil, err
	}
	free, err := freeOn(t.fd)
	switch {
	case err != nil:
	case !t.describedBy(present.m):
		err = guard.ErrRootReplaced
	case free < now.Write:
		err = &SpaceError{root, free, now.Write}
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return newRestorer(&s.blobs, t, c), nil
}

// unchanged scans root and compares it with what was saved of it. What could
// not be saved in time is no proof either way, and is not touched later.
func (s *Store) unchanged(ctx context.Context, root string, saved *state) (*guard.Manifest, error) {
	now, err := s.scan(ctx, root, saved.manifest)
	if err != nil {
		return nil, err
	}
	left := newLeftSet(saved.Left)
	var changed ChangedError
	for _, c := range guard.Diff(saved.manifest, now) {
		old, known := saved.manifest.Lookup(c.Path)
		if l, ok := left.covers(c.Path); ok && l.Why == Skipped || known && old.Unstable {
			continue
		}
		changed.Count++
		if len(changed.Paths) < changedPaths {
			changed.Paths = append(changed.Paths, c.Path)
		}
	}
	if changed.Count > 0 {
		changed.ID = saved.ID
		return nil, &changed
	}
	return now, nil
}

// within refuses changes that the plan does not show.
func within(now, shown Plan) error {
	known := make(map[string]guard.Change, len(shown.Changes))
	for _, c := range shown.Changes {
		known[c.Path] = c
	}
	for _, c := range now.Changes {
		if k, ok := known[c.Path]; !ok || !reflect.DeepEqual(k, c) {
			return fmt.Errorf("%q (%s): %w", c.Path, c.What, ErrStalePlan)
		}
	}
	return nil
}

// finish looks at what there is now, and sorts the steps by it.
func (s *Store) finish(ctx context.Context, root string, r *restorer, saved *state, res *Result) error {
	if err := r.tree.writeBack(); err != nil && !errors.Is(err, unix.EROFS) {
		return fmt.Errorf("write back: %w", err)
	}
	m, err := s.scan(ctx, root, r.c.present.m)
	if err != nil {
		return err
	}
	after, err := s.present(ctx, r.tree, m, saved)
	if err != nil {
		return err
	}
	for p, l := range r.c.present.left {
		after.left[p] = l
	}
	look := comparison{blobs: r.c.blobs, target: r.c.target, present: after, paths: r.c.paths}
	// Paths that were asked for may be gone now, and rightly.
	look.compare()
	res.Manifest = m
	r.settle(&look, res)
	return nil
}

// settle tells what was restored from what still differs.
func (r *restorer) settle(look *comparison, res *Result) {
	differs := map[string]guard.What{}
	for _, x := range look.steps {
		differs[x.path] = x.change.What
	}
	for _, x := range r.c.steps {
		what, still := differs[x.path]
		delete(differs, x.path)
		outer := what == guard.Owner || what == guard.Meta
		if still {
			l := Left{Path: x.path, Why: Failed, Detail: r.why(x.path, what)}
			if outer {
				l.Why = Attributes
			}
			if errors.Is(r.failed[x.path], ErrDamaged) {
				l.Why = Damaged
			}
			r.c.leave(l)
		}
		if !x.quiet && (!still || outer && x.change.What != what) {
			res.Restored = append(res.Restored, x.change)
		}
	}
	for p, what := range differs {
		r.c.leave(Left{Path: p, Why: Failed, Detail: "changed during the restore: " + string(what)})
	}
	res.Left = r.c.sortedLeft()
}

func (r *restorer) why(path string, what guard.What) string {
	if err := r.failed[path]; err != nil {
		return err.Error()
	}
	return "still differs: " + string(what)
}
