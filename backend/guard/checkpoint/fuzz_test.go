package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

// FuzzReadIndex: what is read lies inside the pack.
func FuzzReadIndex(f *testing.F) {
	p := newPlace(f, Options{})
	p.write(f, "a", noise(1, 100))
	p.write(f, "big", string(make([]byte, chunkSize+1)))
	p.save(f)
	seed, err := os.ReadFile(p.packNames(f)[0])
	check(f, err)
	f.Add(seed, false)
	f.Add(seed, true)
	f.Add(seed[:len(seed)-1], false)
	f.Fuzz(func(t *testing.T, b []byte, mend bool) {
		if n := len(b); mend && n >= footerSize {
			foot := b[n-footerSize:]
			if off := binary.LittleEndian.Uint64(foot); off < uint64(n-footerSize) {
				sum := castagnoli(b[off:n-footerSize], foot[:12])
				binary.LittleEndian.PutUint32(foot[12:], sum)
			}
		}
		entries, err := readIndex(bytes.NewReader(b), int64(len(b)))
		if err == nil && len(entries) == 0 {
			t.Fatal("an empty pack was accepted")
		}
		for _, e := range entries {
			if e.place.off < 0 || e.place.off+int64(e.place.stored) > int64(len(b)) || e.place.length > chunkSize {
				t.Fatalf("outside of the pack: %+v", e)
			}
		}
	})
}

// FuzzDecodePoint gets at what lies behind the digest: it is always right.
func FuzzDecodePoint(f *testing.F) {
	p := newPlace(f, Options{})
	p.write(f, "a", "1")
	c := p.save(f)
	file, err := os.ReadFile(filepath.Join(p.dir, "store/checkpoints", c.ID))
	check(f, err)
	dec, err := zstd.NewReader(nil)
	check(f, err)
	defer dec.Close()
	plain, err := dec.DecodeAll(file[len(pointMagic):len(file)-32], nil)
	check(f, err)
	f.Add(plain, false)
	f.Add(file[len(pointMagic):len(file)-32], true)
	f.Add([]byte{}, false)
	f.Fuzz(func(t *testing.T, b []byte, packed bool) {
		if !packed {
			enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
			check(t, err)
			b = enc.EncodeAll(b, nil)
		}
		data := append([]byte(pointMagic), b...)
		sum := sha256.Sum256(data)
		point, err := decodePoint(c.ID, append(data, sum[:]...))
		if err != nil {
			return
		}
		again, err := encodePoint(point)
		check(t, err)
		other, err := decodePoint(c.ID, again)
		check(t, err)
		if diff := cmp.Diff(point.manifest, other.manifest); diff != "" {
			t.Fatalf("it does not survive being written:\n%s", diff)
		}
	})
}

// FuzzDecodeAttributes: what is accepted has exactly this spelling.
func FuzzDecodeAttributes(f *testing.F) {
	f.Add(attributes{"a": {{"user.x", []byte("1")}, {"user.y", nil}}, "b/\xff": {{"user.x", []byte{0}}}}.encode())
	f.Add(attributes{}.encode())
	f.Add([]byte{1, 1, 'a', 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := decodeAttributes(b)
		if err == nil && !bytes.Equal(a.encode(), b) {
			t.Fatalf("%x was accepted and is written %x", b, a.encode())
		}
	})
}
