package rundir

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"longwatch/backend/config"
	"longwatch/backend/ledger"
	"longwatch/backend/safefs"
)

// ImportOptions bound an import.
type ImportOptions struct {
	Limit  int64  // bytes that the run may take, unpacked
	Digest string // SHA-256 of the bundle in hex; empty: not checked
	Now    time.Time
}

// Imported says what came in.
type Imported struct {
	Run       string `json:"run"`
	Records   uint64 `json:"records"`
	Head      bool   `json:"head"`
	End       string `json:"end"` // as ledger.Report says it
	Workspace string `json:"workspace"`
	SHA256    string `json:"sha256"` // of the bundle
}

// Origin is origin.json: that a run came in a bundle. A run without it was
// started here.
type Origin struct {
	V          int    `json:"v"`
	SHA256     string `json:"sha256"` // of the bundle
	Head       bool   `json:"head"`
	ImportedAt int64  `json:"imported_at"`
}

const (
	originName = "origin.json"
	importing  = ".import"
)

// Import takes in a run from a bundle. Until everything about it has been
// checked it stands under a name that is no run's; then it is there whole.
func (h *Home) Import(src io.Reader, o ImportOptions) (out Imported, err error) {
	turn, err := h.locks.Lock("import")
	if errors.Is(err, safefs.ErrHeld) {
		return out, fmt.Errorf("another import is going on: %w", err)
	}
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, turn.Release()) }()
	// An import that was killed has left its folder.
	if err := h.runs.RemoveAll(importing); err != nil {
		return out, err
	}
	d, err := h.runs.Mkdir(importing)
	if err != nil {
		return out, err
	}
	defer d.Close()
	defer func() {
		if err != nil {
			_ = h.runs.RemoveAll(importing)
		}
	}()
	sum := sha256.New()
	b, err := unpack(io.TeeReader(src, sum), o.Limit, func(name string, content io.Reader) error { return store(d, name, content) })
	if err != nil {
		return out, err
	}
	out = Imported{Run: b.Run, Head: b.Head != nil, SHA256: hex.EncodeToString(sum.Sum(nil))}
	if o.Digest != "" && !strings.EqualFold(o.Digest, out.SHA256) {
		return out, fmt.Errorf("%w: its sha256 is %s, not the one given", ErrBundle, out.SHA256)
	}
	if _, err := h.runs.Stat(b.Run); !errors.Is(err, fs.ErrNotExist) {
		return out, errors.Join(err, fmt.Errorf("run %s is here already: %w", b.Run, fs.ErrExist))
	}
	err = h.accept(d, b, o, &out)
	return out, err
}

// store writes one entry durably. A name that leads to the same file as an
// earlier one, on a file system that ignores case, is refused.
func store(d *safefs.Dir, name string, content io.Reader) error {
	if dir := path.Dir(name); dir != "." {
		sub, err := d.Mkdir(dir)
		if err != nil {
			return err
		}
		defer sub.Close()
		d, name = sub, path.Base(name)
	}
	f, err := d.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.Copy(sink{f}, content); err != nil {
		return err
	}
	if err := safefs.Datasync(f); err != nil {
		return err
	}
	return d.Sync()
}

// sink has every write take safefs's route.
type sink struct{ f *os.File }

func (s sink) Write(p []byte) (int, error) { return safefs.Write(s.f, p) }

// accept checks what was unpacked and gives it its name. Without a run of that
// name its head means nothing, so the head may be there first.
func (h *Home) accept(d *safefs.Dir, b Bundle, o ImportOptions, out *Imported) error {
	r := &Run{ID: b.Run, home: h, dir: d}
	rep, err := r.sound(ledger.HeldHead(b.Head))
	if err == nil && rep.Records != b.Records {
		err = fmt.Errorf("the ledger has %d records, not %d", rep.Records, b.Records)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBundle, err)
	}
	s, err := r.Fold()
	if err != nil {
		return err
	}
	out.Records, out.End, out.Workspace = rep.Records, rep.End, s.Created.Workspace
	for _, name := range []string{"inbox", "rounds", "evidence"} {
		sub, err := d.Mkdir(name)
		if err != nil {
			return err
		}
		_ = sub.Close()
	}
	mark, err := json.Marshal(Origin{V: 1, SHA256: out.SHA256, Head: out.Head, ImportedAt: o.Now.UnixMilli()})
	if err != nil {
		return err
	}
	if err := d.WriteFile(originName, append(mark, '\n')); err != nil {
		return err
	}
	if err := h.remember(b, rep, o.Now); err != nil {
		return err
	}
	if err := h.runs.Rename(importing, b.Run); err != nil {
		return err
	}
	return h.runs.Sync()
}

// remember keeps the head that came along. If it knows the ledger's end it
// becomes one of this machine's boot, within which nothing can be added
// unnoticed; else it stays as lenient as it was where it came from.
func (h *Home) remember(b Bundle, rep ledger.Report, now time.Time) error {
	for _, n := range []string{b.Run + ".json", b.Run + ".json.live"} {
		if err := h.heads.RemoveAll(n); err != nil {
			return err
		}
	}
	if b.Head == nil {
		return nil
	}
	head := *b.Head
	if rep.Attested == rep.Records && head.Seq+uint64(len(head.Next)) >= rep.Records {
		head = head.Here()
	}
	// The other machine's clock may be wrong, and heads are told apart by it.
	head.UpdatedAt = now.UnixMilli()
	return h.head(b.Run).Save(head, true)
}

// Origin tells whether the run came in a bundle.
func (r *Run) Origin() (o Origin, imported bool, err error) {
	b, err := r.dir.ReadFile(originName, 1<<16)
	if errors.Is(err, fs.ErrNotExist) {
		return o, false, nil
	}
	if err != nil {
		return o, false, err
	}
	return o, true, json.Unmarshal(b, &o)
}

// ErrForeign is wrapped by every reason why a run that was imported cannot go
// on here.
var ErrForeign = errors.New("cannot go on on this machine")

// GoOn refuses to work on an imported run for which this machine lacks the
// workspace, or whose run.json names a program that this machine's own
// settings do not: only they may name one.
func (r *Run) GoOn(spec Spec, own config.Settings) error {
	_, imported, err := r.Origin()
	if err != nil || !imported {
		return err
	}
	if _, err := r.home.CheckWorkspace(spec.Workspace); err != nil {
		return fmt.Errorf("run %s was imported and %w: its workspace is needed: %w", r.ID, ErrForeign, err)
	}
	for name, p := range spec.Settings.Agents {
		if !starts(p, own.Agents[name]) {
			return fmt.Errorf("run %s was imported and %w: it names the program %q as agent %q, and %s here does not",
				r.ID, ErrForeign, strings.Join(p.Command, " "), name, SettingsName)
		}
	}
	if n := spec.Settings.Notify; len(n) > 0 && !slices.Equal(n, own.Notify) {
		return fmt.Errorf("run %s was imported and %w: it names the program %q as notify_command, and %s here does not",
			r.ID, ErrForeign, strings.Join(n, " "), SettingsName)
	}
	return nil
}

// starts reports whether own starts the same program in the same way, and hands
// it as much of the environment.
func starts(p, own config.Program) bool {
	if len(p.Command) == 0 && len(p.Pass) == 0 {
		return true
	}
	return slices.Equal(p.Command, own.Command) && p.Prompt == own.Prompt && slices.Equal(p.Pass, own.Pass)
}
