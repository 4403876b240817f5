package ledger

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var plain = cmpopts.IgnoreUnexported(EpochReport{})

func TestVerifyReportsEachEpoch(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	w := b.begin(t) // record 2
	add(t, w, 2)    // 3, 4
	must(t, w.Close())
	w = b.begin(t) // 6
	add(t, w, 1)   // 7
	abandon(t, w)
	w = b.begin(t) // 8
	_, err := w.Append(Draft{Kind: "audited", Class: "evidence", Body: []byte(`{}`), Seal: true})
	must(t, err)
	abandon(t, w)

	want := Report{
		Records: 10, End: EndAttested, Attested: 10,
		Epochs: []EpochReport{
			{N: 1, From: 2, To: 5, State: Sealed},
			{N: 2, From: 6, To: 7, State: Unsealed},
			{N: 3, From: 8, To: 10, State: Sealed},
		},
	}
	if diff := cmp.Diff(want, b.verify(t), plain); diff != "" {
		t.Errorf("with head (-want +got):\n%s", diff)
	}
	want.End, want.Attested = EndUnattested, 0
	got, err := Verify(b.dir, b.name, nil)
	must(t, err)
	if diff := cmp.Diff(want, got, plain); diff != "" {
		t.Errorf("without head (-want +got):\n%s", diff)
	}
}

func TestVerifyNeedsThisBootOnlyForARecordNobodyAnnounced(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	w := b.begin(t)
	add(t, w, 2)
	old := loadHead(t, b)
	add(t, w, 1)
	_, err := w.Append(Draft{Kind: "audited", Class: "evidence", Body: []byte(`{}`), Seal: true})
	must(t, err)
	sealed := w.Seq()
	add(t, w, 1)
	abandon(t, w)

	loseHead := func() { // the power took every later save of the head
		must(t, b.heads.RemoveAll("run.json"))
		must(t, b.heads.RemoveAll("run.json.live"))
		must(t, b.head().Save(old, true))
	}
	loseHead()
	if r := b.verify(t); r.Broken == nil || r.Broken.Seq != old.Seq+1 || !strings.Contains(r.Broken.Why, "tail") {
		t.Errorf("same boot: %+v", r.Broken)
	}
	b.boot = "boot-2"
	r := b.verify(t)
	if r.Broken != nil || r.End != EndUnattested || r.Attested != sealed {
		t.Errorf("after a reboot: %+v", r)
	}

	// An epoch is saved with sync, so one the head does not have is forged
	// in any boot.
	w = b.begin(t)
	add(t, w, 1)
	must(t, w.Close())
	loseHead()
	r = b.verify(t)
	if r.Broken == nil || r.Epochs[len(r.Epochs)-1].State != Foreign {
		t.Errorf("foreign epoch: %+v", r)
	}
}

func loadHead(t *testing.T, b *book) Head {
	t.Helper()
	h, ok, err := b.head().Load()
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	return h
}

func TestHeadSurvivesTheLossOfWhatWasNotSynced(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	want := Head{Seq: 3, Sum: "a", Keys: map[int]string{1: "k"}, UpdatedAt: 5}
	must(t, b.head().Save(want, true))
	must(t, b.head().Save(Head{Seq: 4, Sum: "b", UpdatedAt: 6}, false))
	if got := loadHead(t, b); got.Seq != 4 {
		t.Errorf("newest: %+v", got)
	}
	for _, left := range []string{"", "\x00\x00\x00", `{"seq":2,"updated_at":4}`} {
		must(t, b.heads.WriteFile("run.json.live", []byte(left)))
		if diff := cmp.Diff(want, loadHead(t, b)); diff != "" {
			t.Errorf("%q left (-want +got):\n%s", left, diff)
		}
	}
	must(t, b.heads.WriteFile("run.json", nil))
	must(t, b.heads.WriteFile("run.json.live", nil))
	if _, _, err := b.head().Load(); err == nil {
		t.Error("two damaged files were taken for no head")
	}
}

func TestVerifyRequiresAnchors(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	w := b.begin(t)
	for i := range 250 {
		_, err := w.Note(draft("worked", i))
		must(t, err)
	}
	abandon(t, w)
	var kept [][]byte
	for _, l := range splitLines(b.bytes(t)) {
		if !bytes.Contains(l, []byte(`"kind":"anchored"`)) && len(l) > 0 {
			kept = append(kept, l)
		}
	}
	b.put(t, rechain(kept))
	r, err := Verify(b.dir, b.name, nil)
	must(t, err)
	if r.Broken == nil || r.Broken.Seq != 201 || !strings.Contains(r.Broken.Why, "anchor") {
		t.Errorf("broken %+v", r.Broken)
	}
}

