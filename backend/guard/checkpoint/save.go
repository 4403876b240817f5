package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"longwatch/backend/guard"
)

// entryBytes is about what an entry takes in a checkpoint file.
const entryBytes = 100

// Save stores what m, a fresh manifest of root, describes: all content that
// is not in the store yet, and then the checkpoint. Files that have changed
// since the scan are Unstable in it and in Left. When Save returns the
// checkpoint is durable; its digest may then be recorded.
//
// It refuses with a *BudgetError, a *SpaceError or ErrRoot, and leaves no
// checkpoint behind then.
func (s *Store) Save(ctx context.Context, root string, m *guard.Manifest, note Note) (Checkpoint, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.save(ctx, root, m, note)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("save checkpoint of %q: %w", root, err)
	}
	return p.Checkpoint, nil
}

func (s *Store) save(ctx context.Context, root string, m *guard.Manifest, note Note) (*state, error) {
	t, err := s.admit(root, m)
	if err != nil {
		return nil, err
	}
	defer t.close()
	left := s.skip.unstored(m)
	need := s.need(m, newLeftSet(left))
	used, err := s.size()
	if err != nil {
		return nil, err
	}
	index := entryBytes * int64(len(m.Entries))
	if free, err := s.free(); err != nil {
		return nil, err
	} else if want := 2 * (need + index); free < want {
		return nil, &SpaceError{s.dir.Path(), free, want}
	}
	pack := &packWriter{dir: s.packs, limit: s.opts.Budget - used - index}
	in := &ingest{blobs: &s.blobs, tree: t, pack: pack, left: newLeftSet(left), base: newBase(s.newest())}
	err = in.run(ctx, m.Entries)
	if err == nil {
		err = s.adopt(pack)
	}
	if err := errors.Join(err, pack.close()); err != nil {
		return nil, s.explain(err, used, need)
	}
	p := in.state(m, append(left, in.lost...))
	p.Note = note
	if err := s.write(p); err != nil {
		return nil, s.explain(err, used, need)
	}
	return p, nil
}

// admit opens a root that may have checkpoints and is the one m describes.
func (s *Store) admit(root string, m *guard.Manifest) (*tree, error) {
	if err := RefusedRoot(root); err != nil {
		return nil, err
	}
	if err := refuseInside(s.dir, root); err != nil {
		return nil, err
	}
	t, err := openTree(root)
	if err != nil {
		return nil, err
	}
	if !t.describedBy(m) {
		t.close()
		return nil, errors.New("the manifest is of another folder")
	}
	return t, nil
}

// need is how many bytes of content are not stored yet.
func (s *Store) need(m *guard.Manifest, left leftSet) int64 {
	var n int64
	seen := map[hash]bool{}
	for _, e := range m.Entries {
		if !isFile(e) || s.blobs.has(e.Hash) || seen[e.Hash] {
			continue
		}
		if _, ok := left.covers(e.Path); !ok {
			seen[e.Hash] = true
			n += e.Size
		}
	}
	return n
}

// newest is the checkpoint whose attributes may be taken over. Without one
// that can be read, all are read again.
func (s *Store) newest() *state {
	if s.prev == nil {
		ids, err := s.ids()
		if err != nil || len(ids) == 0 {
			return nil
		}
		if s.prev, err = s.state(ids[len(ids)-1]); err != nil {
			s.prev = nil
		}
	}
	return s.prev
}

// adopt commits a pack and makes its blobs known.
func (s *Store) adopt(w *packWriter) error {
	name, size, err := w.commit(s.blobs.next)
	if name == "" || err != nil {
		return err
	}
	s.blobs.next++
	s.blobs.packs = append(s.blobs.packs, pack{name: name, size: size})
	s.blobs.add(w.index)
	return nil
}

// write makes a checkpoint exist.
func (s *Store) write(p *state) error {
	ids, err := s.ids()
	if err != nil {
		return err
	}
	seq := 1
	if len(ids) > 0 {
		seq += sequence(ids[len(ids)-1])
	}
	p.ID = fmt.Sprintf("%06d-%s", seq, token())
	data, err := encodePoint(p)
	if err != nil {
		return err
	}
	used, err := s.size()
	if err != nil {
		return err
	}
	if used+int64(len(data)) > s.opts.Budget {
		return errLimit
	}
	if err := s.points.WriteFile(p.ID, data); err != nil {
		return err
	}
	s.prev = p
	return nil
}

// explain turns what a full disk or budget says into what a person needs.
func (s *Store) explain(err error, used, need int64) error {
	switch {
	case errors.Is(err, errLimit):
		return &BudgetError{s.opts.Budget, used, need}
	case full(err):
		free, _ := s.free() // 0 is as good an answer on a full disk
		return &SpaceError{s.dir.Path(), free, 2 * need}
	}
	return err
}

// state puts together what was stored.
func (in *ingest) state(m *guard.Manifest, left []Left) *state {
	slices.SortFunc(left, func(a, b Left) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Why, b.Why))
	})
	p := &state{manifest: in.settled(m), attrs: in.attrs}
	p.Tree, p.At, p.Left = p.manifest.Digest(), m.Start/1e6, left
	p.New, p.NewBytes = in.stored, max(0, in.pack.off-int64(len(packMagic)))
	set := newLeftSet(left)
	for _, e := range m.Entries {
		if !isFile(e) {
			continue
		}
		if _, ok := set.covers(e.Path); !ok {
			p.Files++
			p.Bytes += e.Size
		}
	}
	return p
}

// settled is m, with the files that did not hold still marked as such.
func (in *ingest) settled(m *guard.Manifest) *guard.Manifest {
	lost := map[string]bool{}
	for _, l := range in.lost {
		lost[l.Path] = l.Why != Attributes || lost[l.Path]
	}
	out := *m
	out.Entries = slices.Clone(m.Entries)
	for i, e := range out.Entries {
		if lost[e.Path] {
			changed := *e
			changed.Hash, changed.Unstable = hash{}, true
			out.Entries[i] = &changed
		}
	}
	return &out
}
