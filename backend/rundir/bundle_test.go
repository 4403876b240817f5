package rundir

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/config"
	"longwatch/backend/ledger"
	"longwatch/backend/run"
	"longwatch/backend/safefs"
)

// item is an entry of a bundle made by hand.
type item struct {
	name, text string
	kind       byte // 0: a plain file
}

// bundled packs entries as they are, be they ever so wrong.
func bundled(t testing.TB, items ...item) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, it := range items {
		h := &tar.Header{Name: it.name, Size: int64(len(it.text)), Mode: 0o600, Typeflag: it.kind, Format: tar.FormatPAX}
		if it.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if h.Typeflag != tar.TypeReg {
			h.Size, h.Linkname = 0, it.text
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			_, _ = io.WriteString(w, it.text)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// items takes a bundle apart.
func items(t *testing.T, bundle []byte) (out []item) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(bundle))
	check(t, err)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		check(t, err)
		text, err := io.ReadAll(r)
		check(t, err)
		out = append(out, item{name: h.Name, text: string(text)})
	}
}

// worked makes a run that a worker has written to, with a long text.
func worked(t *testing.T, h *Home, id string, done bool) *Run {
	t.Helper()
	r := newRun(t, h, id)
	long := strings.Repeat("a long answer\n", 1000)
	file, err := r.Keep(1, "executor.md", long, true)
	check(t, err)
	w, err := r.Writer(ledger.Options{})
	check(t, err)
	_, err = w.Begin("started", "accounting", nil)
	check(t, err)
	add := func(e run.Event) {
		body, err := run.Encode(e)
		check(t, err)
		_, err = w.Append(ledger.Draft{Kind: string(e.Kind()), Class: string(run.ClassOf(e)), Body: body})
		check(t, err)
	}
	add(run.PhaseStarted{Round: 1, Phase: run.Plan, Attempt: 1})
	add(run.PhaseFailed{Round: 1, Phase: run.Plan, Fail: run.FailExit, Said: &run.Text{
		Text: "a long", SHA256: sum([]byte(long)), Size: len(long), File: file,
	}})
	if done {
		add(run.Finished{Outcome: run.Stopped})
	}
	check(t, w.Close())
	return r
}

func exportedRun(t *testing.T, r *Run, o ExportOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	o.Now = time.Now()
	_, err := r.Export(&b, o)
	check(t, err)
	return b.Bytes()
}

func imported(h *Home, bundle []byte) (Imported, error) {
	return h.Import(bytes.NewReader(bundle), ImportOptions{Limit: 1 << 30, Now: time.Now()})
}

func TestImportedRunVerifiesAsItDidWhereItCameFrom(t *testing.T) {
	t.Parallel()
	r := worked(t, newHome(t), "r1", true)
	want, err := r.Verify()
	check(t, err)
	there := newHome(t)
	out, err := imported(there, exportedRun(t, r, ExportOptions{}))
	check(t, err)
	if out.Run != "r1" || !out.Head || out.End != ledger.EndAttested || out.Records != want.Records {
		t.Errorf("imported %+v", out)
	}
	got := reopened(t, there, "r1")
	rep, err := got.Verify()
	check(t, err)
	if diff := cmp.Diff(want.Epochs, rep.Epochs, cmp.AllowUnexported(ledger.EpochReport{})); diff != "" || rep.End != ledger.EndAttested {
		t.Errorf("end %s, epochs -want +got\n%s", rep.End, diff)
	}
	if _, imported, err := got.Origin(); err != nil || !imported {
		t.Errorf("origin: %v, %v", imported, err)
	}
	if s := got.Summary(); s.State != "ended" {
		t.Errorf("summary %+v", s)
	}
}

func reopened(t *testing.T, h *Home, id string) *Run {
	t.Helper()
	r, err := h.Open(id)
	check(t, err)
	t.Cleanup(func() { check(t, r.Close()) })
	return r
}

func TestImportWithoutHeadLeavesTheEndUnattested(t *testing.T) {
	t.Parallel()
	there := newHome(t)
	out, err := imported(there, exportedRun(t, worked(t, newHome(t), "r1", true), ExportOptions{NoHead: true}))
	check(t, err)
	rep, err := reopened(t, there, "r1").Verify()
	check(t, err)
	if out.Head || rep.Broken != nil || rep.End != ledger.EndUnattested || rep.Attested != 0 {
		t.Errorf("imported %+v, verified %+v", out, rep)
	}
}

