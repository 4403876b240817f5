package guard

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func saved(t interface{ Fatal(...any) }, m *Manifest) []byte {
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// genPath draws relative paths of arbitrary bytes.
func genPath() *rapid.Generator[string] {
	part := rapid.Custom(func(t *rapid.T) string {
		return string(rapid.SliceOfN(rapid.Byte(), 1, 12).Draw(t, "part"))
	})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(part, 1, 4).Draw(t, "parts"), "/")
	}).Filter(validPath)
}

func genEntry() *rapid.Generator[*Entry] {
	return rapid.Custom(func(t *rapid.T) *Entry {
		e := &Entry{
			Path: genPath().Draw(t, "path"), Mode: rapid.Uint32().Draw(t, "mode"),
			Nlink: rapid.Uint32().Draw(t, "nlink"), UID: rapid.Uint32().Draw(t, "uid"),
			GID: rapid.Uint32().Draw(t, "gid"), Size: rapid.Int64Min(0).Draw(t, "size"),
			Mtime: rapid.Int64().Draw(t, "mtime"), Ctime: rapid.Int64().Draw(t, "ctime"),
			Ino: rapid.Uint64().Draw(t, "ino"), Unstable: rapid.Bool().Draw(t, "unstable"),
			Link: string(rapid.SliceOf(rapid.Byte()).Draw(t, "link")), Err: rapid.String().Draw(t, "err"),
		}
		copy(e.Hash[:], rapid.SliceOfN(rapid.Byte(), 0, 32).Draw(t, "hash"))
		return e
	})
}

func TestLoadGivesBackWhatWasSaved(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &Manifest{
			Start: rapid.Int64().Draw(t, "start"), Files: rapid.Int64().Draw(t, "files"),
			Hashed: rapid.Int64().Draw(t, "hashed"), Bytes: rapid.Int64().Draw(t, "bytes"),
			Entries: rapid.SliceOfDistinct(genEntry(), func(e *Entry) string { return e.Path }).Draw(t, "entries"),
		}
		slices.SortFunc(m.Entries, func(a, b *Entry) int { return strings.Compare(a.Path, b.Path) })
		b := saved(t, m)
		got, err := LoadManifest(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, got); diff != "" {
			t.Fatalf("manifest (-want +got):\n%s", diff)
		}
		flipped := bytes.Clone(b)
		flipped[rapid.IntRange(0, len(b)-1).Draw(t, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		if _, err := LoadManifest(bytes.NewReader(flipped)); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("one bit flipped: %v, want ErrCorrupt", err)
		}
	})
}

func TestLoadRefusesWhatSaveWouldNotWrite(t *testing.T) {
	t.Parallel()
	good := saved(t, &Manifest{Entries: []*Entry{{Path: "a"}, {Path: "b"}}})
	head := manifestMagic + "\x00\x00\x00\x00"
	for name, b := range map[string][]byte{
		"nothing":                []byte(""),
		"another file":           []byte("PK\x03\x04 and so on, long enough"),
		"cut":                    good[:len(good)-1],
		"more at the end":        append(slices.Clone(good), 0),
		"absurd count":           []byte(head + "\xff\xff\xff\xff\xff\xff\xff\xff\x7f"),
		"absurd path length":     []byte(head + "\x01\x00\xff\xff\xff\xff\x0f"),
		"prefix of nothing":      []byte(head + "\x01\x05\x01a"),
		"number too long":        []byte(head + "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"),
		"number spelled longer":  []byte(head + "\x81\x00"),
		"path that climbs":       []byte(head + "\x01\x00\x02.."),
		"many entries, no bytes": []byte(head + "\xff\xff\xff\x07"),
	} {
		if m, err := LoadManifest(bytes.NewReader(b)); !errors.Is(err, ErrCorrupt) || m != nil {
			t.Errorf("%s: %v, want ErrCorrupt", name, err)
		}
	}
}

func TestSaveRefusesEntriesThatCannotBeLoaded(t *testing.T) {
	t.Parallel()
	for name, entries := range map[string][]*Entry{
		"unsorted":      {{Path: "b"}, {Path: "a"}},
		"twice":         {{Path: "a"}, {Path: "a"}},
		"absolute":      {{Path: "/a"}},
		"climbing":      {{Path: "a/../b"}},
		"NUL":           {{Path: "a\x00"}},
		"too long":      {{Path: strings.Repeat("a", maxPathSuffix+1)}},
		"negative size": {{Path: "a", Size: -1}},
	} {
		if err := (&Manifest{Entries: entries}).Save(&bytes.Buffer{}); err == nil {
			t.Errorf("%s: saved", name)
		}
	}
}

func FuzzLoadManifest(f *testing.F) {
	dir := f.TempDir()
	write(f, filepath.Join(dir, "a/b"), "x")
	write(f, filepath.Join(dir, "a\xff"), "y")
	f.Add(saved(f, scanned(f, dir, ScanOptions{})))
	f.Add(saved(f, &Manifest{}))
	f.Add([]byte(manifestMagic + "\x00\x00\x00\x00\xff\xff\x07"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := LoadManifest(bytes.NewReader(b))
		if err != nil {
			return
		}
		if again := saved(t, m); !bytes.Equal(b, again) {
			t.Errorf("loaded from %q, saved as %q", b, again)
		}
	})
}
