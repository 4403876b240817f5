package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRecordIsOneLineOfTheDocumentedForm(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	o := b.options()
	o.Now = func() time.Time { return time.UnixMilli(1764536460123) }
	o.Rand = bytes.NewReader(bytes.Repeat([]byte{7}, 32))
	w, err := Open(b.dir, b.name, o)
	must(t, err)
	begun, err := w.Begin("started", "state", func(e Epoch) any {
		return map[string]any{"epoch": e.N, "public_key": e.PublicKey, "prev_head": e.PrevHead, "boot_id": "b"}
	})
	must(t, err)
	got, err := w.Append(Draft{Kind: "audited", Class: "evidence", Body: json.RawMessage(` { "a" : "{\"}" , "b":[1] } `)})
	must(t, err)
	must(t, w.Close())
	want := `{"v":1,"seq":3,"epoch":1,"at":1764536460123,"kind":"audited","class":"evidence",` +
		`"body":{"a":"{\"}","b":[1]},"prev":"` + begun[0].Sum + `"`
	sum := hexDigest([]byte(want))
	want += `,"sum":"` + sum.String() + `"}` + "\n"
	if diff := cmp.Diff(want, string(splitLines(b.bytes(t))[2])); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
	var decoded Record
	must(t, json.Unmarshal([]byte(want), &decoded))
	if diff := cmp.Diff([]Record{decoded}, got); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
}

func TestEveryReaderYieldsWhatAppendReturned(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	var want []Record
	w, err := Open(b.dir, b.name, b.options())
	must(t, err)
	begun, err := w.Begin("started", "state", nil)
	must(t, err)
	want = append(want, begun...)
	for i := range 130 {
		add := w.Append
		if i%3 == 0 {
			add = w.Note
		}
		records, err := add(draft("one", i), Draft{Kind: "two", Class: "decision", Body: []byte(`{}`), Seal: i == 5})
		must(t, err)
		want = append(want, records...)
	}
	for who, seq := range map[string]func(func(Record, error) bool){
		"Read": Read(b.dir, b.name), "Records": w.Records(),
	} {
		var got []Record
		for r, err := range seq {
			must(t, err)
			got = append(got, r)
		}
		if diff := cmp.Diff(want, got[1:]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", who, diff)
		}
	}
	must(t, w.Close())
	if r := b.verify(t); r.Broken != nil || r.End != EndAttested {
		t.Errorf("report %+v", r)
	}
}

func TestAppendRefusesSecondWriter(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	w := b.begin(t)
	if _, err := Open(b.dir, b.name, b.options()); !errors.Is(err, ErrHeld) {
		t.Errorf("second writer: %v", err)
	}
	must(t, w.Close())
	must(t, b.begin(t).Close())
}

func TestAppendBeforeBeginAndAfterCloseIsRefused(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	w, err := Open(b.dir, b.name, b.options())
	must(t, err)
	if _, err := w.Append(draft("x", 1)); !errors.Is(err, ErrNoEpoch) {
		t.Errorf("before Begin: %v", err)
	}
	before := b.bytes(t)
	must(t, w.Close())
	if _, err := w.Append(draft("x", 1)); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if err := w.Close(); !errors.Is(err, ErrClosed) {
		t.Errorf("second Close: %v", err)
	}
	if !bytes.Equal(before, b.bytes(t)) {
		t.Error("a writer that never began wrote something")
	}
}

