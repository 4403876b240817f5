package ledger

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
)

// Begin opens an epoch with a key that lives in this writer's memory only.
// body makes the first record's body from the epoch; it must carry the
// epoch's three fields as Epoch's JSON has them. nil is a body of just these.
// It returns that record, durable, and after it a tail_cut record for each
// torn tail that was cut since the last epoch.
func (w *Writer) Begin(kind, class string, body func(Epoch) any) ([]Record, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return nil, w.err
	}
	if w.key != nil {
		return nil, fmt.Errorf("ledger %q: its epoch has begun already", w.name)
	}
	key, err := newKey(w.o.Rand)
	if err != nil {
		return nil, fmt.Errorf("ledger %q: key: %w", w.name, err)
	}
	e := Epoch{w.end.epoch + 1, hex.EncodeToString(key.Public().(ed25519.PublicKey)), w.end.sum}
	d, err := opening(kind, class, e, body)
	if err != nil {
		return nil, fmt.Errorf("ledger %q: %w", w.name, err)
	}
	b := w.batch()
	b.end.epoch, b.since, b.announced = e.N, 0, true
	b.add(d)
	for _, c := range w.cuts {
		b.add(c.draft())
		if b.since >= anchorEvery {
			b.seal(key)
		}
	}
	w.head.Keys[e.N] = e.PublicKey
	if err := w.commit(b, true); err != nil {
		return nil, err
	}
	w.key = key
	// A side file that stays is no harm: the next Open sees that records
	// name what it holds, and removes it.
	_ = w.forgetCuts()
	return b.records, nil
}

// newKey reads the seed itself: what GenerateKey reads is not promised.
func newKey(random io.Reader) (ed25519.PrivateKey, error) {
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return nil, err
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// opening is an epoch's first record, refused if Verify would refuse it.
func opening(kind, class string, e Epoch, body func(Epoch) any) (Draft, error) {
	if body == nil {
		body = func(e Epoch) any { return e }
	}
	text, err := json.Marshal(body(e))
	if err != nil {
		return Draft{}, fmt.Errorf("%w: %w", ErrBadDraft, err)
	}
	var said Epoch
	if json.Unmarshal(text, &said) != nil || said != e {
		return Draft{}, fmt.Errorf("%w: %s does not carry its epoch", ErrBadDraft, kind)
	}
	return Draft{Kind: kind, Class: class, Body: text}.checked()
}
