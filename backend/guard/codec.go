package guard

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
)

// The saved form: magic, header, entries with their paths front-coded against
// the one before, and the SHA-256 of all that. Equal manifests have equal
// bytes.
const (
	manifestMagic = "longwatch manifest 1\n"

	maxLoadEntries = 1 << 24
	maxPathSuffix  = 64 << 10
	maxLink        = 64 << 10
	maxErr         = 1 << 10

	flagUnstable = 1 << 0
	flagHash     = 1 << 1
	flagKnown    = flagUnstable | flagHash
)

// ErrCorrupt is wrapped by LoadManifest for anything Save would not write.
var ErrCorrupt = errors.New("manifest is damaged")

// Save writes the manifest in a compact form that LoadManifest checks.
func (m *Manifest) Save(w io.Writer) error {
	sum := sha256.New()
	bw := bufio.NewWriterSize(io.MultiWriter(w, sum), 64<<10)
	b := []byte(manifestMagic)
	for _, v := range []int64{m.Start, m.Files, m.Hashed, m.Bytes} {
		b = binary.AppendVarint(b, v)
	}
	b = binary.AppendUvarint(b, uint64(len(m.Entries)))
	prev := ""
	for i, e := range m.Entries {
		shared := sharedPrefix(prev, e.Path)
		if i > 0 && e.Path <= prev || len(e.Path)-shared > maxPathSuffix || !e.savable() {
			return fmt.Errorf("save manifest: entry %q cannot be stored", e.Path)
		}
		b = e.append(b, shared)
		if _, err := bw.Write(b); err != nil {
			return fmt.Errorf("save manifest: %w", err)
		}
		b, prev = b[:0], e.Path
	}
	_, _ = bw.Write(b) // not empty only without entries; Flush has the error
	if err := bw.Flush(); err != nil {
		return fmt.Errorf("save manifest: %w", err)
	}
	if _, err := w.Write(sum.Sum(nil)); err != nil {
		return fmt.Errorf("save manifest: %w", err)
	}
	return nil
}

func (e *Entry) savable() bool {
	return validPath(e.Path) && len(e.Link) <= maxLink && len(e.Err) <= maxErr && e.Size >= 0
}

func (e *Entry) append(b []byte, shared int) []byte {
	var flags byte
	if e.Unstable {
		flags |= flagUnstable
	}
	if e.Hash != [32]byte{} {
		flags |= flagHash
	}
	b = binary.AppendUvarint(b, uint64(shared))
	b = appendText(b, e.Path[shared:])
	b = append(b, flags)
	for _, v := range []uint64{uint64(e.Mode), uint64(e.Nlink), uint64(e.UID), uint64(e.GID), uint64(e.Size), e.Ino} {
		b = binary.AppendUvarint(b, v)
	}
	b = binary.AppendVarint(b, e.Mtime)
	b = binary.AppendVarint(b, e.Ctime-e.Mtime) // wraps, and wraps back
	if flags&flagHash != 0 {
		b = append(b, e.Hash[:]...)
	}
	b = appendText(b, e.Link)
	return appendText(b, e.Err)
}

func sharedPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// LoadManifest reads what Save wrote, and nothing else: it checks the digest,
// the order, every path and every length, and holds no more memory than the
// bytes really read can fill. Errors wrap ErrCorrupt or are the reader's own.
func LoadManifest(r io.Reader) (*Manifest, error) {
	l := &loader{r: bufio.NewReaderSize(r, 64<<10), sum: sha256.New()}
	m := l.manifest()
	if l.err != nil {
		return nil, fmt.Errorf("load manifest: %w", l.err)
	}
	return m, nil
}

// loader keeps the first error; after it every read gives zero.
type loader struct {
	r         *bufio.Reader
	sum       hash.Hash
	read      []byte // not yet in sum
	err       error
	pathBytes int
}

