package ledger

import (
	"errors"
	"fmt"
	"os"

	"longwatch/backend/safefs"
)

// Create makes a ledger with its record 1, of epoch 0, and returns when both
// are durable. An entry of that name is fs.ErrExist.
func Create(dir *safefs.Dir, name string, at int64, first Draft) (Record, error) {
	first, err := first.checked()
	if err != nil {
		return Record{}, fmt.Errorf("ledger %q: %w", name, err)
	}
	if at < 0 {
		return Record{}, fmt.Errorf("ledger %q: %w: time is before 1970", name, ErrBadDraft)
	}
	r := Record{
		V: 1, Seq: 1, At: at, Kind: first.Kind, Class: first.Class, Body: first.Body,
		Prev: zeroSum.String(),
	}
	text := appendLine(nil, &r)
	f, err := dir.Create(name)
	if err != nil {
		return Record{}, fmt.Errorf("ledger %q: %w", name, err)
	}
	if err := errors.Join(fill(f, text), f.Close()); err != nil {
		return Record{}, fmt.Errorf("ledger %q: %w", name, errors.Join(err, dir.Remove(name)))
	}
	if err := dir.Sync(); err != nil {
		return Record{}, fmt.Errorf("ledger %q: %w", name, err)
	}
	return r, nil
}

func fill(f *os.File, text []byte) error {
	if _, err := safefs.Write(f, text); err != nil {
		return err
	}
	return safefs.Datasync(f)
}
