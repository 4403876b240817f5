package checkpoint

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"longwatch/backend/guard"
)

// RestoreOptions is how much of a checkpoint to put back.
type RestoreOptions struct {
	Paths []string // raw bytes, each with all below it; none means everything
}

// Plan is what a restore would do.
type Plan struct {
	ID       string         `json:"id"` // the checkpoint to be put back
	Changes  []guard.Change `json:"changes,omitempty"`
	Left     []Left         `json:"left,omitempty"`     // what it would not put back, and why
	Separate []Left         `json:"separate,omitempty"` // hard links that become files of their own
	Write    int64          `json:"write"`              // bytes of files to be written

	paths []string
}

// Plan says what putting checkpoint id back would do to root as it is now. It
// changes nothing. In a change, Before is what is there; guard.Meta stands for
// extended attributes. Folders that only have another mtime are put back
// without being listed.
func (s *Store) Plan(ctx context.Context, root, id string, o RestoreOptions) (Plan, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.plan(ctx, root, id, o)
	if err != nil {
		return Plan{}, fmt.Errorf("plan restore of %q: %w", root, err)
	}
	return p, nil
}

func (s *Store) plan(ctx context.Context, root, id string, o RestoreOptions) (Plan, error) {
	if err := RefusedRoot(root); err != nil {
		return Plan{}, err
	}
	target, err := s.state(id)
	if err != nil {
		return Plan{}, err
	}
	t, err := openTree(root)
	if err != nil {
		return Plan{}, err
	}
	defer t.close()
	now, err := s.scan(ctx, root, target.manifest)
	if err != nil {
		return Plan{}, err
	}
	present, err := s.present(ctx, t, now, target)
	if err != nil {
		return Plan{}, err
	}
	c := comparison{blobs: &s.blobs, target: target.side(), present: present, paths: o.Paths}
	if err := c.run(); err != nil {
		return Plan{}, err
	}
	return c.plan(id), nil
}

// scan describes root as the caller's own scans do.
func (s *Store) scan(ctx context.Context, root string, base *guard.Manifest) (*guard.Manifest, error) {
	return guard.Scan(ctx, root, guard.ScanOptions{Base: base, SyncFirst: true, Skip: s.opts.Omit})
}

func (p *state) side() side {
	s := side{p.manifest, newLeftSet(p.Left), p.attrs, map[string]bool{}}
	for _, l := range p.Left {
		if l.Why == Attributes {
			s.blur[l.Path] = true
		}
	}
	return s
}

// present is the side of a state that is not in the store. Attributes are
// taken over from near, where they cannot have changed since.
func (s *Store) present(ctx context.Context, t *tree, m *guard.Manifest, near *state) (side, error) {
	out := side{m, newLeftSet(s.skip.unstored(m)), attributes{}, map[string]bool{}}
	lender, at := newBase(near), t.cursor()
	defer at.close()
	for _, e := range m.Entries {
		if _, ok := out.left.covers(e.Path); ok || !isFile(e) && !isDir(e) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return out, err
		}
		attrs, known := lender.known(e)
		if !known {
			n, err := at.at(e.Path)
			if err == nil {
				attrs, err = n.attrs()
			}
			if err != nil {
				out.blur[e.Path] = true
			}
		}
		if len(attrs) > 0 {
			out.attrs[e.Path] = attrs
		}
	}
	return out, nil
}

func (c *comparison) plan(id string) Plan {
	p := Plan{ID: id, Left: c.sortedLeft(), paths: c.paths}
	for _, x := range c.steps {
		if !x.quiet {
			p.Changes = append(p.Changes, x.change)
		}
		if x.writes() {
			p.Write += x.t.Size
		}
		if x.separates() {
			p.Separate = append(p.Separate, Left{Path: x.path, Why: HardLink})
		}
	}
	return p
}

func (c *comparison) sortedLeft() []Left {
	out := make([]Left, 0, len(c.left))
	for _, l := range c.left {
		out = append(out, *l)
	}
	slices.SortFunc(out, func(a, b Left) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Why, b.Why))
	})
	return out
}
