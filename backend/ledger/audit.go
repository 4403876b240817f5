package ledger

import (
	"errors"
	"io"
	"slices"
)

// audit reads a ledger from its first record and then judges it by a head.
// It may read on when the file has grown.
type audit struct {
	chain  *chain
	epochs epochs
	// from is the record that a head names; marks holds it and all later.
	from  uint64
	marks []mark
}

// mark is where a record's line begins, and its sum.
type mark struct {
	sum   digest
	start int64
}

func newAudit(src io.ReaderAt, h Head) *audit {
	return &audit{chain: newChain(src), from: max(h.Seq, 1)}
}

// read goes on to the present end of the file, or to the first bad line.
func (a *audit) read(remembered bool) error {
	for {
		l, err := a.chain.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if why := a.epochs.accept(&l, a.chain.start); why != "" {
			a.chain.broken = &Broken{Seq: l.seq, Offset: a.chain.start, Why: why}
			return nil
		}
		if remembered && l.seq >= a.from {
			a.marks = append(a.marks, mark{a.chain.sum, a.chain.start})
		}
	}
}

// good is the number of records before the first bad line.
func (a *audit) good() uint64 {
	if b := a.chain.broken; b != nil {
		return b.Seq - 1
	}
	return a.chain.seq
}

func (a *audit) report() Report {
	r := Report{
		Records: a.good(), Epochs: slices.Clone(a.epochs.list),
		End: EndUnattested, Broken: a.chain.broken,
	}
	if rest := a.chain.lines.rest(); r.Broken == nil && len(rest) > 0 {
		r.End = EndTorn
		r.Torn = &Torn{Offset: a.chain.lines.off, Bytes: len(rest)}
	}
	if r.Records == 0 && r.Broken == nil {
		r.broke(1, 0, "there is no record")
	}
	return r
}

// judge compares what was read with the head. boot is the boot we are in.
func (a *audit) judge(h Head, boot string) Report {
	r := a.report()
	a.compare(&r, h, boot)
	r.trim()
	return r
}

func (a *audit) compare(r *Report, h Head, boot string) {
	end := r.Records
	a.foreign(r, h, end)
	switch {
	case h.Seq < a.from:
		r.broke(h.Seq, 0, "its head went back while it was read")
		return
	case end < h.Seq:
		if r.Broken == nil {
			r.broke(end+1, a.chain.lines.off, "it is missing: the end was cut off, or this is an old copy")
		}
		return
	case a.mark(h.Seq).sum.String() != h.Sum:
		r.broke(h.Seq, a.mark(h.Seq).start, "it, or one before it, was replaced: the head remembers another")
		return
	}
	known := h.Seq
	for known < end && known-h.Seq < uint64(len(h.Next)) {
		if m := a.mark(known + 1); m.sum.String() != h.Next[known-h.Seq] {
			r.broke(known+1, m.start, "forged or unknown tail: the writer was about to write another")
			return
		}
		known++
	}
	if known < end && (h.Closed || h.BootID == boot) {
		r.broke(known+1, a.mark(known+1).start, "forged or unknown tail: no writer announced it")
		return
	}
	a.foreign(r, h, known)
	a.attest(r, h, known)
}

// foreign finds the first epoch whose key is not the one the head has, or
// that begins after record known and is not in the head at all. An epoch is
// saved with sync before its first record is written, so no power failure
// explains one that the head does not have.
func (a *audit) foreign(r *Report, h Head, known uint64) {
	for i := range r.Epochs {
		e := &r.Epochs[i]
		if key, ok := h.Keys[e.N]; key != e.key && (ok || e.From > known) {
			e.State = Foreign
			r.broke(e.From, e.start, "it begins an epoch with a key that no writer announced")
			return
		}
	}
}

// attest says how far head and anchors vouch. What follows the last record
// that the head knows may have lost its head with the power; an anchor of an
// epoch that is not foreign vouches for all before it.
func (a *audit) attest(r *Report, h Head, known uint64) {
	r.Attested = min(max(known, a.epochs.sealed), r.Records)
	if r.Broken != nil {
		return
	}
	if r.Attested == r.Records && r.End != EndTorn {
		r.End = EndAttested
	}
	if n := len(r.Epochs); h.Closed && n > 0 && r.Epochs[n-1].State != Sealed {
		r.broke(r.Records, a.chain.start, "the ledger was closed without the anchor that belongs at its end")
	}
}

func (a *audit) mark(seq uint64) mark { return a.marks[seq-a.from] }
