package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"
)

// watchTree knows which folders are watched. Only the watcher's goroutine uses
// it, after Watch has returned.
type watchTree struct {
	*Watcher
	root    unix.Stat_t
	folders map[string]bool
	lost    bool   // the root is not the folder that was watched
	stale   bool   // events were lost, so folders may be unknown
	reason  string // why not everything is watched, told by blinded
}

func (t *watchTree) path(rel string) string {
	if rel == RootPath {
		return t.Watcher.root
	}
	return t.Watcher.root + "/" + rel
}

func (t *watchTree) event(ev fsnotify.Event) {
	rel, below := strings.CutPrefix(ev.Name, t.Watcher.root+"/")
	if !below {
		rel = RootPath
	}
	dir := t.folders[rel]
	switch {
	case rel == RootPath && ev.Has(fsnotify.Remove|fsnotify.Rename):
		t.look()
	case ev.Has(fsnotify.Create):
		t.created(rel)
	case ev.Has(fsnotify.Remove | fsnotify.Rename):
		t.forget(rel, ev.Has(fsnotify.Rename))
		t.see(rel, dir, Removed)
	case ev.Has(fsnotify.Write):
		t.see(rel, dir, Content)
	case ev.Has(fsnotify.Chmod):
		t.see(rel, dir, Meta)
	}
}

func (t *watchTree) see(rel string, dir bool, what What) {
	if !t.opts.Ignored.Match(rel, dir) {
		t.note(rel, what)
	}
}

// created notes a new name. A new folder is watched first and then listed, so
// that whatever is put in meanwhile is seen by one or the other.
func (t *watchTree) created(rel string) {
	var st unix.Stat_t
	dir := unix.Lstat(t.path(rel), &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR
	t.see(rel, dir, Added)
	if dir {
		t.forget(rel, true)
		t.add(rel, true)
	}
}

// add watches a folder and all below it. With found, what is in them is new.
func (t *watchTree) add(rel string, found bool) {
	defer func() { t.blinded(t.reason) }()
	todo := []string{rel}
	for len(todo) > 0 {
		rel := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		fresh := !t.folders[rel]
		if t.opts.Ignored.Match(rel, true) || fresh && !t.watch(rel) {
			continue
		}
		err := names(t.path(rel), func(e os.DirEntry) {
			name := e.Name()
			if rel != RootPath {
				name = rel + "/" + name
			}
			if found && fresh {
				t.see(name, e.IsDir(), Added)
			}
			if e.IsDir() {
				todo = append(todo, name)
			}
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.reason = fmt.Sprintf("%q: %v", rel, err)
		}
	}
}

// watch watches one folder. fsnotify would follow a link that took the folder's
// place, so it is looked at before and after.
func (t *watchTree) watch(rel string) bool {
	if len(t.folders) >= t.opts.Folders {
		t.reason = fmt.Sprintf("there are more than %d folders", t.opts.Folders)
		return false
	}
	var before, after unix.Stat_t
	path := t.path(rel)
	if unix.Lstat(path, &before) != nil || before.Mode&unix.S_IFMT != unix.S_IFDIR || before.Dev != t.root.Dev {
		return false
	}
	switch err := t.fs.Add(path); {
	case errors.Is(err, unix.ENOSPC):
		t.reason = "the system's limit of watched folders is reached"
		return false
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR):
		return false
	case err != nil:
		t.reason = fmt.Sprintf("%q: %v", rel, err)
		return false
	}
	if unix.Lstat(path, &after) != nil || after.Ino != before.Ino || after.Dev != before.Dev {
		_ = t.fs.Remove(path)
		return false
	}
	t.folders[rel] = true
	return true
}

// forget ends the watch of a folder that is not there any more. One that was
// moved takes the folders in it along; of a deleted one they went before.
func (t *watchTree) forget(rel string, moved bool) {
	if !t.folders[rel] {
		return
	}
	delete(t.folders, rel)
	_ = t.fs.Remove(t.path(rel))
	if !moved {
		return
	}
	for f := range t.folders {
		if strings.HasPrefix(f, rel+"/") {
			delete(t.folders, f)
			_ = t.fs.Remove(t.path(f))
		}
	}
}

// trouble is an error of the system's own queue.
func (t *watchTree) trouble(err error) {
	if errors.Is(err, fsnotify.ErrEventOverflow) {
		t.stale = true
		t.miss("more changes came at once than the system reports")
		return
	}
	t.miss(err.Error())
}

// tick looks after what no event tells.
func (t *watchTree) tick(n int) {
	t.look()
	switch {
	case t.lost:
	case t.stale:
		// Folders made while events were lost are found by listing all.
		t.stale = false
		t.again()
	case t.reason != "" && n%rewatch == 0:
		t.again()
	}
	if t.reason != "" && n%blindRescan == 0 {
		t.miss(t.reason)
	}
}

// again drops folders that are gone and watches those that are not watched.
func (t *watchTree) again() {
	for f := range t.folders {
		var st unix.Stat_t
		if unix.Lstat(t.path(f), &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR {
			t.forget(f, false)
		}
	}
	t.reason = ""
	t.add(RootPath, true)
}

// look makes sure that the root is the folder that is watched: an unmounted or
// replaced one sends no events.
func (t *watchTree) look() {
	var st unix.Stat_t
	err := unix.Lstat(t.Watcher.root, &st)
	there := err == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR
	if there && !t.lost && st.Dev == t.root.Dev && st.Ino == t.root.Ino {
		return
	}
	if !t.lost {
		for f := range t.folders {
			_ = t.fs.Remove(t.path(f))
		}
		clear(t.folders)
	}
	was := t.lost
	if t.lost = !there; was && t.lost {
		return
	}
	if t.lost {
		t.reason = filepath.Base(t.Watcher.root) + " is gone or was unmounted"
		t.blinded(t.reason)
		return
	}
	t.root, t.reason = st, ""
	t.miss(filepath.Base(t.Watcher.root) + " was replaced, mounted or unmounted")
	t.add(RootPath, false)
}
