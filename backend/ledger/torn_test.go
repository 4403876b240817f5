package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func cutsIn(t *testing.T, b *book) []cut {
	t.Helper()
	var cuts []cut
	for r, err := range Read(b.dir, b.name) {
		must(t, err)
		if r.Kind == KindTailCut {
			var c cut
			must(t, json.Unmarshal(r.Body, &c))
			cuts = append(cuts, c)
		}
	}
	return cuts
}

func tear(t *testing.T, b *book, text string) cut {
	t.Helper()
	data := b.bytes(t)
	b.put(t, append(data, text...))
	sum := hexDigest([]byte(text))
	return cut{int64(len(data)), len(text), sum.String()}
}

func TestTornTailIsReportedCutAndRecorded(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	w := b.begin(t)
	add(t, w, 3)
	abandon(t, w)
	want := tear(t, b, `{"v":1,"seq":6,`)

	r := b.verify(t)
	if diff := cmp.Diff(&Torn{want.Offset, want.Bytes}, r.Torn); diff != "" || r.Broken != nil || r.End != EndTorn {
		t.Errorf("report %+v (-want +got):\n%s", r, diff)
	}
	w, err := Open(b.dir, b.name, b.options())
	must(t, err)
	if w.Report().End != EndTorn {
		t.Errorf("Open saw %+v", w.Report())
	}
	begun, err := w.Begin("resumed", "state", nil)
	must(t, err)
	if len(begun) != 2 || begun[0].Kind != "resumed" || begun[1].Kind != KindTailCut || begun[1].Class != "accounting" {
		t.Errorf("begun with %+v", begun)
	}
	must(t, w.Close())
	if diff := cmp.Diff([]cut{want}, cutsIn(t, b)); diff != "" {
		t.Errorf("cuts (-want +got):\n%s", diff)
	}
	if _, err := b.dir.Stat("ledger.torn"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("side file: %v", err)
	}
	if r := b.verify(t); r.Broken != nil || r.End != EndAttested {
		t.Errorf("afterwards %+v", r)
	}
}

// A crash may come after each step of a cut; every torn tail must still be
// recorded once.
func TestEachTornTailIsRecordedOnceWhereverACrashComes(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	first := tear(t, b, `{"v":1,"first`)
	torn := b.bytes(t)
	open := func() *Writer {
		w, err := Open(b.dir, b.name, b.options())
		must(t, err)
		return w
	}
	abandon(t, open()) // after the cut, before Begin
	b.put(t, torn)     // after the side file, before the cut
	abandon(t, open())

	w := open() // in the write of Begin: its second record is torn
	_, err := w.Begin("resumed", "state", nil)
	must(t, err)
	abandon(t, w)
	data := b.bytes(t)
	lines := splitLines(data)
	kept := bytes.Join(lines[:2], nil)
	second := string(lines[2][:40])
	b.put(t, kept)
	side, err := json.Marshal(keptCut{first, ""})
	must(t, err)
	must(t, b.dir.WriteFile("ledger.torn", append(side, '\n')))
	rewindHead(t, b, 1, kept)
	wantSecond := tear(t, b, second)

	w = open()
	_, err = w.Begin("resumed", "state", nil)
	must(t, err)
	abandon(t, w)
	// after the records, before the side file was removed
	must(t, b.dir.WriteFile("ledger.torn", append(side, '\n')))
	w = open()
	if _, err := b.dir.Stat("ledger.torn"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("side file: %v", err)
	}
	_, err = w.Begin("resumed", "state", nil)
	must(t, err)
	must(t, w.Close())
	if diff := cmp.Diff([]cut{first, wantSecond}, cutsIn(t, b)); diff != "" {
		t.Errorf("cuts (-want +got):\n%s", diff)
	}
	if r := b.verify(t); r.Broken != nil || r.End != EndAttested {
		t.Errorf("afterwards %+v", r)
	}
}

// rewindHead puts the head back to where it was while the records after seq
// were being written.
func rewindHead(t *testing.T, b *book, seq uint64, data []byte) {
	t.Helper()
	h := loadHead(t, b)
	lines := splitLines(data)
	first, _ := parseLine(lines[seq-1])
	h.Seq, h.Sum, h.Next = seq, string(first.sum), nil
	for _, raw := range lines[seq : len(lines)-1] {
		l, _ := parseLine(raw)
		h.Next = append(h.Next, string(l.sum))
	}
	h.UpdatedAt++
	must(t, b.head().Save(h, true))
}

func TestTerminatedDamageIsNeverRepaired(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	before := append(b.bytes(t), "{\"v\":1,\n"...)
	b.put(t, before)
	var broken *BrokenError
	if _, err := Open(b.dir, b.name, b.options()); !errors.As(err, &broken) || broken.Seq != 2 {
		t.Errorf("got %v", err)
	}
	if !bytes.Equal(before, b.bytes(t)) {
		t.Error("the damage was changed")
	}
}

func TestLedgerWithoutAWholeRecordIsBroken(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", `{"v":1`} {
		b := newBook(t)
		b.put(t, []byte(text))
		var broken *BrokenError
		if _, err := Open(b.dir, b.name, b.options()); !errors.As(err, &broken) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestDamagedSideFileStopsOpen(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	must(t, os.WriteFile(b.dir.Path()+"/ledger.torn", []byte("?\n"), 0o600))
	if _, err := Open(b.dir, b.name, b.options()); err == nil {
		t.Error("opened")
	}
}
