package rundir

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"longwatch/backend/ledger"
)

// Bundle is the first entry of a bundle: whose run the others are.
type Bundle struct {
	V          int          `json:"v"`
	Run        string       `json:"run"`
	Records    uint64       `json:"records"`
	Head       *ledger.Head `json:"head,omitempty"` // absent: the end is unattested
	ExportedAt int64        `json:"exported_at"`
	Version    string       `json:"version"`
}

// BundleVersion is the version this code writes and reads.
const BundleVersion = 1

// ErrBundle is wrapped by every reason why a file cannot be imported.
var ErrBundle = errors.New("not a bundle that can be imported")

// Names and bounds of a bundle.
const (
	bundleName  = "bundle.json"
	bundleRoot  = "run/"
	maxBundled  = 1 << 20   // entries
	maxHeading  = 4 << 20   // bytes of bundle.json
	maxOneEntry = 8 << 30   // bytes of any other entry
	maxNameLen  = 1024      // bytes of an entry's name
	maxPartLen  = 255       // bytes of one part of it
	maxTail     = 512 << 10 // zeros after the archive's end
)

// carried are the entries of a run's folder that a bundle holds; a final slash
// is a folder with all that is in it. Left out are caches that would have to
// be believed, what is about this machine, and commands nobody took yet.
var carried = map[string]bool{
	specName: true, taskName: true, ledgerName: true, "ledger.torn": true, manifestName: true,
	"rounds/": true, "evidence/": true, "checkpoints/": true,
}

// carries says why an entry's name, relative to the run's folder, is not one
// that a bundle may hold; empty if it is.
func carries(name string) string {
	top, rest, below := strings.Cut(name, "/")
	if below {
		top += "/"
	}
	switch {
	case len(name) > maxNameLen, !utf8.ValidString(name):
		return "its name is too long or not UTF-8"
	case path.Clean(name) != name || path.IsAbs(name):
		return "its name leads elsewhere"
	case !carried[top]:
		return "it does not belong into a run's folder"
	case !below:
		return ""
	}
	for part := range strings.SplitSeq(rest, "/") {
		control := func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' }
		if strings.HasPrefix(part, ".") || len(part) > maxPartLen || strings.ContainsFunc(part, control) {
			return "its name is not one that Longwatch gives"
		}
	}
	return ""
}

// largest bounds an entry, in bytes.
func largest(name string) int64 {
	switch name {
	case specName:
		return maxSpec
	case taskName:
		return maxTask
	}
	return maxOneEntry
}

// unpacking reads one bundle.
type unpacking struct {
	limit int64 // bytes of all entries together
	put   func(name string, content io.Reader) error
	seen  map[string]bool
	used  int64
}

// unpack reads a bundle and hands every entry of the run to put, each name
// once. What put has when unpack fails must be thrown away.
func unpack(r io.Reader, limit int64, put func(name string, content io.Reader) error) (Bundle, error) {
	src := bufio.NewReader(r)
	z, err := gzip.NewReader(src)
	if err != nil {
		return Bundle{}, fmt.Errorf("%w: %w", ErrBundle, err)
	}
	defer z.Close()
	z.Multistream(false)
	u := &unpacking{limit: limit, put: put, seen: map[string]bool{}}
	t := tar.NewReader(z)
	b, err := u.heading(t)
	for err == nil {
		err = u.entry(t)
	}
	if !errors.Is(err, io.EOF) {
		return b, err
	}
	return b, ended(z, src)
}

func (u *unpacking) heading(t *tar.Reader) (Bundle, error) {
	var b Bundle
	h, err := t.Next()
	if err != nil || h.Name != bundleName || h.Typeflag != tar.TypeReg || h.Size > maxHeading {
		return b, fmt.Errorf("%w: it does not begin with %s", ErrBundle, bundleName)
	}
	data, err := io.ReadAll(t)
	if err != nil {
		return b, fmt.Errorf("%w: %w", ErrBundle, err)
	}
	if err := json.Unmarshal(data, &b); err != nil {
		return b, fmt.Errorf("%w: %s: %w", ErrBundle, bundleName, err)
	}
	switch {
	case b.V != BundleVersion:
		return b, fmt.Errorf("%w: it has version %d; this Longwatch reads version %d", ErrBundle, b.V, BundleVersion)
	case !validID(b.Run):
		return b, fmt.Errorf("%w: %q is not the id of a run", ErrBundle, b.Run)
	}
	return b, nil
}

// entry takes one entry; io.EOF after the last.
func (u *unpacking) entry(t *tar.Reader) error {
	h, err := t.Next()
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBundle, err)
	}
	refuse := func(why string) error { return fmt.Errorf("%w: entry %q: %s", ErrBundle, h.Name, why) }
	name, ours := strings.CutPrefix(h.Name, bundleRoot)
	switch why := carries(name); {
	case h.Typeflag != tar.TypeReg:
		return refuse("only plain files can be in a bundle")
	case !ours:
		return refuse("it does not belong into a run's folder")
	case why != "":
		return refuse(why)
	case u.seen[name]:
		return refuse("it is there twice")
	case len(u.seen) == maxBundled:
		return refuse("there are too many")
	case h.Size > largest(name):
		return refuse(fmt.Sprintf("it has %d bytes; at most %d can be", h.Size, largest(name)))
	case h.Size > u.limit-u.used:
		return refuse(fmt.Sprintf("the run is larger than %d bytes", u.limit))
	}
	u.seen[name] = true
	u.used += h.Size
	content := reading{t, h.Name}
	if err := u.put(name, content); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, content)
	return err
}

// reading tells what is wrong with the bundle from what is wrong where its
// content goes.
type reading struct {
	r    io.Reader
	name string
}

func (r reading) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: entry %q: %w", ErrBundle, r.name, err)
	}
	return n, err
}

// ended makes sure that nothing follows the archive: what nobody read, nobody
// judged. Reading on to the end also has gzip check its sum.
func ended(z *gzip.Reader, src *bufio.Reader) error {
	rest, err := io.ReadAll(io.LimitReader(z, maxTail))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBundle, err)
	}
	_, err = src.ReadByte()
	if len(rest) == maxTail || len(bytes.Trim(rest, "\x00")) > 0 || err == nil {
		return fmt.Errorf("%w: something follows its end", ErrBundle)
	}
	if !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: %w", ErrBundle, err)
	}
	return nil
}
