package worker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"
	"unicode/utf8"

	"longwatch/backend/guard"
	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// mostListed is how many changes a record lists; all of them are in a file.
const mostListed = 20

// longestPath bounds a listed path, in bytes.
const longestPath = 300

// workspace watches the folder by comparing manifests. It implements
// loop.Workspace.
type workspace struct {
	root    string
	dir     *rundir.Run
	ignored guard.Matcher
	round   func() int
	known   string          // its digest in the ledger, empty before the first look
	last    *guard.Manifest // as it was last seen; nil while it was not
	// accepted is set when the person has said to go on in whatever is there.
	accepted bool
	// unlisted is set when the folder is not as the ledger says and the old
	// manifest is lost: that it changed is known, what changed is not.
	unlisted bool
	lists    int
}

// errReplaced: what stands in the workspace's place is not what was there.
var errReplaced = errors.New("another folder has taken its place")

// lost reports whether an error says that the workspace is gone.
func lost(err error) bool {
	for _, e := range []error{errReplaced, guard.ErrRootMissing, guard.ErrRootNotDir, guard.ErrRootReplaced} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// open takes up where the last worker left. Without a folder it stays to be
// opened by Observe.
func (w *workspace) open(ctx context.Context) error {
	if b, err := w.dir.Manifest(); err == nil {
		if m, err := guard.LoadManifest(bytes.NewReader(b)); err == nil && m.Digest() == w.known {
			w.last = m
			return nil
		}
	}
	m, err := guard.Scan(ctx, w.root, guard.ScanOptions{})
	if err != nil {
		return err
	}
	w.last, w.unlisted = m, w.known != "" && m.Digest() != w.known
	return w.save()
}

// tree is the digest of the workspace as it was last seen.
func (w *workspace) tree() string {
	if w.last == nil {
		return w.known
	}
	return w.last.Digest()
}

// back reports whether the folder is there that was last seen.
func (w *workspace) back() bool {
	st, err := os.Lstat(w.root)
	return err == nil && st.IsDir() && (w.last == nil || inode(w.last) == inodeOf(st))
}

// inode tells one folder of the same file system from another. It is 0 when
// nobody knows.
func inode(m *guard.Manifest) uint64 {
	if e, ok := m.Lookup(guard.RootPath); ok {
		return e.Ino
	}
	return 0
}

func inodeOf(st os.FileInfo) uint64 {
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		return sys.Ino
	}
	return 0
}

// Observe implements loop.Workspace.
func (w *workspace) Observe(ctx context.Context, thorough bool) (run.Changes, error) {
	if w.last == nil {
		if err := w.open(ctx); err != nil {
			return run.Changes{}, err
		}
	}
	m, err := guard.Scan(ctx, w.root, guard.ScanOptions{Base: w.last, FullHash: thorough})
	if err != nil {
		return run.Changes{}, err
	}
	if inode(m) != inode(w.last) && !w.accepted {
		return run.Changes{}, fmt.Errorf("workspace %q: %w", w.root, errReplaced)
	}
	w.accepted = false
	diff := guard.Diff(w.last, m)
	w.last = m
	c := run.Changes{Count: len(diff), Tree: m.Digest()}
	if w.unlisted {
		w.unlisted = false
		c.Count, c.Counts = max(1, c.Count), true
		c.First = []run.Change{{Path: ".", What: "unlisted changes below", Kind: "dir"}}
	}
	if len(diff) == 0 {
		return c, nil
	}
	if err := w.list(&c, diff); err != nil {
		return c, err
	}
	return c, w.save()
}

// list fills in the changes; when there are many, all of them go to a file that
// is on disk before the record names it.
func (w *workspace) list(c *run.Changes, diff []guard.Change) error {
	var all bytes.Buffer
	for i, d := range diff {
		ignored := w.ignored.Match(d.Path, d.Kind == "dir")
		c.Counts = c.Counts || !ignored
		if i < mostListed {
			c.First = append(c.First, change(d, ignored))
		}
		b, err := json.Marshal(d)
		if err != nil {
			return err
		}
		all.Write(append(b, '\n'))
	}
	if len(diff) <= mostListed {
		return nil
	}
	w.lists++
	sum := sha256.Sum256(all.Bytes())
	c.SHA256 = hex.EncodeToString(sum[:])
	var err error
	c.File, err = w.dir.Keep(w.round(), fmt.Sprintf("changes-%s.jsonl", c.SHA256[:12]), all.String(), true)
	return err
}

func change(d guard.Change, ignored bool) run.Change {
	c := run.Change{What: string(d.What), Kind: d.Kind, Ignored: ignored}
	path := d.Path
	if len(path) > longestPath {
		path = path[:longestPath/2] + "…" + path[len(path)-longestPath/2:]
	}
	if utf8.ValidString(path) {
		c.Path = path
	} else {
		c.PathB64 = base64.StdEncoding.EncodeToString([]byte(path))
	}
	return c
}

func (w *workspace) save() error {
	var b bytes.Buffer
	if err := w.last.Save(&b); err != nil {
		return err
	}
	return w.dir.SaveManifest(b.Bytes())
}
