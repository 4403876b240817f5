package checkpoint

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// Damage is one thing in the store that is not what was written.
type Damage struct {
	Name        string   `json:"name"`           // of a pack or checkpoint, or the digest of a content
	Pack        string   `json:"pack,omitempty"` // where the content is
	Why         string   `json:"why"`
	Checkpoints []string `json:"checkpoints,omitempty"` // which cannot be put back completely
	Files       int      `json:"files,omitempty"`       // of these, that are lost
}

// Report is what Verify found.
type Report struct {
	Checkpoints int      `json:"checkpoints"`
	Blobs       int      `json:"blobs"`
	Bytes       int64    `json:"bytes"` // on disk, of packs
	Damaged     []Damage `json:"damaged,omitempty"`
}

// Verify reads everything in the store again. Content found damaged is stored
// anew by the next Save that meets it. The error is ctx's or the disk's.
func (s *Store) Verify(ctx context.Context) (Report, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rep := Report{Blobs: len(s.blobs.index), Bytes: s.blobs.size()}
	bad, err := s.blobs.check(ctx)
	if err != nil {
		return rep, err
	}
	for _, p := range s.blobs.packs {
		if p.damage != nil {
			rep.Damaged = append(rep.Damaged, Damage{Name: p.name, Why: p.damage.Error()})
		}
	}
	found, err := s.verifyPoints(ctx, bad, &rep)
	if err != nil {
		return rep, err
	}
	for h, d := range found {
		rep.Damaged = append(rep.Damaged, *d)
		delete(s.blobs.index, h)
	}
	slices.SortFunc(rep.Damaged, func(a, b Damage) int { return strings.Compare(a.Name, b.Name) })
	s.blobs.forgetBroken()
	return rep, nil
}

// check reads every content. A large file counts as damaged when one of its
// pieces does, or when they do not make up the whole.
func (b *blobs) check(ctx context.Context) (map[hash]string, error) {
	bad := map[hash]string{}
	for _, h := range b.byPlace() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := b.each(h, func([]byte) error { return nil })
		if err != nil && !errors.Is(err, ErrDamaged) {
			return nil, err
		}
		if err != nil {
			bad[h] = err.Error()
		}
	}
	return bad, nil
}

// byPlace is the order in which a disk likes to be read.
func (b *blobs) byPlace() []hash {
	out := make([]hash, 0, len(b.index))
	for h := range b.index {
		out = append(out, h)
	}
	slices.SortFunc(out, func(x, y hash) int {
		p, q := b.index[x], b.index[y]
		if p.pack != q.pack {
			return p.pack - q.pack
		}
		return int(max(-1, min(1, p.off-q.off)))
	})
	return out
}

// verifyPoints loads every checkpoint and finds what each one misses.
func (s *Store) verifyPoints(ctx context.Context, bad map[hash]string, rep *Report) (map[hash]*Damage, error) {
	ids, err := s.ids()
	if err != nil {
		return nil, err
	}
	found := map[hash]*Damage{}
	for h, why := range bad {
		found[h] = &Damage{Name: name(h), Pack: s.blobs.packs[s.blobs.index[h].pack].name, Why: why}
	}
	rep.Checkpoints = len(ids)
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.prev = nil // what is in memory proves nothing
		p, err := s.state(id)
		if errors.Is(err, ErrDamaged) {
			rep.Damaged = append(rep.Damaged, Damage{Name: id, Why: err.Error(), Checkpoints: []string{id}})
			continue
		}
		if err != nil {
			return nil, err
		}
		s.blobs.misses(p, bad, found)
	}
	return found, nil
}

func (b *blobs) misses(p *state, bad map[hash]string, found map[hash]*Damage) {
	note := func(h hash) {
		if b.has(h) && bad[h] == "" {
			return
		}
		d := found[h]
		if d == nil {
			d = &Damage{Name: name(h), Why: "missing"}
			found[h] = d
		}
		d.Files++
		if !slices.Contains(d.Checkpoints, p.ID) {
			d.Checkpoints = append(d.Checkpoints, p.ID)
		}
	}
	p.eachStored(func(h hash) {
		note(h)
		at, ok := b.index[h]
		if !ok || at.kind != chunks {
			return
		}
		if list, err := b.list(at); err == nil { // else it is bad itself
			for _, piece := range list {
				note(piece)
			}
		}
	})
}

// eachStored gives the content of every file that the checkpoint stored.
func (p *state) eachStored(do func(hash)) {
	left := newLeftSet(p.Left)
	for _, e := range p.manifest.Entries {
		if !isFile(e) || e.Err != "" || e.Unstable {
			continue
		}
		if _, ok := left.covers(e.Path); !ok {
			do(e.Hash)
		}
	}
}
