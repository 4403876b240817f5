package checkpoint

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"longwatch/backend/guard"
)

// edgeTree makes one of everything of GUARD.md 2.3 that the test's user can.
func edgeTree(t testing.TB, p *site) {
	t.Helper()
	p.write(t, "plain", "text")
	p.write(t, "empty", "")
	p.write(t, "sub/new\nline", "x")
	p.write(t, "sub/\xff\xfe", "not UTF-8")
	p.write(t, "sub/\xff\xfd", "another that JSON would not tell apart")
	p.write(t, "setuid", "#!")
	check(t, os.Chmod(p.path("setuid"), 0o755|os.ModeSetuid))
	p.write(t, "readonly/file", "in a folder nobody may write")
	check(t, os.Symlink("nowhere", p.path("dangling")))
	check(t, os.Symlink("loop", p.path("loop")))
	check(t, os.MkdirAll(p.path("hollow/inner"), 0o700))
	p.write(t, "names/one", "shared")
	check(t, os.Link(p.path("names/one"), p.path("names/two")))
	for i, n := range []int{chunkSize - 1, chunkSize, chunkSize + 1, 2 * chunkSize} {
		p.write(t, "big/"+string(rune('a'+i)), noise(i, n))
	}
	check(t, os.WriteFile(p.path("sparse"), nil, 0o644))
	check(t, os.Truncate(p.path("sparse"), 9<<20+3))
	check(t, unix.Mkfifo(p.path("fifo"), 0o600))
	if err := unix.Lsetxattr(p.path("plain"), "user.note", []byte("a\x00b"), 0); err != nil {
		t.Logf("no extended attributes here: %v", err)
	} else {
		check(t, unix.Lsetxattr(p.path("readonly/file"), "user.empty", nil, 0))
		check(t, unix.Lsetxattr(p.path("hollow"), "user.dir", []byte("v"), 0))
	}
	check(t, os.Chmod(p.path("readonly/file"), 0o400))
	old := time.Unix(1_000_000_000, 123_456_789)
	for _, name := range []string{"plain", "sub", "hollow/inner", "readonly/file"} {
		check(t, os.Chtimes(p.path(name), old, old))
	}
	check(t, os.Chmod(p.path("readonly"), 0o555))
}

// wreck changes nearly everything in an edge tree, also in kind.
func wreck(t testing.TB, p *site) {
	t.Helper()
	check(t, os.Chmod(p.path("readonly"), 0o755))
	for _, name := range []string{"readonly", "sub", "hollow", "dangling", "big/c", "names/two", "setuid"} {
		check(t, os.RemoveAll(p.path(name)))
	}
	p.write(t, "plain", "tex!")
	p.write(t, "hollow", "a file where a folder was")
	p.write(t, "loop2/new", "x")
	p.write(t, "names/one", "changed through one name")
	check(t, os.Remove(p.path("empty")))
	check(t, os.MkdirAll(p.path("empty/folder/where/a/file/was"), 0o755))
	check(t, os.Remove(p.path("loop")))
	check(t, os.Symlink("elsewhere", p.path("loop")))
	check(t, os.Truncate(p.path("sparse"), 3))
	_ = unix.Lremovexattr(p.path("plain"), "user.note")
	_ = unix.Lsetxattr(p.path("big/a"), "user.unwanted", []byte("v"), 0)
}

func TestRestoreBringsBackTheEdgeTreeAndItsUndoing(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	edgeTree(t, p)
	first, want := p.save(t), picture(t, p.ws)
	wreck(t, p)
	second, wrecked := p.save(t), picture(t, p.ws)

	res := p.restore(t, first.ID)
	same(t, "after the restore", want, picture(t, p.ws))
	if len(res.Left) > 0 {
		t.Errorf("left: %+v", res.Left)
	}
	var st unix.Stat_t
	check(t, unix.Stat(p.path("sparse"), &st))
	if st.Blocks*512 > 2<<20 {
		t.Errorf("the sparse file came back with %d bytes on disk", st.Blocks*512)
	}
	res = p.restore(t, second.ID)
	same(t, "after undoing it", wrecked, picture(t, p.ws))
	if len(res.Left) > 0 {
		t.Errorf("left after undoing it: %+v", res.Left)
	}
	p.clean(t)
}