func TestBadDraftsWriteNothingAndTheWriterGoesOn(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	w := b.begin(t)
	before := b.bytes(t)
	body := func(n int) []byte { return []byte(`{"a":"` + strings.Repeat("x", n-8) + `"}`) }
	for _, c := range []struct {
		why  string
		bad  Draft
		want error
	}{
		{"no kind", Draft{Class: "a", Body: body(9)}, ErrBadDraft},
		{"kind not a word", Draft{Kind: "Ab", Class: "a", Body: body(9)}, ErrBadDraft},
		{"class not a word", Draft{Kind: "a", Class: `a"`, Body: body(9)}, ErrBadDraft},
		{"long kind", Draft{Kind: strings.Repeat("a", 65), Class: "a", Body: body(9)}, ErrBadDraft},
		{"own kind", Draft{Kind: KindAnchored, Class: "a", Body: body(9)}, ErrBadDraft},
		{"no body", Draft{Kind: "a", Class: "a"}, ErrBadDraft},
		{"array", Draft{Kind: "a", Class: "a", Body: []byte(`[{}]`)}, ErrBadDraft},
		{"two values", Draft{Kind: "a", Class: "a", Body: []byte(`{} {}`)}, ErrBadDraft},
		{"not UTF-8", Draft{Kind: "a", Class: "a", Body: []byte("{\"a\":\"\xff\"}")}, ErrBadDraft},
		{"too large", Draft{Kind: "a", Class: "a", Body: body(MaxBody + 1)}, ErrBodyTooLarge},
	} {
		if _, err := w.Append(draft("good", 1), c.bad); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.why, err, c.want)
		}
	}
	if _, err := w.Append(make([]Draft, MaxBatch+1)...); !errors.Is(err, ErrBatchTooLarge) {
		t.Errorf("batch: %v", err)
	}
	_, err := w.Append(Draft{Kind: "a", Class: "a", Body: body(MaxBody + 1)})
	if err == nil || !strings.Contains(err.Error(), "16385 bytes, the limit is 16384") {
		t.Errorf("size and limit are not named: %v", err)
	}
	if !bytes.Equal(before, b.bytes(t)) {
		t.Error("a refused batch was written in part")
	}
	if _, err := w.Append(Draft{Kind: "a", Class: "a", Body: body(MaxBody)}); err != nil {
		t.Error(err)
	}
	must(t, w.Close())
}

func TestCreateRefusesAnExistingFile(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	before := b.bytes(t)
	if _, err := Create(b.dir, b.name, 1, draft("created", 1)); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	if !bytes.Equal(before, b.bytes(t)) {
		t.Error("the existing file changed")
	}
}

func TestOpenOfALedgerThatNeverWasCreatesNothing(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	must(t, os.Remove(b.path()))
	if _, err := Open(b.dir, b.name, b.options()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open: %v", err)
	}
	if _, err := Verify(b.dir, b.name, b.head()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("verify: %v", err)
	}
	if names, _ := b.dir.Names(); len(names) != 0 {
		t.Errorf("files %v", names)
	}
}

func TestBeginRefusesABodyWithoutItsEpochAndASecondTime(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	w, err := Open(b.dir, b.name, b.options())
	must(t, err)
	for _, body := range []any{map[string]int{"epoch": 1}, nil, make(chan int)} {
		if _, err := w.Begin("started", "state", func(Epoch) any { return body }); !errors.Is(err, ErrBadDraft) {
			t.Errorf("%v: got %v", body, err)
		}
	}
	_, err = w.Begin("started", "state", nil)
	must(t, err)
	if _, err := w.Begin("started", "state", nil); err == nil {
		t.Error("second Begin was accepted")
	}
	must(t, w.Close())
	if r := b.verify(t); r.Broken != nil || r.Records != 3 {
		t.Errorf("report %+v", r)
	}
}

func TestAnchorsComeInTime(t *testing.T) {
	t.Parallel()
	for _, batch := range []int{1, 7, 100} {
		b := newBook(t)
		w := b.begin(t)
		drafts := make([]Draft, batch)
		for i := range drafts {
			drafts[i] = draft("worked", i)
		}
		for range 350/batch + 1 {
			_, err := w.Note(drafts...)
			must(t, err)
		}
		abandon(t, w)
		since := 0
		for r, err := range Read(b.dir, b.name) {
			must(t, err)
			if since++; r.Kind == KindAnchored {
				since = 0
			}
			if since > 100+batch {
				t.Fatalf("batches of %d: record %d has no anchor near", batch, r.Seq)
			}
		}
		if r := b.verify(t); r.Broken != nil {
			t.Errorf("batches of %d: %+v", batch, r.Broken)
		}
	}
}

// Records that were only noted are announced, so a crash may take them or
// not, and both are fine.
func TestNotedRecordsMayGoInACrashUntilAppendMakesThemDurable(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	w := b.begin(t)
	acknowledged := b.bytes(t)
	for i := range 3 {
		_, err := w.Note(draft("noted", i))
		must(t, err)
	}
	noted := b.bytes(t)
	b.put(t, acknowledged)
	if r := b.verify(t); r.Broken != nil || r.End != EndAttested {
		t.Errorf("without the notes: %+v", r)
	}
	b.put(t, noted)
	_, err := w.Append()
	must(t, err)
	b.put(t, acknowledged)
	if r := b.verify(t); r.Broken == nil {
		t.Error("notes made durable could be cut unseen")
	}
	abandon(t, w)
}
