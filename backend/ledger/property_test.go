package ledger

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

// history makes a ledger as its owner would, over several epochs, and
// returns how many records are acknowledged at its end.
func history(t *rapid.T, b *book) (acknowledged uint64) {
	b.create(t)
	acknowledged = 1
	for range rapid.IntRange(1, 3).Draw(t, "epochs") {
		w := b.begin(t)
		acknowledged = w.Seq()
		for range rapid.IntRange(0, 6).Draw(t, "batches") {
			drafts := make([]Draft, rapid.SampledFrom([]int{1, 1, 2, 5, 40}).Draw(t, "batch"))
			for i := range drafts {
				drafts[i] = draft("worked", i)
			}
			drafts[0].Seal = rapid.Bool().Draw(t, "seal")
			if rapid.Bool().Draw(t, "note") {
				if _, err := w.Note(drafts...); err != nil {
					t.Fatal(err)
				}
				if w.since == 0 {
					acknowledged = w.Seq()
				}
				continue
			}
			if _, err := w.Append(drafts...); err != nil {
				t.Fatal(err)
			}
			acknowledged = w.Seq()
		}
		if rapid.Bool().Draw(t, "close") {
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			acknowledged = w.Seq()
			continue
		}
		abandon(t, w)
		if rapid.Bool().Draw(t, "torn") {
			b.put(t, append(b.bytes(t), `{"v":1,"seq":`...))
		}
	}
	return acknowledged
}

// mutate does one thing to a ledger's bytes.
func mutate(t *rapid.T, data []byte) []byte {
	lines := splitLines(data)
	whole := lines[:len(lines)-1] // the last is empty or torn
	at := rapid.IntRange(0, len(whole)-1).Draw(t, "line")
	other := rapid.IntRange(0, len(whole)-1).Draw(t, "other line")
	var out [][]byte
	switch rapid.SampledFrom(mutations).Draw(t, "mutation") {
	case "flip":
		changed := bytes.Clone(data)
		i := rapid.IntRange(0, len(data)-1).Draw(t, "byte")
		changed[i] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		return changed
	case "delete":
		out = append(append(out, lines[:at]...), lines[at+1:]...)
	case "duplicate":
		out = append(append(append(out, lines[:at+1]...), lines[at]), lines[at+1:]...)
	case "swap":
		out = append(out, lines...)
		out[at], out[other] = out[other], out[at]
	case "chain on":
		all := bytes.Join(whole, nil)
		return append(all, forge(all)...)
	case "insert and rechain":
		out = append(append(append(out, whole[:at+1]...), whole[other]), whole[at+1:]...)
		return rechain(out)
	case "delete and rechain":
		return rechain(append(append(out, whole[:at]...), whole[at+1:]...))
	case "cut at a line":
		out = lines[:at]
	case "cut anywhere":
		return data[:rapid.IntRange(0, len(data)).Draw(t, "length")]
	}
	return bytes.Join(out, nil)
}

var mutations = []string{
	"flip", "delete", "duplicate", "swap", "chain on", "insert and rechain",
	"delete and rechain", "cut at a line", "cut anywhere",
}

// honest says whether a crash could have left this of the original: whole
// lines of it from the start, all that was acknowledged among them, and at
// most one that is not terminated.
func honest(original, changed []byte, acknowledged uint64) (ok, torn bool) {
	whole := changed[:bytes.LastIndexByte(changed, '\n')+1]
	n := uint64(bytes.Count(whole, []byte("\n")))
	return bytes.HasPrefix(original, whole) && n >= acknowledged, len(whole) < len(changed)
}

func TestAnyChangeIsFoundAndNothingHonestIsCalledBroken(t *testing.T) {
	t.Parallel()
	path, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	rapid.Check(t, func(t *rapid.T) {
		at, err := os.MkdirTemp(path, "")
		if err != nil {
			t.Fatal(err)
		}
		b, err := bookAt(at)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _, _ = b.dir.Close(), b.heads.Close() }()
		acknowledged := history(t, b)
		original := b.bytes(t)
		for range 12 {
			changed := mutate(t, original)
			b.put(t, changed)
			r := b.verify(t)
			ok, torn := honest(original, changed, acknowledged)
			if ok != (r.Broken == nil) {
				t.Fatalf("honest %v, but broken %+v", ok, r.Broken)
			}
			if ok && torn != (r.End == EndTorn) {
				t.Fatalf("torn %v, but end %q", torn, r.End)
			}
		}
	})
}

func FuzzRead(f *testing.F) {
	r := Record{V: 1, Seq: 1, Kind: "created", Class: "state", Body: []byte(`{"a":"}"}`), Prev: zeroSum.String()}
	one := appendLine(nil, &r)
	next := Record{V: 1, Seq: 2, Epoch: 1, Kind: "started", Class: "state", Body: []byte(`{}`), Prev: r.Sum}
	two := appendLine(bytes.Clone(one), &next)
	for _, seed := range [][]byte{nil, one, two, two[:len(two)-5], []byte("{\"v\":1,\n"), []byte("\n\n")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var accepted []byte
		for rec, err := range readFrom(bytes.NewReader(data), "x") {
			if err != nil {
				break
			}
			accepted = appendLine(accepted, &rec)
		}
		// What was accepted is, written again, what stood there.
		if !bytes.HasPrefix(data, accepted) {
			t.Fatalf("accepted %q of %q", accepted, data)
		}
		c := newChain(bytes.NewReader(accepted))
		for _, err := c.next(); err == nil; _, err = c.next() {
		}
		if c.broken != nil || c.lines.off != int64(len(accepted)) {
			t.Fatalf("accepted once, then %+v", c.broken)
		}
		a := newAudit(bytes.NewReader(data), Head{})
		if err := a.read(true); err != nil {
			t.Fatal(err)
		}
		_ = a.judge(Head{Seq: 1, Sum: "x", Next: []string{"y"}}, "boot")
	})
}