func TestSaveNamesWhatItCannotStore(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	p.write(t, "kept", "x")
	p.write(t, "node_modules/a/b", "12345")
	p.write(t, "node_modules/c", "1")
	p.write(t, "closed", "secret")
	check(t, os.Chmod(p.path("closed"), 0))
	check(t, unix.Mkfifo(p.path("fifo"), 0o600))
	want := []Left{{Path: "fifo", Why: Special, Detail: "fifo"}, {Path: "node_modules", Why: Skipped, Files: 2, Bytes: 6}}
	if os.Geteuid() != 0 {
		want = append([]Left{{Path: "closed", Why: Unreadable, Detail: unix.EACCES.Error()}}, want...)
	}
	c := p.save(t)
	if diff := cmp.Diff(want, c.Left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	list, err := p.store.List()
	check(t, err)
	if diff := cmp.Diff([]Checkpoint{c}, list); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	m, err := p.store.Manifest(c.ID)
	check(t, err)
	if _, ok := m.Lookup("node_modules/a/b"); !ok || m.Digest() != c.Tree {
		t.Error("the manifest is not of the whole tree")
	}
}

// What no checkpoint holds is neither overwritten nor removed.
func TestRestoreLeavesAloneWhatItCouldNotBringBack(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	p.write(t, "file", "1")
	p.write(t, "node_modules/lib", "old")
	p.write(t, "spot", "was a file")
	first := p.save(t)
	p.write(t, "file", "2")
	p.write(t, "node_modules/lib", "new")
	p.write(t, "made/node_modules/lib", "x")
	check(t, os.Remove(p.path("spot")))
	check(t, unix.Mkfifo(p.path("spot"), 0o600))
	res := p.restore(t, first.ID)
	want := []Left{
		{Path: "made", Why: Kept, Detail: "it holds something that stays"},
		{Path: "made/node_modules", Why: Skipped, Files: 1},
		{Path: "node_modules", Why: Skipped},
		{Path: "spot", Why: Special, Detail: "fifo"},
	}
	if diff := cmp.Diff(want, res.Left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	if p.read(t, "file") != "1" || p.read(t, "node_modules/lib") != "new" {
		t.Error("the wrong files were put back")
	}
}

func TestRestoreOfUnreadableEntriesPutsBackOnlyTheirMode(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root can read everything; run this test as another user too")
	}
	t.Parallel()
	p := newPlace(t, Options{})
	p.write(t, "dir/inner", "known")
	p.write(t, "file", "known")
	p.write(t, "later", "known")
	first, want := p.save(t), picture(t, p.ws)
	p.write(t, "dir/unknown", "must survive")
	check(t, os.Chmod(p.path("dir"), 0))
	check(t, os.Chmod(p.path("file"), 0))
	res := p.restore(t, first.ID)
	if len(res.Left) != 2 {
		t.Errorf("left: %+v", res.Left)
	}
	if p.read(t, "dir/unknown") != "must survive" {
		t.Error("a file nobody had seen was touched")
	}
	// Now all can be read, and a second restore completes the first.
	if res := p.restore(t, first.ID); len(res.Left) > 0 {
		t.Errorf("left the second time: %+v", res.Left)
	}
	same(t, "after the second restore", want, picture(t, p.ws))
}

// A path longer than the system takes cannot be looked at by name.
func TestRestoreReachesPathsLongerThanTheSystemTakes(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	name := strings.Repeat("d", 200)
	at, err := unix.Open(p.ws, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	check(t, err)
	for range 30 {
		check(t, unix.Mkdirat(at, name, 0o755))
		next, err := unix.Openat(at, name, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		check(t, err)
		check(t, unix.Close(at))
		at = next
	}
	fd, err := unix.Openat(at, "leaf", unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, 0o640)
	check(t, err)
	_, err = unix.Write(fd, []byte("deep"))
	check(t, err)
	check(t, errors.Join(unix.Close(fd), unix.Close(at)))
	first := p.save(t)
	check(t, os.RemoveAll(p.path(name)))
	if res := p.restore(t, first.ID); len(res.Left) > 0 || len(res.Restored) != 31 {
		t.Fatalf("restored %d, left %+v", len(res.Restored), res.Left)
	}
	again := p.save(t)
	if again.Tree != first.Tree || again.New != 0 {
		t.Errorf("tree %s, want %s", again.Tree, first.Tree)
	}
}

func TestPlanChangesNothingAndShowsAll(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	p.write(t, "a", "1")
	p.write(t, "b", "1")
	p.write(t, "c/d", "1")
	check(t, os.Link(p.path("b"), p.path("link")))
	first := p.save(t)
	p.write(t, "a", "22")
	check(t, os.Chmod(p.path("b"), 0o600))
	check(t, os.RemoveAll(p.path("c")))
	p.write(t, "new", "1")
	now := picture(t, p.ws)
	plan, err := p.store.Plan(context.Background(), p.ws, first.ID, RestoreOptions{})
	check(t, err)
	same(t, "after planning", now, picture(t, p.ws))
	got := map[string]guard.What{}
	for _, c := range plan.Changes {
		got[c.Path] = c.What
	}
	want := map[string]guard.What{
		"a": guard.Content, "b": guard.Mode, "link": guard.Mode, "c": guard.Added, "c/d": guard.Added, "new": guard.Removed,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Left{{Path: "b", Why: HardLink}, {Path: "link", Why: HardLink}}, plan.Separate); diff != "" {
		t.Errorf("separate (-want +got):\n%s", diff)
	}
}

func TestRestoreOfSomePathsTouchesNoOther(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	p.write(t, "a/b/c", "1")
	p.write(t, "a/x", "1")
	p.write(t, "ab", "1")
	first := p.save(t)
	check(t, os.RemoveAll(p.path("a")))
	p.write(t, "ab", "2")
	res := p.restore(t, first.ID, "a/b")
	if len(res.Left) > 0 || p.read(t, "a/b/c") != "1" || p.read(t, "ab") != "2" {
		t.Errorf("left %+v", res.Left)
	}
	if _, err := os.Lstat(p.path("a/x")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a path that was not asked for came back")
	}
	if _, err := p.store.Plan(context.Background(), p.ws, first.ID, RestoreOptions{Paths: []string{"nope"}}); err == nil {
		t.Error("a path that is nowhere was accepted")
	}
}

// Writing in place does not move the time of the folder; putting back does.
func TestRestoreKeepsTheTimesOfFoldersItWritesIn(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	p.write(t, "d/file", "1")
	first, want := p.save(t), picture(t, p.ws)
	p.write(t, "d/file", "2")
	p.restore(t, first.ID)
	same(t, "after the restore", want, picture(t, p.ws))
}

func TestWhatAKilledRestoreLeftIsRemovedAndNeverPutBack(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	temp := "a/" + stagePrefix + strings.Repeat("X", 26)
	p.write(t, "a/x", "1")
	p.write(t, "b", "1")
	p.write(t, temp, "half")
	first := p.save(t)
	p.write(t, "b", "2")
	if res := p.restore(t, first.ID, "b"); len(res.Left) > 0 || len(res.Restored) != 2 || p.read(t, "b") != "1" {
		t.Errorf("result: %+v", res)
	}
	if _, err := os.Lstat(p.path(temp)); !errors.Is(err, os.ErrNotExist) {
		t.Error("the temporary file is still there")
	}
	if res := p.restore(t, first.ID); len(res.Restored) > 0 {
		t.Errorf("restored again: %+v", res.Restored)
	}
}

func TestRestoreRefusesAFolderThatIsNotAsSaved(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	p.write(t, "a", "1")
	first := p.save(t)
	p.write(t, "a", "2")
	before := p.save(t)
	plan, err := p.store.Plan(context.Background(), p.ws, first.ID, RestoreOptions{})
	check(t, err)
	p.write(t, "b", "an edit of the person, not saved")
	now := picture(t, p.ws)
	_, err = p.store.Restore(context.Background(), p.ws, before.ID, plan)
	var changed *ChangedError
	if !errors.As(err, &changed) || !cmp.Equal(changed.Paths, []string{"b"}) {
		t.Fatalf("restore: %v", err)
	}
	// Saved, but the plan does not show that it would be removed.
	before = p.save(t)
	if _, err := p.store.Restore(context.Background(), p.ws, before.ID, plan); !errors.Is(err, ErrStalePlan) {
		t.Fatalf("restore with the old plan: %v", err)
	}
	same(t, "after two refusals", now, picture(t, p.ws))
}

// checked is a restore at the moment at which all has been checked.
func (p *site) checked(t testing.TB, id, before string) *restorer {
	t.Helper()
	target, err := p.store.state(id)
	check(t, err)
	saved, err := p.store.state(before)
	check(t, err)
	tr, err := openTree(p.ws)
	check(t, err)
	t.Cleanup(tr.close)
	c := &comparison{blobs: &p.store.blobs, target: target.side(), present: saved.side(), saved: true}
	check(t, c.run())
	return newRestorer(&p.store.blobs, tr, c)
}

func TestRestoreKeepsAnEditMadeMeanwhile(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	for _, name := range []string{"edited", "replaced", "removed", "chmod"} {
		p.write(t, name, "1")
	}
	check(t, os.Remove(p.path("removed")))
	first := p.save(t)
	p.write(t, "removed", "2")
	p.write(t, "edited", "2")
	p.write(t, "replaced", "2")
	check(t, os.Chmod(p.path("chmod"), 0o600))
	check(t, os.Mkdir(p.path("gone"), 0o755))
	r := p.checked(t, first.ID, p.save(t).ID)
	check(t, os.Remove(p.path("replaced")))
	check(t, os.Remove(p.path("chmod")))
	for _, name := range []string{"edited", "replaced", "removed", "chmod", "gone/new"} {
		p.write(t, name, "by the person")
	}
	check(t, r.run(context.Background()))
	for _, name := range []string{"edited", "replaced", "removed", "chmod", "gone/new"} {
		if got := p.read(t, name); got != "by the person" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if len(r.failed) != 5 {
		t.Errorf("failed: %v", r.failed)
	}
}

// The folder is swapped for a link after everything was checked.
func TestRestoreNeverWritesThroughALink(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	p.write(t, "d/changed", "1")
	p.write(t, "d/removed", "1")
	p.write(t, "d/mode", "1")
	first := p.save(t)
	p.write(t, "d/changed", "2")
	p.write(t, "d/extra", "2")
	check(t, os.Remove(p.path("d/removed")))
	check(t, os.Chmod(p.path("d/mode"), 0o600))
	second := p.save(t)
	r := p.checked(t, first.ID, second.ID)
	outside := filepath.Join(p.dir, "outside")
	check(t, os.Rename(p.path("d"), outside))
	check(t, os.Symlink(outside, p.path("d")))
	want := picture(t, outside)
	check(t, r.run(context.Background()))
	same(t, "outside", want, picture(t, outside))
	if len(r.failed) < 4 {
		t.Errorf("failed only: %v", r.failed)
	}
}
