package ledger

import (
	"crypto/ed25519"
	"fmt"

	"longwatch/backend/safefs"
)

// batch is what one write adds.
type batch struct {
	text    []byte
	records []Record
	end     position
	since   int
	at      int64
	sealed  bool
	// announced: the head that precedes it must survive a power failure,
	// because it names a new epoch's key.
	announced bool
}

func (w *Writer) batch() *batch {
	return &batch{end: w.end, since: w.since, at: max(w.o.Now().UnixMilli(), 0)}
}

func (b *batch) add(d Draft) {
	r := Record{
		V: 1, Seq: b.end.seq + 1, Epoch: b.end.epoch, At: b.at,
		Kind: d.Kind, Class: d.Class, Body: d.Body, Prev: b.end.sum,
	}
	before := len(b.text)
	b.text = appendLine(b.text, &r)
	b.end.seq, b.end.sum = r.Seq, r.Sum
	b.end.size += int64(len(b.text) - before)
	b.records = append(b.records, r)
	b.since++
}

// seal adds an anchor for the batch's last record.
func (b *batch) seal(key ed25519.PrivateKey) {
	seq, sum := b.end.seq, b.end.sum
	sig := ed25519.Sign(key, anchored(seq, sum))
	b.add(Draft{Kind: KindAnchored, Class: classAccounting, Body: anchorBody(seq, sum, sig)})
	b.since, b.sealed = 0, true
}

// commit writes a batch: look, announce, write, sync both, confirm. A failure on
// the way is the writer's last act.
func (w *Writer) commit(b *batch, durable bool) error {
	durable = durable || b.sealed
	if err := w.unchanged(); err != nil {
		return w.fail(err)
	}
	if len(b.records) > 0 {
		if err := w.announce(b); err != nil {
			return w.fail(fmt.Errorf("ledger %q: head: %w", w.name, err))
		}
	}
	if err := w.write(b, durable); err != nil {
		w.takeBack(len(b.text))
		return w.fail(fmt.Errorf("ledger %q: %w", w.name, err))
	}
	w.end, w.since = b.end, b.since
	if durable && len(w.head.Next) > 0 {
		w.head.Seq, w.head.Sum, w.head.Next = w.end.seq, w.end.sum, nil
		// The records are durable and announced: they are acknowledged even
		// if this fails. The next call reports it.
		if err := w.saveHead(b.sealed); err != nil {
			_ = w.fail(fmt.Errorf("ledger %q: head: %w", w.name, err))
		}
	}
	return nil
}

// unchanged makes sure that the file is as we left it and still the one that
// readers will find.
func (w *Writer) unchanged() error {
	var why Broken
	size, err := w.dir.Sole(w.name, w.file)
	switch b := fileBroken(err); {
	case b != nil:
		why = *b
	case err != nil:
		return fmt.Errorf("ledger %q: %w", w.name, err)
	case size != w.end.size:
		why = Broken{
			Seq: w.end.seq + 1, Offset: min(size, w.end.size),
			Why: fmt.Sprintf("the file has %d bytes and should have %d", size, w.end.size),
		}
		err = ErrTampered
	default:
		return nil
	}
	return &BrokenError{Name: w.name, Broken: why, Err: tampered(err)}
}

func tampered(err error) error { return fmt.Errorf("%w: %w", ErrTampered, err) }

// announce saves what the end is known to be and what may follow it: after
// records that were not synced, those too.
func (w *Writer) announce(b *batch) error {
	if len(w.head.Next) == 0 {
		w.head.Seq, w.head.Sum = w.end.seq, w.end.sum
	}
	for _, r := range b.records {
		w.head.Next = append(w.head.Next, r.Sum)
	}
	w.head.Closed = false
	return w.saveHead(b.announced)
}

func (w *Writer) saveHead(sync bool) error {
	w.head.BootID = w.o.BootID
	w.head.UpdatedAt = max(w.o.Now().UnixMilli(), w.head.UpdatedAt+1)
	return w.o.Head.Save(w.head.clone(), sync)
}

func (w *Writer) write(b *batch, durable bool) error {
	if len(b.text) > 0 {
		if _, err := safefs.Write(w.file, b.text); err != nil {
			return err
		}
	}
	if !durable {
		return nil
	}
	// The head first: a file system that gives up between the two must not
	// leave records in the ledger that nobody announced.
	if err := w.o.Head.Sync(); err != nil {
		return fmt.Errorf("head: %w", err)
	}
	return safefs.Datasync(w.file)
}

// takeBack removes what a failed write of n bytes left, so that the file
// ends with what was acknowledged. If there is more in it, somebody else
// wrote too and it is kept to be looked at. Nothing depends on the
// outcome: Open finds an announced tail either way.
func (w *Writer) takeBack(n int) {
	if size, err := w.dir.Sole(w.name, w.file); err != nil || size > w.end.size+int64(n) {
		return
	}
	if safefs.Truncate(w.file, w.end.size) == nil {
		_ = safefs.Datasync(w.file)
	}
}

func (w *Writer) fail(err error) error {
	w.err = err
	return err
}
