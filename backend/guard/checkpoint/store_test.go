package checkpoint

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/guard"
	"longwatch/backend/safefs"
)

func (p *site) packNames(t testing.TB) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(p.dir, "store/packs/*"))
	check(t, err)
	return names
}

func TestSaveStoresNothingTwice(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	p.write(t, "a", noise(1, 100_000))
	p.write(t, "big", noise(2, chunkSize+10))
	first := p.save(t)
	if first.New != 2 || first.NewBytes < chunkSize {
		t.Errorf("first: %+v", first)
	}
	p.write(t, "copy", noise(1, 100_000))
	p.write(t, "big", noise(2, chunkSize+10)+"x")
	p.reopen(t)
	second := p.save(t)
	if second.New != 1 || second.NewBytes > 1000 || len(p.packNames(t)) != 2 {
		t.Errorf("second: %+v in packs %q", second, p.packNames(t))
	}
	if third := p.save(t); third.New != 0 || third.NewBytes != 0 || len(p.packNames(t)) != 2 || third.Tree != second.Tree {
		t.Errorf("third: %+v in packs %q", third, p.packNames(t))
	}
	changes, err := p.store.Diff(first.ID, second.ID)
	check(t, err)
	if len(changes) != 2 || changes[0].Path != "big" || changes[1].What != guard.Added {
		t.Errorf("changes: %+v", changes)
	}
	p.clean(t)
}

func TestSaveSaysWhatChangedWhileItWasStored(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	p.write(t, "still", "1")
	p.write(t, "content", "1")
	p.write(t, "gone", "2")
	p.write(t, "swapped", "3")
	m, err := guard.Scan(context.Background(), p.ws, guard.ScanOptions{})
	check(t, err)
	p.write(t, "content", "x")
	check(t, os.Remove(p.path("gone")))
	check(t, os.Remove(p.path("swapped")))
	check(t, os.Symlink("still", p.path("swapped")))
	c, err := p.store.Save(context.Background(), p.ws, m, Note{})
	check(t, err)
	var got []string
	for _, l := range c.Left {
		got = append(got, l.Path+" "+string(l.Why))
		if !strings.HasPrefix(l.Detail, errChanged.Error()) {
			t.Errorf("detail of %s: %s", l.Path, l.Detail)
		}
	}
	if diff := cmp.Diff([]string{"content unstable", "gone unstable", "swapped unstable"}, got); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	if c.Files != 1 || c.Tree == m.Digest() {
		t.Errorf("files %d", c.Files)
	}
	// The checkpoint does not know these files, so it does not touch them.
	if res := p.restore(t, c.ID); len(res.Restored) > 0 || p.read(t, "content") != "x" {
		t.Errorf("restored: %+v", res.Restored)
	}
	p.clean(t)
}

func TestSaveRefusesOverBudgetAndStaysUsable(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{Budget: 200_000})
	p.write(t, "small", noise(1, 100_000))
	p.save(t)
	p.write(t, "large", noise(2, 150_000))
	_, err := p.trySave(Note{})
	var over *BudgetError
	if !errors.As(err, &over) || over.Need != 150_000 || over.Budget != 200_000 || over.Used < 100_000 {
		t.Fatalf("save: %v", err)
	}
	check(t, os.Remove(p.path("large")))
	p.save(t)
	if rep := p.clean(t); rep.Checkpoints != 2 {
		t.Errorf("report: %+v", rep)
	}
}

func TestOpenRefusesASecondUser(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	if _, err := Open(p.anchor, Options{}); !errors.Is(err, safefs.ErrHeld) {
		t.Errorf("second open: %v", err)
	}
	p.reopen(t)
}