// On another machine the boot is another one, which there excuses records that
// the head does not know. Once imported they are no longer excused.
func TestImportedHeadIsOneOfThisBoot(t *testing.T) {
	t.Parallel()
	from := newHome(t)
	r := worked(t, from, "r1", false)
	head, _, err := r.Head().Load()
	check(t, err)
	head.BootID, head.Closed = "another machine's", false
	head.UpdatedAt++
	check(t, r.Head().Save(head, true))
	there := newHome(t)
	_, err = imported(there, exportedRun(t, r, ExportOptions{}))
	check(t, err)
	got := reopened(t, there, "r1")
	if rep, err := got.Verify(); err != nil || rep.End != ledger.EndAttested {
		t.Fatalf("verify: %+v, %v", rep, err)
	}
	forge(t, filepath.Join(got.Path(), ledgerName))
	if rep, err := got.Verify(); err != nil || rep.Broken == nil {
		t.Errorf("a forged tail went unnoticed: %+v, %v", rep, err)
	}
}

// Heads are told apart by when they were saved, so one of a clock that is ahead
// would be believed for ever.
func TestImportedRunIsWrittenOnAfterAWrongClock(t *testing.T) {
	t.Parallel()
	r := worked(t, newHome(t), "r1", true)
	head, _, err := r.Head().Load()
	check(t, err)
	head.UpdatedAt = math.MaxInt64
	check(t, r.Head().Save(head, true))
	there := newHome(t)
	_, err = imported(there, exportedRun(t, r, ExportOptions{}))
	check(t, err)
	got := reopened(t, there, "r1")
	w, err := got.Writer(ledger.Options{})
	check(t, err)
	_, err = w.Begin("resumed", "accounting", nil)
	check(t, err)
	check(t, w.Close())
	if rep, err := got.Verify(); err != nil || rep.End != ledger.EndAttested || rep.Broken != nil {
		t.Errorf("verify: %+v, %v", rep, err)
	}
}

// forge chains one more record on, as whoever has the file can.
func forge(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	check(t, err)
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	var last ledger.Record
	check(t, json.Unmarshal([]byte(lines[len(lines)-1]), &last))
	last.Seq, last.Prev, last.Sum = last.Seq+1, last.Sum, ""
	last.Kind, last.Class, last.Body = "pause_set", "decision", json.RawMessage(`{"command":"c","channel":"x","paused":true}`)
	line, err := json.Marshal(last)
	check(t, err)
	before := strings.TrimSuffix(string(line), `,"sum":""}`)
	write(t, path, string(data)+before+`,"sum":"`+sum([]byte(before))+"\"}\n")
}

func TestExportRefusesARunAtWork(t *testing.T) {
	t.Parallel()
	r := newRun(t, newHome(t), "r1")
	lease, err := r.Lease()
	check(t, err)
	if _, err := r.Export(io.Discard, ExportOptions{}); !errors.Is(err, safefs.ErrHeld) {
		t.Errorf("export: %v", err)
	}
	check(t, lease.Release())
}

