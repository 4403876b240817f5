package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"longwatch/backend/safefs"
)

const maxOpenPacks = 32

// pack is one pack file. One whose index cannot be read stays, and its blobs
// count as missing.
type pack struct {
	name   string
	size   int64
	damage error
}

// blobs finds and reads content. It is not safe for concurrent use, except
// for has while nothing is added.
type blobs struct {
	dir    *safefs.Dir
	packs  []pack
	index  map[hash]place
	next   int // the number of the next pack
	open   map[int]*os.File
	dec    *zstd.Decoder
	stored []byte
	out    []byte
}

var packName = regexp.MustCompile(`^([0-9]{6,12})-[a-z0-9]{8}\.pack$`)

func openBlobs(dir *safefs.Dir) (blobs, error) {
	// The cap limit makes a blob that unpacks to more than it says an error.
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return blobs{}, err
	}
	b := blobs{dir: dir, index: map[hash]place{}, next: 1, open: map[int]*os.File{}, dec: dec}
	names, err := dir.Names()
	if err != nil {
		return b, err
	}
	// The names sort by age, so the newest copy of a blob is the one used.
	for _, name := range names {
		if m := packName.FindStringSubmatch(name); m != nil {
			if err := b.load(name); err != nil {
				return b, err
			}
			n, _ := strconv.Atoi(m[1])
			b.next = max(b.next, n+1)
		}
	}
	if slices.ContainsFunc(b.packs, func(p pack) bool { return p.damage != nil }) {
		b.forgetBroken()
	}
	return b, nil
}

// forgetBroken drops large files of which a piece is missing, so that the
// next Save that meets them stores them anew.
func (b *blobs) forgetBroken() {
	for h := range b.index {
		if !b.whole(h) {
			delete(b.index, h)
		}
	}
}

func (b *blobs) load(name string) error {
	f, err := b.dir.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	entries, err := readIndex(f, info.Size())
	if err != nil && !errors.Is(err, ErrDamaged) {
		return fmt.Errorf("read %s: %w", name, err)
	}
	b.packs = append(b.packs, pack{name, info.Size(), err})
	b.add(entries)
	return nil
}

// add makes the blobs of the last pack known.
func (b *blobs) add(entries []indexEntry) {
	for _, e := range entries {
		e.place.pack = len(b.packs) - 1
		b.index[e.hash] = e.place
	}
}

func (b *blobs) close() {
	for _, f := range b.open {
		_ = f.Close()
	}
	b.open = map[int]*os.File{}
	if b.dec != nil {
		b.dec.Close()
	}
}

func (b *blobs) has(h hash) bool {
	_, ok := b.index[h]
	return ok
}

// whole reports whether the content h, with all its pieces, is here.
func (b *blobs) whole(h hash) bool {
	p, ok := b.index[h]
	if !ok || p.kind != chunks {
		return ok
	}
	list, err := b.list(p)
	if err != nil {
		return false
	}
	for _, h := range list {
		if !b.has(h) {
			return false
		}
	}
	return true
}

func (b *blobs) size() int64 {
	var n int64
	for _, p := range b.packs {
		n += p.size
	}
	return n
}

func (b *blobs) file(n int) (*os.File, error) {
	if f := b.open[n]; f != nil {
		return f, nil
	}
	if len(b.open) >= maxOpenPacks {
		for i, f := range b.open {
			_ = f.Close()
			delete(b.open, i)
		}
	}
	f, err := b.dir.Open(b.packs[n].name)
	if err == nil {
		b.open[n] = f
	}
	return f, err
}

// bytes are a blob's stored bytes, valid until the next call.
func (b *blobs) bytes(p place) ([]byte, error) {
	f, err := b.file(p.pack)
	if err != nil {
		return nil, err
	}
	if cap(b.stored) < int(p.stored) {
		b.stored = make([]byte, p.stored)
	}
	out := b.stored[:p.stored]
	return out, readAt(f, out, p.off)
}

func (b *blobs) list(p place) ([]hash, error) {
	data, err := b.bytes(p)
	if err != nil {
		return nil, err
	}
	out := make([]hash, len(data)/32)
	for i := range out {
		out[i] = hash(data[32*i:])
	}
	return out, nil
}

// piece is the checked content of a blob that is not a list, valid until the
// next call.
func (b *blobs) piece(h hash) ([]byte, error) {
	p, ok := b.index[h]
	if !ok || p.kind == chunks {
		return nil, fmt.Errorf("%w: content %x is missing", ErrDamaged, h[:8])
	}
	data, err := b.bytes(p)
	if err != nil {
		return nil, err
	}
	if p.kind == packed {
		if cap(b.out) < int(p.length) {
			b.out = make([]byte, 0, max(int(p.length), 1<<16))
		}
		if data, err = b.dec.DecodeAll(data, b.out[:0:p.length]); err != nil {
			return nil, fmt.Errorf("%w: content %x: %v", ErrDamaged, h[:8], err)
		}
	}
	if sha256.Sum256(data) != h {
		return nil, fmt.Errorf("%w: content %x is another", ErrDamaged, h[:8])
	}
	return data, nil
}

// each gives the content h in pieces. Only if it returns nil were they the
// whole content: what a caller did with the pieces must be undone otherwise.
func (b *blobs) each(h hash, do func([]byte) error) error {
	p, ok := b.index[h]
	if !ok || p.kind != chunks {
		data, err := b.piece(h)
		if err != nil {
			return err
		}
		return do(data)
	}
	list, err := b.list(p)
	if err != nil {
		return err
	}
	sum := sha256.New()
	for _, c := range list {
		data, err := b.piece(c)
		if err != nil {
			return err
		}
		sum.Write(data)
		if err := do(data); err != nil {
			return err
		}
	}
	if !bytes.Equal(sum.Sum(nil), h[:]) {
		return fmt.Errorf("%w: content %x is put together wrongly", ErrDamaged, h[:8])
	}
	return nil
}

var idForm = regexp.MustCompile(`^[0-9]{6,12}-[a-z0-9]{8}$`)

func validID(id string) bool { return idForm.MatchString(id) }

func sequence(id string) int {
	digits, _, _ := strings.Cut(id, "-")
	n, _ := strconv.Atoi(digits)
	return n
}