func (l *loader) manifest() *Manifest {
	if string(l.bytes(len(manifestMagic))) != manifestMagic {
		l.fail("it does not start like one")
		return nil
	}
	m := &Manifest{Start: l.varint(), Files: l.varint(), Hashed: l.varint(), Bytes: l.varint()}
	n := l.uvarint(maxLoadEntries)
	m.Entries = make([]*Entry, 0, min(n, 1024))
	prev := ""
	for i := uint64(0); i < n && l.err == nil; i++ {
		e := l.entry(prev)
		if i > 0 && e.Path <= prev {
			l.fail("paths out of order")
		}
		prev = e.Path
		m.Entries = append(m.Entries, e)
	}
	l.sum.Write(l.read)
	want := l.sum.Sum(nil)
	if got := l.bytes(sha256.Size); l.err == nil && !bytes.Equal(got, want) {
		l.fail("digest differs")
	}
	if _, err := l.r.ReadByte(); l.err == nil && !errors.Is(err, io.EOF) {
		l.fail("more bytes after its end")
	}
	return m
}

func (l *loader) entry(prev string) *Entry {
	shared := l.uvarint(uint64(len(prev)))
	e := &Entry{Path: prev[:shared] + l.text(maxPathSuffix)}
	l.pathBytes += len(e.Path)
	if !validPath(e.Path) || l.pathBytes > maxPathBytes {
		l.fail("impossible path")
	}
	flags := l.byte()
	if flags&^flagKnown != 0 {
		l.fail("unknown flag")
	}
	e.Unstable = flags&flagUnstable != 0
	e.Mode, e.Nlink = l.uint32(), l.uint32()
	e.UID, e.GID = l.uint32(), l.uint32()
	e.Size, e.Ino = int64(l.uvarint(1<<63-1)), l.uvarint(1<<64-1)
	e.Mtime = l.varint()
	e.Ctime = e.Mtime + l.varint()
	if flags&flagHash != 0 {
		if copy(e.Hash[:], l.bytes(len(e.Hash))); e.Hash == [32]byte{} {
			l.fail("empty hash")
		}
	}
	e.Link, e.Err = l.text(maxLink), l.text(maxErr)
	return e
}

func (l *loader) fail(why string) {
	if l.err == nil {
		l.err = fmt.Errorf("%w: %s", ErrCorrupt, why)
	}
}

func (l *loader) broken(err error) {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		l.fail("it ends too early")
	} else if l.err == nil {
		l.err = err
	}
}

// bytes reads exactly n, which the caller has bounded.
func (l *loader) bytes(n int) []byte {
	b := make([]byte, n)
	if l.err != nil {
		return b
	}
	if _, err := io.ReadFull(l.r, b); err != nil {
		l.broken(err)
	}
	l.note(b...)
	return b
}

func (l *loader) byte() byte {
	if l.err != nil {
		return 0
	}
	b, err := l.r.ReadByte()
	if err != nil {
		l.broken(err)
	}
	l.note(b)
	return b
}

// note adds to the digest, in pieces worth a call.
func (l *loader) note(b ...byte) {
	l.read = append(l.read, b...)
	if len(l.read) >= 4096 {
		l.sum.Write(l.read)
		l.read = l.read[:0]
	}
}

func (l *loader) text(limit uint64) string { return string(l.bytes(int(l.uvarint(limit)))) }

func (l *loader) uint32() uint32 { return uint32(l.uvarint(1<<32 - 1)) }

func (l *loader) varint() int64 {
	u := l.uvarint(1<<64 - 1)
	return int64(u>>1) ^ -int64(u&1)
}

// uvarint refuses values over limit and spellings longer than needed, so that
// one manifest has one encoding.
func (l *loader) uvarint(limit uint64) uint64 {
	var v uint64
	for shift := 0; l.err == nil; shift += 7 {
		b := l.byte()
		if shift == 63 && b > 1 || shift > 0 && b == 0 {
			l.fail("bad number")
			break
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			break
		}
	}
	if v > limit {
		l.fail("absurd length or value")
	}
	if l.err != nil {
		return 0
	}
	return v
}
