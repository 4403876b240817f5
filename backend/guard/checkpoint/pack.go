package checkpoint

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"
	"sync"

	"longwatch/backend/safefs"
)

// A pack is packMagic, the blobs one after the other, one index entry for
// each (hash 32, offset 8, stored length 4, raw length 4, kind 1), and a
// footer (index offset 8, entries 4, CRC-32C of index and these two 4, magic
// 4). Numbers are little endian. A pack is never changed.
const (
	packMagic   = "longwatch pack 1\n"
	footerMagic = "LWPI"
	entrySize   = 32 + 8 + 4 + 4 + 1
	footerSize  = 8 + 4 + 4 + 4

	chunkSize = 4 << 20  // larger files are stored in pieces of this size
	maxList   = 64 << 20 // bytes of a chunk list: files of 8 TiB
)

type hash = [32]byte

// kind is how a blob's bytes become content.
type kind byte

const (
	raw    kind = 0
	packed kind = 1 // zstd
	chunks kind = 2 // the hashes of the pieces of a large file, named by the hash of the whole
)

// place is where a blob is.
type place struct {
	pack   int // into blobs.packs
	off    int64
	stored uint32
	length uint32 // of the content; 0 for a chunk list
	kind   kind
}

type indexEntry struct {
	hash  hash
	place place
}

func castagnoli(b ...[]byte) uint32 {
	var sum uint32
	table := crc32.MakeTable(crc32.Castagnoli)
	for _, p := range b {
		sum = crc32.Update(sum, table, p)
	}
	return sum
}

// readIndex reads the index of a pack of size bytes, and accepts only what
// packWriter can have written. Errors wrap ErrDamaged or are the reader's.
func readIndex(r io.ReaderAt, size int64) ([]indexEntry, error) {
	if size < int64(len(packMagic)+entrySize+footerSize) {
		return nil, fmt.Errorf("%w: pack too short", ErrDamaged)
	}
	head, foot := make([]byte, len(packMagic)), make([]byte, footerSize)
	if err := readAt(r, head, 0); err != nil {
		return nil, err
	}
	if err := readAt(r, foot, size-footerSize); err != nil {
		return nil, err
	}
	if string(head) != packMagic || string(foot[16:]) != footerMagic {
		return nil, fmt.Errorf("%w: not a whole pack", ErrDamaged)
	}
	off, n := binary.LittleEndian.Uint64(foot), binary.LittleEndian.Uint32(foot[8:])
	if n == 0 || off > uint64(size) || off+uint64(n)*entrySize+footerSize != uint64(size) {
		return nil, fmt.Errorf("%w: pack index has an impossible length", ErrDamaged)
	}
	index := make([]byte, int(n)*entrySize)
	if err := readAt(r, index, int64(off)); err != nil {
		return nil, err
	}
	if castagnoli(index, foot[:12]) != binary.LittleEndian.Uint32(foot[12:]) {
		return nil, fmt.Errorf("%w: pack index has another checksum", ErrDamaged)
	}
	return parseIndex(index, int64(off))
}

func parseIndex(b []byte, end int64) ([]indexEntry, error) {
	out := make([]indexEntry, 0, len(b)/entrySize)
	seen := make(map[hash]bool, cap(out))
	next := int64(len(packMagic))
	for ; len(b) > 0; b = b[entrySize:] {
		e := indexEntry{hash: hash(b[:32]), place: place{
			off:    int64(binary.LittleEndian.Uint64(b[32:])),
			stored: binary.LittleEndian.Uint32(b[40:]),
			length: binary.LittleEndian.Uint32(b[44:]),
			kind:   kind(b[48]),
		}}
		if e.place.off != next || !e.place.possible() || seen[e.hash] {
			return nil, fmt.Errorf("%w: impossible pack index", ErrDamaged)
		}
		seen[e.hash] = true
		next += int64(e.place.stored)
		out = append(out, e)
	}
	if next != end {
		return nil, fmt.Errorf("%w: impossible pack index", ErrDamaged)
	}
	return out, nil
}

