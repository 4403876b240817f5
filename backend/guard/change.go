package guard

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// What is the most telling difference of a path; Before and After hold all.
type What string

const (
	Added    What = "added"
	Removed  What = "removed"
	Content  What = "content"  // or unreadable differently, or not stable
	Type     What = "type"     // a file became a link, and the like
	Mode     What = "mode"     //
	Owner    What = "owner"    //
	Replaced What = "replaced" // same content, another inode
	Times    What = "times"    // mtime moved
	Links    What = "links"    // a hard link came or went
	Meta     What = "meta"     // only ctime moved: xattr, flags, times set back, renamed and back
)

// State is one side of a change, short enough for a ledger record.
type State struct {
	Size int64  `json:"size"`
	Mode uint32 `json:"mode"`           // st_mode
	Hash string `json:"hash,omitempty"` // hex SHA-256 of a file's content or a link's target
	Err  string `json:"err,omitempty"`
}

// Change is one path that differs between two manifests.
type Change struct {
	Path   string // raw bytes
	What   What
	Kind   string // Entry.Kind of After, or of Before when it was removed
	Before *State // nil when added
	After  *State // nil when removed
}

// changeJSON has the path as text, or as base64 when it is not valid UTF-8:
// encoding/json would map different such names to one text.
type changeJSON struct {
	Path    *string `json:"path,omitempty"`
	PathB64 *string `json:"path_b64,omitempty"`
	What    What    `json:"what"`
	Kind    string  `json:"kind"`
	Before  *State  `json:"before,omitempty"`
	After   *State  `json:"after,omitempty"`
}

// MarshalJSON writes path, or path_b64 for a name that is not valid UTF-8.
func (c Change) MarshalJSON() ([]byte, error) {
	j := changeJSON{What: c.What, Kind: c.Kind, Before: c.Before, After: c.After}
	if utf8.ValidString(c.Path) {
		j.Path = &c.Path
	} else {
		s := base64.StdEncoding.EncodeToString([]byte(c.Path))
		j.PathB64 = &s
	}
	return json.Marshal(j)
}

// UnmarshalJSON accepts exactly one spelling of each path.
func (c *Change) UnmarshalJSON(b []byte) error {
	var j changeJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*c = Change{What: j.What, Kind: j.Kind, Before: j.Before, After: j.After}
	switch {
	case (j.Path == nil) == (j.PathB64 == nil):
		return errors.New("change: wants one of path and path_b64")
	case j.Path != nil:
		c.Path = *j.Path
		return nil
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(*j.PathB64)
	if err != nil {
		return fmt.Errorf("change: path_b64: %w", err)
	}
	if utf8.Valid(raw) {
		return errors.New("change: path_b64 holds a name that belongs in path")
	}
	c.Path = string(raw)
	return nil
}

// state is the short form of an entry.
func (e *Entry) state() *State {
	s := &State{Size: e.Size, Mode: e.Mode, Err: e.Err}
	switch {
	case e.Err != "":
	case e.Unstable:
		s.Err = changed
	case e.Kind() == "symlink":
		sum := sha256.Sum256([]byte(e.Link))
		s.Hash = hex.EncodeToString(sum[:])
	case e.isFile():
		s.Hash = hex.EncodeToString(e.Hash[:])
	}
	return s
}
