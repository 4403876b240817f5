package ledger

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"

	"longwatch/backend/safefs"
)

// Head is what is remembered of a ledger outside its folder. The ledger's
// end is record Seq with digest Sum, or one of the records whose digests
// Next lists, in order: they were being written when the head was saved.
type Head struct {
	Seq  uint64   `json:"seq"`
	Sum  string   `json:"sum"`
	Next []string `json:"next,omitempty"`
	// BootID is the boot the head was saved in: within it nothing that was
	// saved can be lost, so nothing unknown can be in the ledger.
	BootID string `json:"boot_id"`
	// Closed: the writer ended as it should; Seq is the end.
	Closed bool `json:"closed"`
	// Keys are the epochs' public keys in hex.
	Keys map[int]string `json:"keys"`
	// UpdatedAt is unix milliseconds, and larger with every save.
	UpdatedAt int64 `json:"updated_at"`
}

// HeadStore keeps one ledger's head. Save replaces it in one step; with sync
// it survives a power failure, or a file system that gives up, before Save
// returns; else once Sync has. Load returns the newest head saved that
// survived, false if there is none.
type HeadStore interface {
	Load() (Head, bool, error)
	Save(h Head, sync bool) error
	Sync() error
}

// maxHead bounds a head file: about 100 digests, and a key for each epoch.
const maxHead = 4 << 20

// FileHead keeps a head in dir as name, replaced whole and synced, and beside it
// in name.live what was saved since without sync.
//
// A head is saved twice for every record, so live is written in place: making a
// file each time costs more than the record itself. It has two slots which take
// turns, each with its own digest. Whoever reads while one is written takes the
// other: a head is true while its successor is being saved.
func FileHead(dir *safefs.Dir, name string) HeadStore { return &fileHead{dir: dir, name: name} }

type fileHead struct {
	dir  *safefs.Dir
	name string
	slot int64 // the one to write next
	soft bool  // live was written and not synced
}

// slotSize bounds a head in a slot; a longer one is saved with sync.
const slotSize = 64 << 10

// slotHead is what stands before the JSON: its digest and its length.
const slotHead = 64 + 1 + 8 + 1

func (s *fileHead) live() string { return s.name + ".live" }

func (s *fileHead) Save(h Head, sync bool) error {
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if sync || len(data)+slotHead > slotSize {
		s.soft = false
		return s.dir.WriteFile(s.name, append(data, '\n'))
	}
	f, err := s.dir.OpenUpdate(s.live())
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	err = safefs.WriteAt(f, fmt.Appendf(nil, "%x %08d\n%s", sha256.Sum256(data), len(data), data), s.slot*slotSize)
	s.slot, s.soft = 1-s.slot, true
	return err
}

// Sync implements [HeadStore].
func (s *fileHead) Sync() error {
	if !s.soft {
		return nil
	}
	f, err := s.dir.OpenUpdate(s.live())
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	s.soft = false
	return safefs.Datasync(f)
}

// Load takes the newest that can be read.
func (s *fileHead) Load() (Head, bool, error) {
	var all [][]byte
	data, err := s.dir.ReadFile(s.name, maxHead)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Head{}, false, err
	}
	there := err == nil
	all = append(all, data)
	live, err := s.dir.ReadFile(s.live(), 2*slotSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Head{}, false, err
	}
	there = there || err == nil
	all = append(all, slot(live, 0), slot(live, slotSize))
	var best Head
	found := false
	for i, data := range all {
		var h Head
		if json.Unmarshal(data, &h) != nil || h.Seq == 0 {
			continue
		}
		if !found || h.UpdatedAt > best.UpdatedAt {
			best, found = h, true
			s.slot = int64(i) % 2 // never the slot of the best one
		}
	}
	if there && !found {
		return Head{}, false, fmt.Errorf("head %q: damaged", s.name)
	}
	return best, found, nil
}

// slot returns the JSON of a slot, nil if it is not whole.
func slot(file []byte, at int) []byte {
	if len(file) < at+slotHead {
		return nil
	}
	file = file[at:]
	n, err := strconv.Atoi(string(file[65:73]))
	if err != nil || n < 0 || n > len(file)-slotHead {
		return nil
	}
	data := file[slotHead : slotHead+n]
	if fmt.Sprintf("%x", sha256.Sum256(data)) != string(file[:64]) {
		return nil
	}
	return data
}

// noHead is the store of a ledger that nobody remembers.
type noHead struct{}

func (noHead) Load() (Head, bool, error) { return Head{}, false, nil }
func (noHead) Save(Head, bool) error     { return nil }
func (noHead) Sync() error               { return nil }

func orNoHead(s HeadStore) HeadStore {
	if s == nil {
		return noHead{}
	}
	return s
}

// Here is the head as one of this boot: from now on nothing unknown can follow
// it. It is for a head that came from another machine together with a ledger
// that it knows to the end and that is durable here.
func (h Head) Here() Head {
	h = h.clone()
	h.BootID = currentBoot()
	return h
}

// HeldHead is a store of one head that is not kept anywhere, nil for none.
func HeldHead(h *Head) HeadStore { return heldHead{h} }

type heldHead struct{ head *Head }

func (s heldHead) Load() (Head, bool, error) {
	if s.head == nil {
		return Head{}, false, nil
	}
	if s.head.Seq == 0 {
		return Head{}, false, errors.New("head: it names no record")
	}
	return *s.head, true, nil
}

func (heldHead) Save(Head, bool) error { return errors.New("head: it is only held") }
func (heldHead) Sync() error           { return nil }

// clone keeps a store that holds on to a head apart from the writer's.
func (h Head) clone() Head {
	h.Next = slices.Clone(h.Next)
	h.Keys = maps.Clone(h.Keys)
	return h
}
