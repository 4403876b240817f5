package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

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
// it survives a power failure before Save returns. Load returns the newest
// head saved that survived, false if there is none.
type HeadStore interface {
	Load() (Head, bool, error)
	Save(h Head, sync bool) error
}

// maxHead bounds a head file: about 100 digests, and a key for each epoch.
const maxHead = 4 << 20

// FileHead keeps a head in dir as name. Beside it name.synced holds the last
// head saved with sync, because after a power failure the other may be
// empty.
func FileHead(dir *safefs.Dir, name string) HeadStore { return fileHead{dir, name} }

type fileHead struct {
	dir  *safefs.Dir
	name string
}

func (s fileHead) synced() string { return s.name + ".synced" }

func (s fileHead) Save(h Head, sync bool) error {
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if sync {
		if err := s.dir.WriteFile(s.synced(), data); err != nil {
			return err
		}
	}
	return s.dir.WriteCache(s.name, data)
}

// Load takes the newer of the two that can be read.
func (s fileHead) Load() (Head, bool, error) {
	var best Head
	var found, damaged bool
	for _, name := range []string{s.name, s.synced()} {
		data, err := s.dir.ReadFile(name, maxHead)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Head{}, false, err
		}
		var h Head
		if json.Unmarshal(data, &h) != nil || h.Seq == 0 {
			damaged = true
			continue
		}
		if !found || h.UpdatedAt > best.UpdatedAt {
			best, found = h, true
		}
	}
	if damaged && !found {
		return Head{}, false, fmt.Errorf("head %q: damaged", s.name)
	}
	return best, found, nil
}

// noHead is the store of a ledger that nobody remembers.
type noHead struct{}

func (noHead) Load() (Head, bool, error) { return Head{}, false, nil }
func (noHead) Save(Head, bool) error     { return nil }

func orNoHead(s HeadStore) HeadStore {
	if s == nil {
		return noHead{}
	}
	return s
}

// clone keeps a store that holds on to a head apart from the writer's.
func (h Head) clone() Head {
	h.Next = slices.Clone(h.Next)
	h.Keys = maps.Clone(h.Keys)
	return h
}
