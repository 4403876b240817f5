package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"strings"

	"longwatch/backend/guard"
)

// side is what a comparison knows of one state.
type side struct {
	m     *guard.Manifest
	left  leftSet
	attrs attributes
	blur  map[string]bool // paths whose attributes are not all known
}

// step is one path that a restore changes.
type step struct {
	path   string
	change guard.Change
	t, p   *guard.Entry // as it shall be and as it is; nil for not at all
	quiet  bool         // only a folder's mtime
	inside bool         // only mode, owner, attributes, times: the content stays
	bare   bool         // not the attributes either
}

// writes reports whether the step makes a new file.
func (x step) writes() bool { return x.t != nil && isFile(x.t) && !x.inside }

func (x step) separates() bool {
	return x.writes() && (x.t.Nlink > 1 || x.p != nil && isFile(x.p) && x.p.Nlink > 1)
}

// comparison finds the steps from the present to the target. What it cannot
// put back, and what it could not undo, it leaves alone with all below it.
type comparison struct {
	blobs   *blobs
	target  side
	present side
	paths   []string
	saved   bool // the present is in the store: what of it is not, is left alone

	steps  []step
	left   map[string]*Left
	closed map[string]*Left // folders, and why nothing in them is touched
	held   map[string]bool  // folders in which something stays
}

func (c *comparison) run() error {
	for _, p := range c.paths {
		_, a := c.target.m.Lookup(p)
		_, b := c.present.m.Lookup(p)
		if !a && !b {
			return fmt.Errorf("%q is neither in the checkpoint nor in the folder", p)
		}
	}
	c.compare()
	return nil
}

func (c *comparison) compare() {
	c.left, c.closed, c.held = map[string]*Left{}, map[string]*Left{}, map[string]bool{}
	ts, ps := c.target.m.Entries, c.present.m.Entries
	for len(ts) > 0 || len(ps) > 0 {
		var t, p *guard.Entry
		if len(ps) == 0 || len(ts) > 0 && ts[0].Path <= ps[0].Path {
			t = ts[0]
		}
		if len(ts) == 0 || len(ps) > 0 && ps[0].Path <= ts[0].Path {
			p = ps[0]
		}
		if t != nil {
			ts = ts[1:]
		}
		if p != nil {
			ps = ps[1:]
		}
		c.visit(t, p)
	}
	c.dropHeld()
}

func (c *comparison) visit(t, p *guard.Entry) {
	e := t
	if t == nil {
		e = p
	}
	if staged(e.Path) {
		t = nil // left over from a restore that was killed
	}
	if t == nil && p == nil || !c.selected(e.Path, t, p) {
		return
	}
	if l := c.untouchable(e.Path, t, p); l != nil {
		c.closed[e.Path] = l
		if p != nil {
			c.hold(e.Path)
		}
		// The times of what nobody puts back are of no interest.
		if what := c.differ(t, p); what != "" && what != guard.Times {
			c.leave(*l)
		}
		return
	}
	if l, ok := c.unknown(t, p); ok {
		c.visitUnknown(l, t, p)
		return
	}
	c.visitKnown(e.Path, t, p)
}

func (c *comparison) visitKnown(path string, t, p *guard.Entry) {
	what := c.differ(t, p)
	x := step{path: path, t: t, p: p, change: change(what, t, p)}
	x.quiet = what == guard.Times && isDir(t)
	x.inside = x.keepsContent(what)
	x.bare = c.blurred(path)
	switch {
	case what == "":
		return
	case x.writes() && !c.readable(x):
		c.refuse(path, p, Damaged, "the store has lost its content")
	case c.saved && x.destroys() && !c.blobs.whole(p.Hash):
		c.refuse(path, p, Unsaved, "its present content is not in the store")
	default:
		if x.bare && t != nil {
			c.leave(Left{Path: path, Why: Attributes, Detail: "not all extended attributes are known"})
		}
		c.steps = append(c.steps, x)
	}
}

func (c *comparison) blurred(path string) bool {
	return c.target.blur[path] || c.present.blur[path]
}

// keepsContent: a file with several names gets a new inode, or the other
// names, inside or outside the folder, would change with it.
func (x step) keepsContent(what guard.What) bool {
	switch what {
	case guard.Mode, guard.Owner, guard.Meta, guard.Times:
		return !isFile(x.t) || x.p.Nlink == 1
	}
	return false
}

// destroys reports whether a file's present content goes away.
func (x step) destroys() bool { return x.p != nil && isFile(x.p) && !x.inside }

// readable reports whether the content to write is in the store. Where a
// folder must first be emptied for it, it is read now: later is too late.
func (c *comparison) readable(x step) bool {
	if x.p != nil && isDir(x.p) {
		return c.blobs.each(x.t.Hash, func([]byte) error { return nil }) == nil
	}
	return c.blobs.whole(x.t.Hash)
}

// differ names the difference that a restore would have to make go away.
func (c *comparison) differ(t, p *guard.Entry) guard.What {
	switch {
	case t == nil:
		return guard.Removed
	case p == nil:
		return guard.Added
	case kindOf(t) != kindOf(p):
		return guard.Type
	case t.Hash != p.Hash || t.Link != p.Link || isFile(t) && t.Size != p.Size:
		return guard.Content
	case !isLink(t) && t.Mode != p.Mode:
		return guard.Mode
	case t.UID != p.UID || t.GID != p.GID:
		return guard.Owner
	case !c.blurred(t.Path) && !sameAttrs(c.target.attrs[t.Path], c.present.attrs[t.Path]):
		return guard.Meta
	case t.Mtime != p.Mtime:
		return guard.Times
	}
	return ""
}

// selected reports whether a path is to be put back: it is asked for, or is a
// folder that something asked for needs.
func (c *comparison) selected(path string, t, p *guard.Entry) bool {
	if len(c.paths) == 0 || t == nil && staged(path) {
		return true
	}
	for _, s := range c.paths {
		if under(path, s) || p == nil && isDir(t) && under(s, path) {
			return true
		}
	}
	return false
}

// stagePrefix starts the names under which files are written in the workspace
// before they are renamed.
const stagePrefix = ".longwatch-restore-"

func staged(p string) bool {
	name := path.Base(p)
	return len(name) == len(stagePrefix)+26 && strings.HasPrefix(name, stagePrefix)
}

func kindOf(e *guard.Entry) uint32 { return e.Mode & 0o170000 }

func change(what guard.What, t, p *guard.Entry) guard.Change {
	c := guard.Change{What: what, Before: stateOf(p), After: stateOf(t)}
	if t != nil {
		c.Path, c.Kind = t.Path, t.Kind()
	} else if p != nil {
		c.Path, c.Kind = p.Path, p.Kind()
	}
	return c
}

func stateOf(e *guard.Entry) *guard.State {
	if e == nil {
		return nil
	}
	s := &guard.State{Size: e.Size, Mode: e.Mode, Err: e.Err}
	switch {
	case isLink(e):
		sum := sha256.Sum256([]byte(e.Link))
		s.Hash = hex.EncodeToString(sum[:])
	case isFile(e) && e.Err == "" && !e.Unstable:
		s.Hash = hex.EncodeToString(e.Hash[:])
	}
	return s
}
