package rundir

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"longwatch/backend/ledger"
)

// sound checks a whole run: the ledger against a head, the order of its events,
// what record 1 names, and every file that a record names by digest.
func (r *Run) sound(head ledger.HeadStore) (ledger.Report, error) {
	rep, err := ledger.Verify(r.dir, ledgerName, head)
	if err != nil {
		return rep, err
	}
	if rep.Broken != nil {
		return rep, &ledger.BrokenError{Name: ledgerName, Broken: *rep.Broken}
	}
	s, err := r.Fold()
	if err != nil {
		return rep, err
	}
	if s.Created.Run != r.ID {
		return rep, fmt.Errorf("record 1 is of run %q, not %q", s.Created.Run, r.ID)
	}
	if _, err := r.Spec(s.Created); err != nil {
		return rep, err
	}
	if _, err := r.Task(s.Created); err != nil {
		return rep, err
	}
	return rep, r.attached()
}

// attached checks the files that records name.
func (r *Run) attached() error {
	for rec, err := range ledger.Read(r.dir, ledgerName) {
		if err != nil {
			return err
		}
		var body any
		if err := json.Unmarshal(rec.Body, &body); err != nil {
			return fmt.Errorf("record %d: %w", rec.Seq, err)
		}
		if err := r.named(body); err != nil {
			return fmt.Errorf("record %d: %w", rec.Seq, err)
		}
	}
	return nil
}

// named looks for {"file", "sha256"} at any depth, so that it need not know
// which events have one.
func (r *Run) named(v any) error {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if err := r.named(e); err != nil {
				return err
			}
		}
	case map[string]any:
		file, _ := v["file"].(string)
		digest, _ := v["sha256"].(string)
		if file != "" && digest != "" {
			return r.holds(file, digest)
		}
		for _, e := range v {
			if err := r.named(e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Run) holds(file, digest string) error {
	f, err := r.dir.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if hex.EncodeToString(h.Sum(nil)) != digest {
		return fmt.Errorf("%s: not what the record names: it was changed", file)
	}
	return nil
}