func TestExportCarriesNothingOfThisMachine(t *testing.T) {
	t.Parallel()
	r := worked(t, newHome(t), "r1", true)
	for _, name := range []string{"worker.log", "heartbeat", "inbox/c1.json", "rounds/.executor.md.tmp", "summary.json"} {
		write(t, filepath.Join(r.Path(), name), "x")
	}
	var got []string
	for _, it := range items(t, exportedRun(t, r, ExportOptions{})) {
		got = append(got, it.name)
	}
	want := []string{"bundle.json", "run/ledger.jsonl", "run/rounds/001/executor.md", "run/run.json", "run/task.md"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// A link in a run's folder, which Longwatch never makes, does not have a file
// from elsewhere carried away.
func TestExportFollowsNoLink(t *testing.T) {
	t.Parallel()
	r := worked(t, newHome(t), "r1", true)
	check(t, os.Symlink("/etc/hostname", filepath.Join(r.Path(), "evidence", "key")))
	if _, err := r.Export(io.Discard, ExportOptions{}); !errors.Is(err, safefs.ErrSymlink) {
		t.Errorf("export: %v", err)
	}
}

func TestImportRefusesHostileBundles(t *testing.T) {
	t.Parallel()
	good := items(t, exportedRun(t, worked(t, newHome(t), "r1", true), ExportOptions{}))
	with := func(more ...item) []item { return append(append([]item{}, good...), more...) }
	without := func(name string) (out []item) {
		for _, it := range good {
			if it.name != name {
				out = append(out, it)
			}
		}
		return out
	}
	changed := func(name, old, new string) (out []item) {
		for _, it := range good {
			if it.name == name {
				it.text = strings.Replace(it.text, old, new, 1)
			}
			out = append(out, it)
		}
		return out
	}
	for name, bad := range map[string][]item{
		"nothing":                 {},
		"no heading":              good[1:],
		"heading that is a link":  append([]item{{bundleName, "/etc/passwd", tar.TypeSymlink}}, good[1:]...),
		"a way out":               with(item{name: "run/../../heads/r1.json", text: "{}"}),
		"a way out below":         with(item{name: "run/rounds/../../x", text: "x"}),
		"absolute":                with(item{name: "/tmp/x", text: "x"}),
		"absolute below":          with(item{name: "run//tmp/x", text: "x"}),
		"a symbolic link":         with(item{"run/rounds/002", "/etc", tar.TypeSymlink}),
		"a hard link":             with(item{"run/rounds/002", "run/task.md", tar.TypeLink}),
		"a device":                with(item{"run/rounds/002", "", tar.TypeChar}),
		"a fifo":                  with(item{"run/rounds/002", "", tar.TypeFifo}),
		"a folder":                with(item{"run/rounds/002/", "", tar.TypeDir}),
		"a name twice":            with(item{name: "run/task.md", text: "other"}),
		"a file below a file":     with(item{name: "run/rounds/001/executor.md/x", text: "x"}),
		"a file in place of it":   with(item{name: "run/rounds/001", text: "x"}),
		"a command":               with(item{name: "run/inbox/c1.json", text: "{}"}),
		"a lease":                 with(item{name: "run/worker.lock", text: "{}"}),
		"a summary":               with(item{name: "run/summary.json", text: "{}"}),
		"an origin":               with(item{name: "run/origin.json", text: "{}"}),
		"a hidden name":           with(item{name: "run/rounds/.x", text: "x"}),
		"a control character":     with(item{name: "run/rounds/a\x1bb", text: "x"}),
		"an empty part":           with(item{name: "run/rounds//x", text: "x"}),
		"outside of the run":      with(item{name: "heads/r1.json", text: "{}"}),
		"a task too large":        changed("run/task.md", "# r1", strings.Repeat("x", maxTask+1)),
		"another version":         changed(bundleName, `"v": 1`, `"v": 2`),
		"an id that leads out":    changed(bundleName, `"run": "r1"`, `"run": "../r1"`),
		"a hidden id":             changed(bundleName, `"run": "r1"`, `"run": ".new-r1"`),
		"another id":              changed(bundleName, `"run": "r1"`, `"run": "r2"`),
		"another count":           changed(bundleName, `"records": `, `"records": 1`),
		"a head of nothing":       changed(bundleName, `"seq": `, `"seq": 0, "x": `),
		"a head further on":       changed(bundleName, `"seq": `, `"seq": 1`),
		"no ledger":               without("run/ledger.jsonl"),
		"no run.json":             without("run/run.json"),
		"no task":                 without("run/task.md"),
		"no text of a record":     without("run/rounds/001/executor.md"),
		"another text":            changed("run/rounds/001/executor.md", "long", "lung"),
		"another task":            changed("run/task.md", "# r1", "# r2"),
		"another run.json":        changed("run/run.json", `"title"`, `"titel"`),
		"a record changed":        changed("run/ledger.jsonl", `"title":"r1"`, `"title":"r2"`),
		"a ledger without an end": changed("run/ledger.jsonl", `"kind":"finished"`, "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, bundled(t, bad...))
		})
	}
}

// refused holds that a bundle is refused and nothing of it is left.
func refused(t *testing.T, bundle []byte) {
	t.Helper()
	h := newHome(t)
	if out, err := imported(h, bundle); err == nil {
		t.Errorf("imported: %+v", out)
	}
	for _, folder := range []string{"runs", "heads"} {
		left, err := os.ReadDir(filepath.Join(h.Path(), folder))
		check(t, err)
		if len(left) > 0 {
			t.Errorf("%s/%s was left", folder, left[0].Name())
		}
	}
}

func TestImportRefusesDamagedAndTooMuch(t *testing.T) {
	t.Parallel()
	bundle := exportedRun(t, worked(t, newHome(t), "r1", true), ExportOptions{})
	for name, bad := range map[string][]byte{
		"cut":       bundle[:len(bundle)-9],
		"flipped":   append(append([]byte{}, bundle[:len(bundle)-6]...), 0, 0, 0, 0, 0, 0),
		"followed":  append(append([]byte{}, bundle...), bundle...),
		"not gzip":  []byte("hello"),
		"a torrent": torrent(t),
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); refused(t, bad) })
	}
	h := newHome(t)
	if _, err := h.Import(bytes.NewReader(bundle), ImportOptions{Limit: 4000}); !errors.Is(err, ErrBundle) {
		t.Errorf("more than the limit: %v", err)
	}
	if _, err := h.Import(bytes.NewReader(bundle), ImportOptions{Limit: 1 << 30, Digest: "00"}); !errors.Is(err, ErrBundle) {
		t.Errorf("another digest: %v", err)
	}
}

