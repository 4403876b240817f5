package checkpoint

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

// keepClean is how many of the newest clean checkpoints KeepDefault keeps.
const keepClean = 10

// KeepDefault keeps the first checkpoint, the newest, the last ten clean ones,
// all marked Keep, and the damaged, which show that something was there.
func KeepDefault(all []Checkpoint) []string {
	var ids []string
	clean := 0
	for i, c := range slices.Backward(all) {
		if c.Clean {
			clean++
		}
		if i == 0 || i == len(all)-1 || c.Keep || c.Damage != "" || c.Clean && clean <= keepClean {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// Prune drops the checkpoints that keep, given all of them oldest first, does
// not name, and then the content that no other one has: packs without any use
// go, and those of which less than half is used are written anew. nil means
// KeepDefault. A kill at any moment loses nothing that was to be kept. freed is
// how much smaller the store is.
func (s *Store) Prune(keep func([]Checkpoint) []string) (freed int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if keep == nil {
		keep = KeepDefault
	}
	before, err := s.size()
	if err != nil {
		return 0, err
	}
	if err := s.prune(keep); err != nil {
		return 0, fmt.Errorf("prune checkpoints: %w", err)
	}
	after, err := s.size()
	return before - after, err
}

func (s *Store) prune(keep func([]Checkpoint) []string) error {
	all, err := s.list()
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, id := range keep(all) {
		if !slices.ContainsFunc(all, func(c Checkpoint) bool { return c.ID == id }) {
			return fmt.Errorf("checkpoint %q: %w", id, ErrUnknown)
		}
		kept[id] = true
	}
	live, err := s.live(kept)
	if err != nil {
		return err
	}
	dead, err := s.rewrite(live)
	if err != nil {
		return err
	}
	// The new copies are durable. Checkpoints go before what they need.
	for _, c := range all {
		if kept[c.ID] {
			continue
		}
		if s.prev != nil && s.prev.ID == c.ID {
			s.prev = nil
		}
		if err := s.points.Remove(c.ID); err != nil {
			return err
		}
	}
	if err := s.points.Sync(); err != nil {
		return err
	}
	return s.drop(dead)
}

// live is the content that kept checkpoints need. A damaged one needs none: it
// can never be put back.
func (s *Store) live(kept map[string]bool) (map[hash]bool, error) {
	live := map[hash]bool{}
	for id := range kept {
		p, err := s.state(id)
		if errors.Is(err, ErrDamaged) {
			continue
		}
		if err != nil {
			return nil, err
		}
		p.eachStored(func(h hash) { live[h] = true })
	}
	var pieces []hash
	for h := range live {
		if p, ok := s.blobs.index[h]; ok && p.kind == chunks {
			list, err := s.blobs.list(p)
			if err != nil {
				return nil, err
			}
			pieces = append(pieces, list...)
		}
	}
	for _, h := range pieces {
		live[h] = true
	}
	return live, nil
}

// rewrite copies what is used of little used packs into a new one, and returns
// the packs that are not needed any more. Packs it cannot read stay.
func (s *Store) rewrite(live map[hash]bool) (map[int]bool, error) {
	used := make([]int64, len(s.blobs.packs))
	for h, p := range s.blobs.index {
		if live[h] {
			used[p.pack] += int64(p.stored) + entrySize
		}
	}
	dead := map[int]bool{}
	for i, p := range s.blobs.packs {
		if p.damage == nil && used[i]*2 < p.size-footerSize-int64(len(packMagic)) {
			dead[i] = true
		}
	}
	w := &packWriter{dir: s.packs, limit: 1<<63 - 1}
	for _, h := range s.blobs.byPlace() {
		p := s.blobs.index[h]
		if !live[h] || !dead[p.pack] {
			continue
		}
		data, err := s.blobs.bytes(p)
		if err == nil {
			err = w.put(h, p.kind, data, int(p.length))
		}
		if err != nil {
			return nil, errors.Join(err, w.close())
		}
	}
	return dead, errors.Join(s.adopt(w), w.close())
}

// drop removes packs, and what is still known to be in them.
func (s *Store) drop(dead map[int]bool) error {
	for h, p := range s.blobs.index {
		if dead[p.pack] {
			delete(s.blobs.index, h)
		}
	}
	for i := range dead {
		if f := s.blobs.open[i]; f != nil {
			_ = f.Close()
			delete(s.blobs.open, i)
		}
		if err := s.packs.Remove(s.blobs.packs[i].name); err != nil {
			return err
		}
		s.blobs.packs[i].size = 0
	}
	return s.packs.Sync()
}

func name(h hash) string { return hex.EncodeToString(h[:]) }