func TestHugeLineIsBrokenWhetherItEndsOrNot(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"", "\n"} {
		b := newBook(t)
		b.put(t, append(b.bytes(t), strings.Repeat("x", 1<<20)+end...))
		r := b.verify(t)
		if r.Broken == nil || r.Broken.Seq != 2 || !strings.Contains(r.Broken.Why, "longer") {
			t.Errorf("end %q: %+v", end, r.Broken)
		}
	}
}

// Each line means the same to a lenient reader but is not what we write.
func TestOnlyTheExactFormIsARecord(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	good := string(b.bytes(t))
	for _, change := range [][2]string{
		{`{"v":1,`, `{"v": 1,`},
		{`"v":1`, `"v":2`},
		{`"seq":1`, `"seq":01`},
		{`"seq":1`, `"seq":18446744073709551617`},
		{`"at":1`, `"at":-1`},
		{`"kind":"created"`, `"kind":"Created"`},
		{`"kind":"created"`, `"kind":""`},
		{`"body":{"n":0}`, `"body":{"n":0},"body":{}`},
		{`"body":{"n":0}`, `"body":[]`},
		{`"body":{"n":0}`, `"body":{"n":0`},
		{"\"}\n", "\" }\n"},
	} {
		text := strings.Replace(good, change[0], change[1], 1)
		if text == good {
			t.Fatalf("%q is not in the line", change[0])
		}
		if cut := len(text) - signedCut; strings.HasSuffix(text, "\"}\n") {
			sum := hexDigest([]byte(text[:cut])) // the digest alone would be right
			text = text[:cut] + `,"sum":"` + sum.String() + "\"}\n"
		}
		b.put(t, []byte(text))
		if r := b.verify(t); r.Broken == nil || !strings.Contains(r.Broken.Why, "form") {
			t.Errorf("%s: %+v", change[1], r.Broken)
		}
	}
}

func TestVerifyAndFollowerKeepUpWithAWriterAtWork(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	w := b.begin(t)
	f, err := Follow(b.dir, b.name)
	must(t, err)
	defer func() { _ = f.Close() }()
	written := make(chan []Record)
	go func() {
		defer close(written)
		for i := range 600 {
			add := w.Append
			if i%3 == 0 {
				add = w.Note
			}
			records, err := add(draft("one", i), draft("two", i))
			if err != nil {
				t.Error(err)
				return
			}
			written <- records
		}
	}()
	verified := make(chan struct{})
	go func() {
		defer close(verified)
		for range 40 {
			if r := b.verify(t); r.Broken != nil {
				t.Errorf("while writing: %+v", r.Broken)
			}
		}
	}()
	var want []Record
	for records := range written {
		want = append(want, records...)
	}
	got := collect(t, f, len(want)+2)
	if diff := cmp.Diff(want, got[2:]); diff != "" {
		t.Errorf("followed (-want +got):\n%s", diff)
	}
	<-verified
	must(t, w.Close())
}

// A body that no JSON decoder accepts passes: nothing decoded it, which is
// what keeps opening a long ledger fast.
func TestScanningDecodesNoBodies(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	w := b.begin(t)
	r := Record{
		V: 1, Seq: 3, Epoch: 1, Kind: "worked", Class: "work",
		Body: []byte(`{nope}`), Prev: w.end.sum,
	}
	abandon(t, w)
	b.put(t, appendLine(b.bytes(t), &r))
	got, err := Verify(b.dir, b.name, nil)
	must(t, err)
	if got.Broken != nil || got.Records != 3 {
		t.Errorf("report %+v", got)
	}
}

// grow adds n records of about half a kilobyte in one clean epoch.
func (b *book) grow(t failer, n int) {
	t.Helper()
	w := b.begin(t)
	body := []byte(`{"detail":"` + strings.Repeat("x", 220) + `"}`)
	drafts := make([]Draft, MaxBatch)
	for i := range drafts {
		drafts[i] = Draft{Kind: "worked", Class: "work", Body: body}
	}
	for left := n; left > 0; left -= MaxBatch {
		if _, err := w.Note(drafts[:min(left, MaxBatch)]...); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedHeadIsAnErrorNotAMissingHead(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	must(t, os.WriteFile(b.heads.Path()+"/run.json", []byte("{"), 0o600))
	if _, err := Open(b.dir, b.name, b.options()); err == nil {
		t.Error("opened")
	}
	if _, err := verify(b.dir, b.name, b.options()); err == nil {
		t.Error("verified")
	}
}