// torrent is small, and large once unpacked.
func torrent(t *testing.T) []byte {
	return bundled(t, item{name: bundleName, text: `{"v":1,"run":"r1"}`}, item{name: "run/task.md", text: strings.Repeat("\x00", 64<<20)})
}

func TestImportKeepsARunThatIsHere(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	r := worked(t, h, "r1", true)
	before, err := r.Verify()
	check(t, err)
	if _, err := imported(h, exportedRun(t, r, ExportOptions{NoHead: true})); !errors.Is(err, fs.ErrExist) {
		t.Errorf("import: %v", err)
	}
	after, err := r.Verify()
	if err != nil || after.End != before.End {
		t.Errorf("the run here is %+v, %v", after, err)
	}
}

// An import that was killed has left its folder, and no head.
func TestImportClearsAwayOneThatWasKilled(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	left := filepath.Join(h.Path(), "runs", importing, "rounds")
	check(t, os.MkdirAll(left, 0o700))
	write(t, filepath.Join(left, "x"), "x")
	_, err := imported(h, exportedRun(t, worked(t, newHome(t), "r1", true), ExportOptions{}))
	check(t, err)
	r := reopened(t, h, "r1")
	if _, err := os.Lstat(filepath.Join(r.Path(), "rounds", "x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file of another import: %v", err)
	}
}

func TestImportedRunGoesOnOnlyWithItsWorkspaceAndPrograms(t *testing.T) {
	t.Parallel()
	there := newHome(t)
	_, err := imported(there, exportedRun(t, worked(t, newHome(t), "r1", true), ExportOptions{}))
	check(t, err)
	r := reopened(t, there, "r1")
	program := config.Settings{Agents: map[string]config.Program{"a": {Command: []string{"prog", "-x"}}}}
	passing := config.Settings{Agents: map[string]config.Program{"a": {Command: []string{"prog", "-x"}, Pass: []string{"KEY"}}}}
	for _, c := range []struct {
		spec Spec
		own  config.Settings
		ok   bool
	}{
		{Spec{Workspace: t.TempDir()}, config.Settings{}, true},
		{Spec{Workspace: filepath.Join(t.TempDir(), "gone")}, config.Settings{}, false},
		{Spec{Workspace: t.TempDir(), Settings: program}, config.Settings{}, false},
		{Spec{Workspace: t.TempDir(), Settings: program}, program, true},
		{Spec{Workspace: t.TempDir(), Settings: passing}, program, false},
		{Spec{Workspace: t.TempDir(), Settings: config.Settings{Notify: []string{"prog"}}}, program, false},
	} {
		if err := r.GoOn(c.spec, c.own); (err == nil) != c.ok || (err != nil && !errors.Is(err, ErrForeign)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if err := newRun(t, there, "r2").GoOn(Spec{Workspace: "/gone"}, config.Settings{}); err != nil {
		t.Errorf("a run of this machine: %v", err)
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(bundled(f, item{name: bundleName, text: `{"v":1,"run":"r1"}`}, item{name: "run/task.md", text: "x"}))
	f.Add(bundled(f, item{name: bundleName, text: `{"v":1,"run":"r1"}`}, item{"run/rounds/x", "/etc", tar.TypeSymlink}))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 1 << 20
		seen, used := map[string]bool{}, int64(0)
		b, err := unpack(bytes.NewReader(data), limit, func(name string, content io.Reader) error {
			n, err := io.Copy(io.Discard, content)
			used += n
			if seen[name] || carries(name) != "" || !filepath.IsLocal(name) {
				t.Errorf("%q was handed over", name)
			}
			seen[name] = true
			return err
		})
		if used > limit {
			t.Errorf("%d bytes were handed over", used)
		}
		if err == nil && !validID(b.Run) {
			t.Errorf("the id is %q", b.Run)
		}
	})
}