func (p place) possible() bool {
	switch p.kind {
	case raw:
		return p.stored == p.length && p.length <= chunkSize
	case packed:
		return p.stored < p.length && p.length <= chunkSize
	case chunks:
		return p.length == 0 && p.stored%32 == 0 && p.stored >= 64 && p.stored <= maxList
	}
	return false
}

// readAt reads all of b; the end of the file is damage.
func readAt(r io.ReaderAt, b []byte, off int64) error {
	n, err := r.ReadAt(b, off)
	if n == len(b) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: pack cut short", ErrDamaged)
	}
	return err
}

// packWriter makes one pack. Nothing is on disk before the first put, and
// nothing counts before commit.
type packWriter struct {
	dir   *safefs.Dir
	limit int64 // bytes the pack may have

	mu    sync.Mutex
	f     *os.File
	temp  string
	w     *bufio.Writer
	off   int64
	index []indexEntry
	have  map[hash]bool
}

var errLimit = errors.New("the pack would be over the budget")

// writer gives bufio the one route that writes take.
type writer struct{ f *os.File }

func (w writer) Write(p []byte) (int, error) { return safefs.Write(w.f, p) }

func (p *packWriter) holds(h hash) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.have[h]
}

// put adds a blob unless it is there already.
func (p *packWriter) put(h hash, k kind, data []byte, length int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.have[h] {
		return nil
	}
	if p.f == nil {
		if err := p.start(); err != nil {
			return err
		}
	}
	if p.off+int64(len(data)+(len(p.index)+1)*entrySize+footerSize) > p.limit {
		return errLimit
	}
	if _, err := p.w.Write(data); err != nil {
		return err
	}
	at := place{off: p.off, stored: uint32(len(data)), length: uint32(length), kind: k}
	p.index = append(p.index, indexEntry{h, at})
	p.have[h] = true
	p.off += int64(len(data))
	return nil
}

func (p *packWriter) start() error {
	temp := ".tmp-" + rand.Text()
	f, err := p.dir.Create(temp)
	if err != nil {
		return err
	}
	p.f, p.temp, p.have = f, temp, map[hash]bool{}
	p.w = bufio.NewWriterSize(writer{f}, 1<<20)
	p.off = int64(len(packMagic))
	_, err = p.w.WriteString(packMagic)
	return err
}

// commit makes the pack durable under its name, and returns its size. Without
// a blob there is no pack and the name is empty.
func (p *packWriter) commit(seq int) (name string, size int64, err error) {
	if p.f == nil {
		return "", 0, nil
	}
	if size, err = p.finish(); err != nil {
		return "", 0, err
	}
	name = fmt.Sprintf("%06d-%s.pack", seq, token())
	if err := p.dir.Rename(p.temp, name); err != nil {
		return "", 0, err
	}
	p.temp = ""
	return name, size, p.dir.Sync()
}

func (p *packWriter) finish() (int64, error) {
	var b []byte
	for _, e := range p.index {
		b = append(b, e.hash[:]...)
		b = binary.LittleEndian.AppendUint64(b, uint64(e.place.off))
		b = binary.LittleEndian.AppendUint32(b, e.place.stored)
		b = binary.LittleEndian.AppendUint32(b, e.place.length)
		b = append(b, byte(e.place.kind))
	}
	foot := binary.LittleEndian.AppendUint64(nil, uint64(p.off))
	foot = binary.LittleEndian.AppendUint32(foot, uint32(len(p.index)))
	foot = binary.LittleEndian.AppendUint32(foot, castagnoli(b, foot))
	foot = append(foot, footerMagic...)
	for _, part := range [][]byte{b, foot} {
		if _, err := p.w.Write(part); err != nil {
			return 0, err
		}
	}
	if err := p.w.Flush(); err != nil {
		return 0, err
	}
	return p.off + int64(len(b)+len(foot)), safefs.Datasync(p.f)
}

// close ends the writing, and removes what was not committed.
func (p *packWriter) close() error {
	if p.f == nil {
		return nil
	}
	err := p.f.Close()
	if p.temp != "" {
		err = errors.Join(err, p.dir.Remove(p.temp))
	}
	return err
}

// token is a random part of a name, so that a name is never used twice.
func token() string { return strings.ToLower(rand.Text()[:8]) }