func TestRefusedRoot(t *testing.T) { // sets HOME, so it is not parallel
	dir, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	home := filepath.Join(dir, "home", "me")
	check(t, os.MkdirAll(filepath.Join(home, "project"), 0o755))
	check(t, os.Symlink(home, filepath.Join(dir, "alias")))
	t.Setenv("HOME", home)
	for path, refused := range map[string]bool{
		"/": true, home: true, dir: true, filepath.Join(dir, "alias"): true,
		filepath.Join(home, "project"): false,
	} {
		if err := RefusedRoot(path); errors.Is(err, ErrRoot) != refused {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := RefusedRoot(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
}

func TestSaveRefusesATreeThatHoldsTheStore(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	p.ws = p.dir
	if _, err := p.trySave(Note{}); !errors.Is(err, ErrRoot) {
		t.Errorf("save: %v", err)
	}
}

func TestSaveRefusesAManifestOfAnotherFolder(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	m, err := guard.Scan(context.Background(), t.TempDir(), guard.ScanOptions{})
	check(t, err)
	if _, err := p.store.Save(context.Background(), p.ws, m, Note{}); err == nil {
		t.Error("saved")
	}
}

func TestKeepDefault(t *testing.T) {
	t.Parallel()
	var all []Checkpoint
	for i := range 15 {
		all = append(all, Checkpoint{ID: string(rune('a' + i)), Note: Note{Clean: i%2 == 1 || i > 3}})
	}
	all[2].Keep = true
	all[14].Clean = false
	if got := strings.Join(KeepDefault(all), ""); got != "onmlkjihgfeca" {
		t.Errorf("kept %s", got)
	}
}

func TestPruneFreesWhatNobodyNeedsAndKeepsTheRest(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	p.write(t, "forever", noise(1, 10_000))
	p.write(t, "big", noise(2, chunkSize+1))
	p.write(t, "once", noise(3, 6<<20))
	first, want := p.save(t), ""
	check(t, os.Remove(p.path("once")))
	for i := range 4 {
		p.write(t, "changing", noise(10+i, 50_000))
		p.save(t)
	}
	last, want := p.save(t), p.read(t, "changing")
	freed, err := p.store.Prune(func(all []Checkpoint) []string { return []string{last.ID} })
	check(t, err)
	if freed < 6<<20 || len(p.packNames(t)) != 2 {
		t.Errorf("freed %d, packs %q", freed, p.packNames(t))
	}
	if _, err := p.store.Manifest(first.ID); !errors.Is(err, ErrUnknown) {
		t.Errorf("first: %v", err)
	}
	p.reopen(t)
	if rep := p.clean(t); rep.Checkpoints != 1 {
		t.Errorf("report: %+v", rep)
	}
	check(t, os.RemoveAll(p.path("changing")))
	check(t, os.RemoveAll(p.path("big")))
	if res := p.restore(t, last.ID); len(res.Left) > 0 || p.read(t, "changing") != want || p.read(t, "big") != noise(2, chunkSize+1) {
		t.Errorf("left: %+v", res.Left)
	}
	if freed, err := p.store.Prune(nil); err != nil || freed != 0 {
		t.Errorf("pruned again: %d, %v", freed, err)
	}
}

// flip changes one byte of a file.
func flip(t testing.TB, path string, at int) {
	t.Helper()
	b, err := os.ReadFile(path)
	check(t, err)
	if at < 0 {
		at += len(b)
	}
	b[at] ^= 0x40
	check(t, os.WriteFile(path, b, 0o600))
}

func TestADamagedPackIsNamedAndRestoresNothingFromIt(t *testing.T) {
	t.Parallel()
	// Content, an index entry, the footer, the first bytes.
	for _, at := range []int{5000, -100, -3, 2} {
		p := newPlace(t, Options{})
		p.write(t, "bad", noise(1, 10_000))
		check(t, os.Mkdir(p.path("spot"), 0o755))
		first := p.save(t)
		p.write(t, "good", noise(2, 10_000))
		second := p.save(t)
		check(t, os.Remove(p.path("bad")))
		check(t, os.Mkdir(p.path("bad"), 0o755))
		p.write(t, "bad/inner", "in its place")
		check(t, os.Remove(p.path("good")))
		flip(t, p.packNames(t)[0], at)
		p.reopen(t)
		rep, err := p.store.Verify(context.Background())
		check(t, err)
		concerns, pack := map[string]bool{}, false
		for _, d := range rep.Damaged {
			for _, id := range d.Checkpoints {
				concerns[id] = true
			}
			pack = pack || d.Pack != "" || strings.HasSuffix(d.Name, ".pack")
		}
		if !concerns[first.ID] || !concerns[second.ID] || !pack {
			t.Errorf("flip at %d: %+v", at, rep.Damaged)
		}
		p.reopen(t) // what Verify knew is forgotten
		res := p.restore(t, second.ID)
		if len(res.Left) == 0 || res.Left[0].Path != "bad" || res.Left[0].Why != Damaged {
			t.Errorf("flip at %d: left %+v", at, res.Left)
		}
		if p.read(t, "good") != noise(2, 10_000) || p.read(t, "bad/inner") != "in its place" {
			t.Errorf("flip at %d: wrong files", at)
		}
		check(t, p.close())
	}
}

func TestLostContentIsStoredAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	p.write(t, "big", noise(1, 2*chunkSize))
	first := p.save(t)
	flip(t, p.packNames(t)[0], chunkSize+500)
	if rep, err := p.store.Verify(context.Background()); err != nil || len(rep.Damaged) != 2 {
		t.Fatalf("report: %+v, %v", rep, err)
	}
	if c := p.save(t); c.New != 1 {
		t.Errorf("stored again: %+v", c)
	}
	p.reopen(t)
	p.clean(t)
	check(t, os.Remove(p.path("big")))
	if res := p.restore(t, first.ID); len(res.Left) > 0 {
		t.Errorf("left: %+v", res.Left)
	}
}

func TestADamagedCheckpointIsNamedAndRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	p.write(t, "a", "1")
	first := p.save(t)
	p.write(t, "a", "2")
	second := p.save(t)
	flip(t, filepath.Join(p.dir, "store/checkpoints", first.ID), 60)
	p.reopen(t)
	rep, err := p.store.Verify(context.Background())
	check(t, err)
	if len(rep.Damaged) != 1 || rep.Damaged[0].Name != first.ID {
		t.Errorf("report: %+v", rep)
	}
	if _, err := p.tryRestore(first.ID); !errors.Is(err, ErrDamaged) || p.read(t, "a") != "2" {
		t.Errorf("restore: %v", err)
	}
	list, err := p.store.List()
	check(t, err)
	if list[0].Damage == "" || list[1].ID != second.ID {
		t.Errorf("list: %+v", list)
	}
	if _, err := p.store.Prune(nil); err != nil {
		t.Error(err)
	}
}

func TestLeftKeepsNamesThatAreNotText(t *testing.T) {
	t.Parallel()
	want := []Left{{Path: "a\xff", Why: Unstable}, {Path: "b", Why: Skipped, Files: 2, Bytes: 7}}
	b, err := json.Marshal(want)
	check(t, err)
	var got []Left
	check(t, json.Unmarshal(b, &got))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, bad := range []string{`{"why":"kept"}`, `{"path":"a","path_b64":"/w=="}`, `{"path_b64":"YQ=="}`} {
		if json.Unmarshal([]byte(bad), &Left{}) == nil {
			t.Errorf("accepted %s", bad)
		}
	}
}
