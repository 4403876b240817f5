package ledger

import (
	"errors"
	"io"
	"iter"
	"os"

	"longwatch/backend/safefs"
)

// Read yields the records from the first, checking the chain as it goes, and
// ends at the last whole line: an unterminated one may be in the making. It
// needs no lock and decodes no body. Damage ends it with a *BrokenError.
// Signatures and the head are Verify's.
func Read(dir *safefs.Dir, name string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		f, err := openSole(dir, name)
		if err != nil {
			yield(Record{}, fileError(name, err))
			return
		}
		defer func() { _ = f.Close() }()
		readFrom(f, name)(yield)
	}
}

func readFrom(src io.ReaderAt, name string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		c := newChain(src)
		known := map[string]string{}
		for {
			l, err := c.next()
			if errors.Is(err, io.EOF) {
				if c.broken != nil {
					yield(Record{}, &BrokenError{Name: name, Broken: *c.broken})
				}
				return
			}
			if err != nil {
				yield(Record{}, fileError(name, err))
				return
			}
			if !yield(l.record(known), nil) {
				return
			}
		}
	}
}

// openSole opens a ledger for reading that is ours alone.
func openSole(dir *safefs.Dir, name string) (*os.File, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	if _, err := dir.Sole(name, f); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
