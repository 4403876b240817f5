package checkpoint

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"path"
	"strings"
	"unicode/utf8"

	"longwatch/backend/guard"
)

// Why says for what reason an entry is not stored, or not put back.
type Why string

const (
	Special    Why = "special"    // a FIFO, socket or device: recorded, never made
	Unreadable Why = "unreadable" // Detail is the error
	Skipped    Why = "skipped"    // a folder that can be made again; with all below
	Unstable   Why = "unstable"   // kept changing while it was read
	Attributes Why = "attributes" // all but its extended attributes or its owner
	Damaged    Why = "damaged"    // the store has lost its content
	Unsaved    Why = "unsaved"    // what is there now is not in the store
	Kept       Why = "kept"       // a folder that still holds something
	Failed     Why = "failed"     // Detail is the error
	HardLink   Why = "hard_link"  // becomes a file of its own
)

// Left is an entry that is recorded but not stored, or that a restore does
// not put back.
type Left struct {
	Path   string // raw bytes
	Why    Why
	Detail string
	Files  int   // below a folder that stands for all in it
	Bytes  int64 // their sizes
}

type leftJSON struct {
	Path    *string `json:"path,omitempty"`
	PathB64 *string `json:"path_b64,omitempty"`
	Why     Why     `json:"why"`
	Detail  string  `json:"detail,omitempty"`
	Files   int     `json:"files,omitempty"`
	Bytes   int64   `json:"bytes,omitempty"`
}

// MarshalJSON writes path, or path_b64 for a name that is not valid UTF-8.
func (l Left) MarshalJSON() ([]byte, error) {
	j := leftJSON{Why: l.Why, Detail: l.Detail, Files: l.Files, Bytes: l.Bytes}
	if utf8.ValidString(l.Path) {
		j.Path = &l.Path
	} else {
		text := base64.StdEncoding.EncodeToString([]byte(l.Path))
		j.PathB64 = &text
	}
	return json.Marshal(j)
}

// UnmarshalJSON accepts exactly one spelling of each path.
func (l *Left) UnmarshalJSON(b []byte) error {
	var j leftJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*l = Left{Why: j.Why, Detail: j.Detail, Files: j.Files, Bytes: j.Bytes}
	if (j.Path == nil) == (j.PathB64 == nil) {
		return errors.New("wants one of path and path_b64")
	}
	if j.Path != nil {
		l.Path = *j.Path
		return nil
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(*j.PathB64)
	if err != nil || utf8.Valid(raw) {
		return errors.New("path_b64 holds no name that needs it")
	}
	l.Path = string(raw)
	return nil
}

// leftSet answers for single paths.
type leftSet map[string]Left

func newLeftSet(all []Left) leftSet {
	set := leftSet{}
	for _, l := range all {
		if l.Why != Attributes {
			set[l.Path] = l
		}
	}
	return set
}

// covers finds why a path has no stored content: for its own sake, or because
// it lies in a skipped folder.
func (s leftSet) covers(p string) (Left, bool) {
	if l, ok := s[p]; ok || len(s) == 0 {
		return l, ok
	}
	for dir := parent(p); dir != guard.RootPath; dir = parent(dir) {
		if l, ok := s[dir]; ok && l.Why == Skipped {
			return l, true
		}
	}
	return Left{}, false
}

func parent(p string) string { return path.Dir(p) }

// under reports whether p is dir or below it.
func under(p, dir string) bool {
	return dir == guard.RootPath || p == dir ||
		len(p) > len(dir) && p[len(dir)] == '/' && strings.HasPrefix(p, dir)
}

// skipper finds skipped folders. Patterns for folders are tried on folders
// alone: whoever walks in order has tried them on every ancestor before.
type skipper struct{ trees, names guard.Matcher }

func newSkipper(patterns []string) (skipper, error) {
	var trees, names []string
	for _, p := range patterns {
		if strings.HasSuffix(p, "/") {
			trees = append(trees, p)
		} else {
			names = append(names, p)
		}
	}
	var s skipper
	var err error
	if s.trees, err = guard.Ignored(trees); err != nil {
		return s, err
	}
	s.names, err = guard.Ignored(names)
	return s, err
}

func (s skipper) match(e *guard.Entry) bool {
	dir := isDir(e)
	return dir && s.trees.Match(e.Path, true) || s.names.Match(e.Path, dir)
}

// unstored says what of a manifest has no content to store, each skipped
// folder once.
func (s skipper) unstored(m *guard.Manifest) []Left {
	var out []Left
	roots := map[string]int{} // into out
	for _, e := range m.Entries {
		if i, ok := inside(roots, e.Path); ok {
			out[i].add(e)
			continue
		}
		l := Left{Path: e.Path}
		switch {
		case s.match(e):
			l.Why = Skipped
			roots[e.Path] = len(out)
			l.add(e)
		case e.Err != "":
			l.Why, l.Detail = Unreadable, e.Err
		case e.Unstable:
			l.Why, l.Detail = Unstable, "changed while it was read"
		case isFile(e), isDir(e), isLink(e):
			continue
		default:
			l.Why, l.Detail = Special, e.Kind()
		}
		out = append(out, l)
	}
	return out
}

func (l *Left) add(e *guard.Entry) {
	if isFile(e) {
		l.Files++
		l.Bytes += e.Size
	}
}

// inside finds the folder among roots that p lies in.
func inside(roots map[string]int, p string) (int, bool) {
	if len(roots) == 0 {
		return 0, false
	}
	for dir := parent(p); dir != guard.RootPath; dir = parent(dir) {
		if i, ok := roots[dir]; ok {
			return i, true
		}
	}
	return 0, false
}
