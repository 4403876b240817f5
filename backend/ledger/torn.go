package ledger

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"longwatch/backend/safefs"
)

func (c cut) draft() Draft {
	body, err := json.Marshal(c)
	if err != nil {
		panic("ledger: a cut is always JSON: " + err.Error())
	}
	return Draft{Kind: KindTailCut, Class: classAccounting, Body: body}
}

// keptCut is one line of the side file: a torn tail that was cut, and that
// no record is known to name yet.
type keptCut struct {
	cut
	Data string `json:"data"`
}

// maxKept bounds the side file: more torn tails than a few mean that
// something else is wrong.
const maxKept = 4 << 20

func (w *Writer) sideFile() string {
	return strings.TrimSuffix(w.name, path.Ext(w.name)) + ".torn"
}

// cutTail saves an unterminated last line in the side file, cuts it, and
// remembers for Begin what the side file holds and no record names. A crash
// after any step leaves a state from which the next Open does the same.
func (w *Writer) cutTail(a *audit) error {
	kept, err := w.keptCuts()
	if err != nil {
		return err
	}
	if torn := a.chain.lines.rest(); len(torn) > 0 {
		sum := hexDigest(torn)
		k := keptCut{cut{w.end.size, len(torn), sum.String()}, base64.StdEncoding.EncodeToString(torn)}
		if !slices.Contains(kept, k) {
			kept = append(kept, k)
		}
		if err := w.cutAt(kept); err != nil {
			return err
		}
	}
	for _, k := range kept {
		if !slices.Contains(a.epochs.cuts, k.cut) {
			w.cuts = append(w.cuts, k.cut)
		}
	}
	if len(kept) > 0 && len(w.cuts) == 0 {
		return w.forgetCuts()
	}
	return nil
}

func (w *Writer) keptCuts() ([]keptCut, error) {
	data, err := w.dir.ReadFile(w.sideFile(), maxKept)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var kept []keptCut
	for text := range bytes.Lines(data) {
		var k keptCut
		if err := json.Unmarshal(text, &k); err != nil {
			return nil, fmt.Errorf("%s: %w", w.sideFile(), err)
		}
		kept = append(kept, k)
	}
	return kept, nil
}

func (w *Writer) cutAt(kept []keptCut) error {
	var text []byte
	for _, k := range kept {
		one, err := json.Marshal(k)
		if err != nil {
			return err
		}
		text = append(append(text, one...), '\n')
	}
	if len(text) > maxKept {
		return fmt.Errorf("%s: %w", w.sideFile(), safefs.ErrTooLarge)
	}
	if err := w.dir.WriteFile(w.sideFile(), text); err != nil {
		return err
	}
	if err := safefs.Truncate(w.file, w.end.size); err != nil {
		return err
	}
	return safefs.Datasync(w.file)
}

// forgetCuts removes the side file once the records that name what it holds
// are durable.
func (w *Writer) forgetCuts() error {
	w.cuts = nil
	err := w.dir.Remove(w.sideFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = w.dir.Sync()
	}
	return err
}
