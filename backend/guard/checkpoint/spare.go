package checkpoint

import (
	"fmt"

	"longwatch/backend/guard"
)

// untouchable finds why a path is left alone with all below it.
func (c *comparison) untouchable(p string, t, now *guard.Entry) *Left {
	if l, ok := c.closed[parent(p)]; ok && p != guard.RootPath {
		return l
	}
	for _, s := range []side{c.target, c.present} {
		if l, ok := s.left.covers(p); ok && l.Why == Skipped {
			return &Left{Path: l.Path, Why: Skipped}
		}
	}
	for _, e := range []*guard.Entry{t, now} {
		if e != nil && !isFile(e) && !isDir(e) && !isLink(e) {
			return &Left{Path: p, Why: Special, Detail: e.Kind()}
		}
	}
	return nil
}

// unknown reports whether the content of one side is known to nobody.
func (c *comparison) unknown(t, p *guard.Entry) (Left, bool) {
	for _, x := range []struct {
		side side
		e    *guard.Entry
		when string
	}{{c.target, t, "when it was stored"}, {c.present, p, "now"}} {
		if x.e == nil {
			continue
		}
		l, listed := x.side.left.covers(x.e.Path)
		if !listed && (x.e.Err != "" || x.e.Unstable) {
			l = Left{Path: x.e.Path, Why: Unreadable, Detail: x.e.Err}
			listed = true
		}
		if listed {
			l.Detail = fmt.Sprintf("not readable %s: %s", x.when, l.Detail)
			return l, true
		}
	}
	return Left{}, false
}

// visitUnknown puts only mode and owner back, and only on the same kind of
// entry; the content, its mtime and what is below stay.
func (c *comparison) visitUnknown(l Left, t, p *guard.Entry) {
	if p != nil {
		c.hold(p.Path)
	}
	c.closed[l.Path] = &l
	if t == nil || p == nil || kindOf(t) != kindOf(p) {
		c.leave(l)
		return
	}
	if t.Err != p.Err || t.Hash != p.Hash || t.Unstable || p.Unstable {
		c.leave(l)
	}
	what := outerDiffer(t, p)
	if what == "" || isLink(p) || isFile(p) && p.Nlink > 1 {
		return
	}
	outside := *t
	outside.Mtime = p.Mtime
	c.steps = append(c.steps, step{
		path: p.Path, t: &outside, p: p, change: change(what, t, p), inside: true, bare: true,
	})
}

// outerDiffer compares what is known even of an entry that cannot be read.
func outerDiffer(t, p *guard.Entry) guard.What {
	switch {
	case t.Mode != p.Mode:
		return guard.Mode
	case t.UID != p.UID || t.GID != p.GID:
		return guard.Owner
	}
	return ""
}

func (c *comparison) refuse(path string, p *guard.Entry, why Why, detail string) {
	l := Left{Path: path, Why: why, Detail: detail}
	c.closed[path] = &l
	if p != nil {
		c.hold(path)
	}
	c.leave(l)
}

// leave notes what is not put back, once for all it stands for.
func (c *comparison) leave(l Left) {
	key := l.Path + "\x00" + string(l.Why)
	if c.left[key] == nil {
		l.Files, l.Bytes = 0, 0
		c.left[key] = &l
	} else {
		c.left[key].Files++
	}
}

// hold notes that the folders above a path cannot go.
func (c *comparison) hold(p string) {
	for dir := parent(p); !c.held[dir]; dir = parent(dir) {
		c.held[dir] = true
	}
}

// dropHeld takes back the removal of folders in which something stays.
func (c *comparison) dropHeld() {
	kept := c.steps[:0]
	for _, x := range c.steps {
		if x.p != nil && isDir(x.p) && (x.t == nil || !isDir(x.t)) && c.held[x.path] {
			c.leave(Left{Path: x.path, Why: Kept, Detail: "it holds something that stays"})
			continue
		}
		kept = append(kept, x)
	}
	c.steps = kept
}
