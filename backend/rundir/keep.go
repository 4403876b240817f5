package rundir

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"strings"
)

// roundName is where the texts of a round are kept for people to read: a folder
// of this name while the round is open, and .md and .gz of it when it is closed.
// Small texts are in the ledger too, so these are copies; a text too long for
// its record is kept durably before the record names it.
func roundName(n int) string { return fmt.Sprintf("rounds/%03d", n) }

// Keep writes one text of a round and returns its name under the run folder.
func (r *Run) Keep(round int, name, text string, durable bool) (string, error) {
	d, err := r.dir.Sub(roundName(round))
	if errors.Is(err, fs.ErrNotExist) {
		d, err = r.dir.Mkdir(roundName(round))
	}
	if err != nil {
		return "", err
	}
	defer d.Close()
	write := d.WriteCache
	if durable {
		write = d.WriteFile
	}
	file := roundName(round) + "/" + name
	return file, write(name, []byte(text))
}

// maxKept bounds one kept text when it is read back, in bytes.
const maxKept = 64 << 20

// Kept reads a text that a record names by file.
func (r *Run) Kept(file string) ([]byte, error) { return r.dir.ReadFile(file, maxKept) }

// Pack closes a round on disk: what was said becomes one readable file, prompts
// and traces one compressed file. Two small files a round instead of a dozen is
// what keeps long runs small; see docs/adr. Texts that records name by file
// stay where they are. It may be repeated after a crash.
func (r *Run) Pack(round int) error {
	dir := roundName(round)
	d, err := r.dir.Sub(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sweep(); err != nil {
		return err
	}
	names, err := d.Names()
	if err != nil {
		return err
	}
	sort.Slice(names, func(i, j int) bool { return rank(names[i]) < rank(names[j]) })
	var said, raw bytes.Buffer
	var packed []string
	for _, n := range names {
		b, err := d.ReadFile(n, maxKept)
		if err != nil {
			return err
		}
		if len(b) > stays && strings.HasSuffix(n, ".md") {
			continue
		}
		into := &raw
		if strings.HasSuffix(n, ".md") {
			into = &said
		}
		fmt.Fprintf(into, "===== %s\n\n%s\n\n", n, bytes.TrimRight(b, "\n"))
		packed = append(packed, n)
	}
	if err := r.writePacked(dir, said.Bytes(), raw.Bytes()); err != nil {
		return err
	}
	for _, n := range packed {
		if err := d.Remove(n); err != nil {
			return err
		}
	}
	if len(packed) == len(names) {
		return r.dir.RemoveAll(dir)
	}
	return nil
}

// stays is the size above which a text is named by its record's file.
const stays = 6 << 10

func rank(name string) string {
	for i, p := range []string{"plan", "execut", "report", "final", "reply"} {
		if strings.HasPrefix(name, p) {
			return fmt.Sprint(i) + name
		}
	}
	return "9" + name
}

// writePacked adds to what is packed already: a reply may be written after its
// round was closed. Compressed members that follow each other are one file.
func (r *Run) writePacked(dir string, said, raw []byte) error {
	if len(said) > 0 {
		if err := r.add(dir+".md", said); err != nil {
			return err
		}
	}
	if len(raw) == 0 {
		return nil
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	if _, err := w.Write(raw); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return r.add(dir+".gz", z.Bytes())
}

func (r *Run) add(name string, data []byte) error {
	old, err := r.dir.ReadFile(name, maxKept)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return r.dir.WriteCache(name, append(old, data...))
}

// manifestName is a cache of the workspace as it was last seen; the ledger
// holds its digest.
const manifestName = "manifest"

// Manifest reads the kept manifest of the workspace.
func (r *Run) Manifest() ([]byte, error) { return r.dir.ReadFile(manifestName, 1<<30) }

// SaveManifest keeps it.
func (r *Run) SaveManifest(b []byte) error { return r.dir.WriteCache(manifestName, b) }
