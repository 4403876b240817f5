package rundir

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"longwatch/backend/ledger"
	"longwatch/backend/safefs"
)

// ExportOptions say what goes into a bundle beside the run itself.
type ExportOptions struct {
	NoHead  bool // the end is then unattested on the other machine
	Version string
	Now     time.Time
}

// Exported is what an export wrote.
type Exported struct {
	Run     string `json:"run"`
	Records uint64 `json:"records"`
	Files   int    `json:"files"`
	Bytes   int64  `json:"bytes"` // of the files, before compression
	Head    bool   `json:"head"`
	End     string `json:"end"` // as ledger.Report says it
}

// Export writes the whole run to w. No worker can take the run meanwhile, and a
// run that has one is refused with [safefs.ErrHeld]: a bundle is of one moment,
// at which nothing was going on. A run whose records are broken, or which lacks
// a text that they name, is refused: nobody could import it.
func (r *Run) Export(w io.Writer, o ExportOptions) (out Exported, err error) {
	lease, err := r.Lease()
	if errors.Is(err, safefs.ErrHeld) {
		return out, fmt.Errorf("run %s is at work; stop it first: %w", r.ID, err)
	}
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, lease.Release()) }()
	rep, err := r.sound(r.Head())
	if err != nil {
		return out, fmt.Errorf("run %s: %w", r.ID, err)
	}
	b := Bundle{V: BundleVersion, Run: r.ID, Records: rep.Records, ExportedAt: o.Now.UnixMilli(), Version: o.Version}
	head, there, err := r.Head().Load()
	if err != nil {
		return out, err
	}
	if there && !o.NoHead {
		b.Head = &head
	}
	out = Exported{Run: r.ID, Records: rep.Records, Head: b.Head != nil, End: rep.End}
	if b.Head == nil {
		out.End = ledger.EndUnattested
	}
	p := newPacking(w, b.ExportedAt)
	if err := p.run(r.dir, b); err != nil {
		return out, fmt.Errorf("run %s: %w", r.ID, err)
	}
	out.Files, out.Bytes = p.files, p.bytes
	return out, nil
}

// packing writes one bundle.
type packing struct {
	z     *gzip.Writer
	t     *tar.Writer
	at    time.Time
	files int
	bytes int64
}

func newPacking(w io.Writer, at int64) *packing {
	z := gzip.NewWriter(w)
	return &packing{z: z, t: tar.NewWriter(z), at: time.UnixMilli(at).Truncate(time.Second)}
}

func (p *packing) run(d *safefs.Dir, b Bundle) error {
	heading, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	if err := p.header(bundleName, int64(len(heading))); err != nil {
		return err
	}
	if _, err := p.t.Write(heading); err != nil {
		return err
	}
	if err := p.folder(d, ""); err != nil {
		return err
	}
	return errors.Join(p.t.Close(), p.z.Close())
}

func (p *packing) header(name string, size int64) error {
	return p.t.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: p.at, Format: tar.FormatPAX,
	})
}

// folder adds what a bundle carries of a folder. Hidden names are files that
// were being written when their writer died.
func (p *packing) folder(d *safefs.Dir, under string) error {
	names, err := d.Names()
	if err != nil {
		return err
	}
	for _, n := range names {
		name := path.Join(under, n)
		if err := p.entry(d, n, name); err != nil {
			return err
		}
	}
	return nil
}

func (p *packing) entry(d *safefs.Dir, n, name string) error {
	st, err := d.Stat(n)
	if err != nil {
		return err
	}
	if st.IsDir() {
		if !strings.Contains(name, "/") && !carried[name+"/"] {
			return nil
		}
		sub, err := d.Sub(n)
		if err != nil {
			return err
		}
		defer sub.Close()
		return p.folder(sub, name)
	}
	if carries(name) != "" {
		return nil
	}
	return p.file(d, n, name)
}

// file adds one file. Open refuses links and everything else that is no file.
func (p *packing) file(d *safefs.Dir, n, name string) error {
	f, err := d.Open(n)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if err := p.header(bundleRoot+name, st.Size()); err != nil {
		return err
	}
	if _, err := io.CopyN(p.t, f, st.Size()); err != nil {
		return &fs.PathError{Op: "read", Path: name, Err: err}
	}
	p.files++
	p.bytes += st.Size()
	return nil
}
