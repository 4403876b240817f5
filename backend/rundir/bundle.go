package rundir

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"time"

	"longwatch/backend/ledger"
	"longwatch/backend/run"
	"longwatch/backend/safefs"
)

// A bundle is a whole run in one file, to be moved to another machine: a
// gzipped tar of the run's folder without what only means something where it
// was, and the remembered end of its ledger as head.json.

// headEntry is the name of the ledger's remembered end in a bundle.
const headEntry = "head.json"

// Limits of a bundle that is read.
const (
	maxEntries = 1 << 20
	maxBundle  = 16 << 30 // bytes, unpacked
)

// ErrBundle is wrapped by every refusal of a bundle.
var ErrBundle = errors.New("not a bundle of a run")

// bundled says which names of a run's folder travel.
func bundled(name string) bool {
	top, _, below := strings.Cut(name, "/")
	switch top {
	case specName, taskName, ledgerName, "ledger.torn":
		return !below
	case "rounds", "evidence", "checkpoints":
		return below
	}
	return false
}

// Export writes the run as a bundle. The caller sees to it that no worker has
// the run. Without the head the bundle's reader cannot tell whether the end was
// cut off.
func (r *Run) Export(w io.Writer, withHead bool) error {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	if withHead {
		if err := r.exportHead(t); err != nil {
			return err
		}
	}
	if err := r.exportFolder(t, r.dir, ""); err != nil {
		return err
	}
	return errors.Join(t.Close(), z.Close())
}

func (r *Run) exportHead(t *tar.Writer) error {
	head, ok, err := r.Head().Load()
	if err != nil || !ok {
		return err
	}
	b, err := json.Marshal(head)
	if err != nil {
		return err
	}
	if err := t.WriteHeader(&tar.Header{Name: headEntry, Mode: 0o600, Size: int64(len(b)), ModTime: time.Unix(0, 0)}); err != nil {
		return err
	}
	_, err = t.Write(b)
	return err
}

func (r *Run) exportFolder(t *tar.Writer, d *safefs.Dir, at string) error {
	names, err := d.Names()
	if err != nil {
		return err
	}
	for _, n := range names {
		name := path.Join(at, n)
		info, err := d.Stat(n)
		switch {
		case err != nil:
			return err
		case info.IsDir() && bundled(name+"/"):
			sub, err := d.Sub(n)
			if err != nil {
				return err
			}
			if err := errors.Join(r.exportFolder(t, sub, name), sub.Close()); err != nil {
				return err
			}
		case info.Mode().IsRegular() && bundled(name):
			if err := exportFile(t, d, n, name, info); err != nil {
				return err
			}
		}
	}
	return nil
}

func exportFile(t *tar.Writer, d *safefs.Dir, base, name string, info fs.FileInfo) error {
	f, err := d.Open(base)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: info.Size(), ModTime: info.ModTime()}); err != nil {
		return err
	}
	if _, err := io.Copy(t, f); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// runID is what an id of ours looks like.
var runID = regexp.MustCompile(`^\d{8}-\d{6}-[0-9a-f]{4}$`)

// Import makes a run of a bundle. It is there whole and verified, or not at
// all: a broken ledger, a run.json or task.md that is not the one record 1
// names, a name that leaves the folder, a link, a name twice, or a run that is
// here already are refused.
func (h *Home) Import(r io.Reader) (*Run, ledger.Report, error) {
	var rep ledger.Report
	building := ".new-import-" + NewCommandID()
	d, err := h.runs.Mkdir(building)
	if err != nil {
		return nil, rep, err
	}
	defer d.Close()
	id, rep, err := h.unpack(d, r)
	if err == nil {
		err = h.runs.Rename(building, id)
	}
	if err != nil {
		return nil, rep, errors.Join(err, h.runs.RemoveAll(building))
	}
	if err := h.runs.Sync(); err != nil {
		return nil, rep, err
	}
	run, err := h.Open(id)
	return run, rep, err
}

