package rundir

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/ledger"
)

// entry is one entry of a bundle made by hand.
type entry struct {
	name, text string
	kind       byte // 0 is a plain file
	link       string
}

func pack(t testing.TB, entries []entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, e := range entries {
		kind := e.kind
		if kind == 0 {
			kind = tar.TypeReg
		}
		size := int64(len(e.text))
		if kind != tar.TypeReg {
			size = 0
		}
		if err := w.WriteHeader(&tar.Header{Typeflag: kind, Name: e.name, Linkname: e.link, Size: size, Mode: 0o600}); err != nil {
			t.Fatal(err)
		}
		if kind == tar.TypeReg {
			if _, err := io.WriteString(w, e.text); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// entriesOf reads a bundle back as entries.
func entriesOf(t testing.TB, bundle []byte) []entry {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(bundle))
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(z)
	var out []entry
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, entry{name: h.Name, text: string(b)})
	}
}

const bundledID = "20260102-030405-0abc"

// bundleOf exports a run with a few texts.
func bundleOf(t testing.TB) []byte {
	t.Helper()
	h, err := OpenHome(filepath.Join(t.TempDir(), "home"))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	r, err := h.Create(specOf(bundledID), []byte("# a task\n"), firstOf(bundledID))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Keep(1, "plan.md", "the plan", false); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Export(&b, true); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestABundleBringsTheWholeRun(t *testing.T) {
	t.Parallel()
	bundle := bundleOf(t)
	var names []string
	for _, e := range entriesOf(t, bundle) {
		names = append(names, e.name)
	}
	want := []string{"head.json", "ledger.jsonl", "rounds/001/plan.md", "run.json", "task.md"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	h := newHome(t)
	r, rep, err := h.Import(bytes.NewReader(bundle))
	check(t, err)
	defer r.Close()
	if rep.End != ledger.EndAttested || rep.Records != 1 {
		t.Errorf("%+v", rep)
	}
	if b, err := r.Kept("rounds/001/plan.md"); err != nil || string(b) != "the plan" {
		t.Errorf("%q, %v", b, err)
	}
	var again bytes.Buffer
	check(t, r.Export(&again, true))
	if diff := cmp.Diff(entriesOf(t, bundle)[1:], entriesOf(t, again.Bytes())[1:], cmp.AllowUnexported(entry{})); diff != "" {
		t.Errorf("exported again (-want +got)\n%s", diff)
	}
	if _, _, err := h.Import(bytes.NewReader(bundle)); !errors.Is(err, os.ErrExist) {
		t.Errorf("the same run twice: %v", err)
	}
}

func TestAHostileBundleMakesNoRun(t *testing.T) {
	t.Parallel()
	good := entriesOf(t, bundleOf(t))
	change := func(name string, to func(string) string) []entry {
		out := append([]entry(nil), good...)
		for i := range out {
			if out[i].name == name {
				out[i].text = to(out[i].text)
			}
		}
		return out
	}
	more := func(e entry) []entry { return append(append([]entry(nil), good...), e) }
	for name, entries := range map[string][]entry{
		"nothing":              nil,
		"a name above":         more(entry{name: "../x", text: "x"}),
		"an absolute name":     more(entry{name: "/tmp/x", text: "x"}),
		"a name that climbs":   more(entry{name: "rounds/../../x", text: "x"}),
		"a name twice":         more(entry{name: "task.md", text: "other"}),
		"two heads":            more(entry{name: "head.json", text: `{"seq":1}`}),
		"a symbolic link":      more(entry{name: "rounds/x", kind: tar.TypeSymlink, link: "/etc"}),
		"a hard link":          more(entry{name: "rounds/x", kind: tar.TypeLink, link: "task.md"}),
		"a FIFO":               more(entry{name: "rounds/x", kind: tar.TypeFifo}),
		"a file of the worker": more(entry{name: "worker.lock", text: "x"}),
		"a command":            more(entry{name: "inbox/x.json", text: "{}"}),
		"a folder as a file":   more(entry{name: "rounds", text: "x"}),
		"a file below a file":  more(entry{name: "rounds/001/plan.md/x", text: "x"}),
		"another task":         change("task.md", func(string) string { return "# other\n" }),
		"another run.json":     change("run.json", func(s string) string { return s + " " }),
		"a changed record":     change("ledger.jsonl", func(s string) string { return "{" + s }),
		"a ledger cut off":     change("ledger.jsonl", func(string) string { return "" }),
		"another head":         change("head.json", func(string) string { return `{"seq":9,"sum":"x","updated_at":1}` }),
		"no head at all":       change("head.json", func(string) string { return `{}` }),
		"without a ledger":     append(append([]entry(nil), good[:1]...), good[2:]...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			if r, _, err := h.Import(bytes.NewReader(pack(t, entries))); err == nil {
				t.Errorf("it became run %s", r.ID)
			}
			for _, dir := range []string{"runs", "heads"} {
				left, err := os.ReadDir(filepath.Join(h.Path(), dir))
				check(t, err)
				if len(left) > 0 {
					t.Errorf("%s has %s", dir, left[0].Name())
				}
			}
		})
	}
}

func FuzzImport(f *testing.F) {
	f.Add(bundleOf(f))
	f.Add(pack(f, []entry{{name: "task.md", text: "x"}}))
	f.Add([]byte{0x1f, 0x8b})
	f.Fuzz(func(t *testing.T, bundle []byte) {
		if len(bundle) > 1<<16 {
			return
		}
		h, err := OpenHome(filepath.Join(t.TempDir(), "home"))
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		r, _, err := h.Import(bytes.NewReader(bundle))
		if err == nil {
			defer r.Close()
			if rep, err := r.Verify(); err != nil || rep.Broken != nil {
				t.Errorf("a broken run was taken in: %+v, %v", rep, err)
			}
		}
		ids, err := h.IDs()
		if err != nil || (len(ids) > 0) != (r != nil) {
			t.Errorf("runs %v, %v", ids, err)
		}
	})
}