func (h *Home) unpack(d *safefs.Dir, r io.Reader) (id string, rep ledger.Report, err error) {
	head, err := readBundle(d, r)
	if err != nil {
		return "", rep, err
	}
	if rep, err = ledger.Verify(d, ledgerName, head.store()); err != nil {
		return "", rep, fmt.Errorf("%w: %w", ErrBundle, err)
	}
	if b := rep.Broken; b != nil {
		return "", rep, fmt.Errorf("the ledger in the bundle is broken at record %d: %s", b.Seq, b.Why)
	}
	if id, err = identify(d); err != nil {
		return "", rep, err
	}
	if _, err := h.runs.Stat(id); err == nil {
		return "", rep, fmt.Errorf("run %s: %w", id, fs.ErrExist)
	}
	for _, name := range []string{"inbox", "rounds", "evidence"} {
		sub, err := d.Mkdir(name)
		if err != nil {
			return "", rep, err
		}
		if err := sub.Close(); err != nil {
			return "", rep, err
		}
	}
	if head.there {
		err = h.head(id).Save(head.head, true)
	}
	return id, rep, err
}

// identify folds the ledger and holds run.json and task.md against record 1.
func identify(d *safefs.Dir) (string, error) {
	r := &Run{dir: d}
	s, err := r.Fold()
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrBundle, err)
	}
	if !runID.MatchString(s.Created.Run) {
		return "", fmt.Errorf("%w: %q is no run's id", ErrBundle, s.Created.Run)
	}
	if err := both(r, s.Created); err != nil {
		return "", fmt.Errorf("%w: %w", ErrBundle, err)
	}
	return s.Created.Run, nil
}

func both(r *Run, first run.Created) error {
	_, err := r.Spec(first)
	if err == nil {
		_, err = r.Task(first)
	}
	return err
}

// bundleHead is the end a bundle remembers; it keeps nothing.
type bundleHead struct {
	head  ledger.Head
	there bool
}

func (b bundleHead) Load() (ledger.Head, bool, error) { return b.head, b.there, nil }
func (b bundleHead) Save(ledger.Head, bool) error     { return nil }

func (b bundleHead) store() ledger.HeadStore {
	if !b.there {
		return nil
	}
	return b
}

func readBundle(d *safefs.Dir, r io.Reader) (bundleHead, error) {
	var head bundleHead
	z, err := gzip.NewReader(r)
	if err != nil {
		return head, fmt.Errorf("%w: %w", ErrBundle, err)
	}
	t := tar.NewReader(z)
	left := int64(maxBundle)
	for range maxEntries {
		e, err := t.Next()
		if errors.Is(err, io.EOF) {
			return head, nil
		}
		if err != nil {
			return head, fmt.Errorf("%w: %w", ErrBundle, err)
		}
		if left -= e.Size; e.Size < 0 || left < 0 {
			return head, fmt.Errorf("%w: it holds more than %d GiB", ErrBundle, maxBundle>>30)
		}
		switch {
		case e.Typeflag != tar.TypeReg || e.Name != path.Clean(e.Name):
			err = fmt.Errorf("%w: %q is not a plain file of a run", ErrBundle, e.Name)
		case e.Name == headEntry:
			err = head.read(t, e.Size)
		case bundled(e.Name):
			err = place(d, e.Name, t)
		default:
			err = fmt.Errorf("%w: %q is not a file of a run", ErrBundle, e.Name)
		}
		if err != nil {
			return head, err
		}
	}
	return head, fmt.Errorf("%w: it has more than %d entries", ErrBundle, maxEntries)
}

func (b *bundleHead) read(r io.Reader, size int64) error {
	if b.there || size > 1<<20 {
		return fmt.Errorf("%w: %s is there twice or too large", ErrBundle, headEntry)
	}
	if err := json.NewDecoder(r).Decode(&b.head); err != nil || b.head.Seq == 0 {
		return fmt.Errorf("%w: %s cannot be read", ErrBundle, headEntry)
	}
	b.there = true
	return nil
}

// place writes one entry. A name that is there already is refused, so none can
// come twice.
func place(d *safefs.Dir, name string, r io.Reader) error {
	at, base := d, name
	if dir, file := path.Split(name); dir != "" {
		sub, err := d.Mkdir(strings.TrimSuffix(dir, "/"))
		if err != nil {
			return fmt.Errorf("%w: %q: %w", ErrBundle, name, err)
		}
		defer sub.Close()
		at, base = sub, file
	}
	f, err := at.Create(base)
	if err != nil {
		return fmt.Errorf("%w: %q: %w", ErrBundle, name, err)
	}
	_, err = io.Copy(writer{f}, r)
	if err == nil {
		err = safefs.Datasync(f)
	}
	return errors.Join(err, f.Close())
}

// writer sends what is copied through safefs.
type writer struct{ f *os.File }

func (w writer) Write(p []byte) (int, error) { return safefs.Write(w.f, p) }
