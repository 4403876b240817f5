package checkpoint

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"longwatch/backend/guard"
	"longwatch/backend/safefs"
)

// childEnv makes the test binary play another process: "<part> <folder>".
const childEnv = "CHECKPOINT_TEST_CHILD"

func TestMain(m *testing.M) {
	if part, dir, ok := strings.Cut(os.Getenv(childEnv), " "); ok {
		if err := child(part, dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// site is a store and a workspace.
type site struct {
	dir, ws string
	opts    Options
	store   *Store
	anchor  *safefs.Dir
}

func newPlace(t testing.TB, o Options) *site {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	t.Cleanup(func() { unlock(dir) })
	p := &site{dir: dir, ws: filepath.Join(dir, "ws"), opts: o}
	check(t, os.Mkdir(p.ws, 0o755))
	check(t, p.open())
	t.Cleanup(func() { _ = p.close() })
	return p
}

func (p *site) open() (err error) {
	if p.anchor, err = safefs.MakeDir(filepath.Join(p.dir, "store")); err != nil {
		return err
	}
	p.store, err = Open(p.anchor, p.opts)
	return err
}

func (p *site) close() error {
	if p.store == nil {
		return nil
	}
	err := errors.Join(p.store.Close(), p.anchor.Close())
	p.store = nil
	return err
}

func (p *site) reopen(t testing.TB) {
	t.Helper()
	check(t, p.close())
	check(t, p.open())
}

func (p *site) trySave(note Note) (Checkpoint, error) {
	m, err := guard.Scan(context.Background(), p.ws, guard.ScanOptions{SyncFirst: true})
	if err != nil {
		return Checkpoint{}, err
	}
	return p.store.Save(context.Background(), p.ws, m, note)
}

func (p *site) save(t testing.TB) Checkpoint {
	t.Helper()
	c, err := p.trySave(Note{})
	check(t, err)
	return c
}

// restore does what a caller does: saves, plans, restores.
func (p *site) tryRestore(id string, paths ...string) (Result, error) {
	before, err := p.trySave(Note{})
	if err != nil {
		return Result{}, err
	}
	plan, err := p.store.Plan(context.Background(), p.ws, id, RestoreOptions{Paths: paths})
	if err != nil {
		return Result{}, err
	}
	return p.store.Restore(context.Background(), p.ws, before.ID, plan)
}

func (p *site) restore(t testing.TB, id string, paths ...string) Result {
	t.Helper()
	res, err := p.tryRestore(id, paths...)
	check(t, err)
	return res
}

func (p *site) path(name string) string { return filepath.Join(p.ws, name) }

func (p *site) write(t testing.TB, name, text string) {
	t.Helper()
	check(t, os.MkdirAll(filepath.Dir(p.path(name)), 0o755))
	check(t, os.WriteFile(p.path(name), []byte(text), 0o644))
}

func (p *site) read(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(p.path(name))
	check(t, err)
	return string(b)
}

// picture describes a folder by other means than the code under test: a line
// of all that a restore must bring back, for each path.
func picture(t testing.TB, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	check(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil {
			return err
		}
		line := fmt.Sprintf("%o %d:%d %d", st.Mode, st.Uid, st.Gid, st.Mtim.Nano())
		switch st.Mode & unix.S_IFMT {
		case unix.S_IFREG:
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %d %x", len(text), sha256.Sum256(text))
		case unix.S_IFLNK:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			out[path[len(root):]] = line + " -> " + to
			return nil
		}
		out[path[len(root):]] = line + userAttrs(path)
		return nil
	}))
	return out
}

func userAttrs(path string) string {
	names, line := make([]byte, 4096), ""
	n, err := unix.Llistxattr(path, names)
	if err != nil {
		return ""
	}
	list := strings.Split(string(names[:n]), "\x00")
	slices.Sort(list)
	for _, name := range list {
		if value := make([]byte, 4096); strings.HasPrefix(name, "user.") {
			n, _ := unix.Lgetxattr(path, name, value)
			line += fmt.Sprintf(" %s=%q", name, value[:max(n, 0)])
		}
	}
	return line
}

// failer is what testing.T and rapid.T share.
type failer interface {
	Helper()
	Fatalf(string, ...any)
}

func same(t failer, what string, want, got map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// unlock makes a folder removable again.
func unlock(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
}

// noise is content that does not compress, always the same for one seed.
func noise(seed, n int) string {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)}).Read(b)
	return string(b)
}

// clean fails if the store has a damage or a temporary file.
func (p *site) clean(t testing.TB) Report {
	t.Helper()
	rep, err := p.store.Verify(context.Background())
	check(t, err)
	if len(rep.Damaged) > 0 {
		t.Fatalf("damaged: %+v", rep.Damaged)
	}
	check(t, filepath.WalkDir(p.dir, func(path string, _ fs.DirEntry, err error) error {
		if name := filepath.Base(path); strings.HasPrefix(name, ".tmp-") || staged(name) {
			t.Errorf("a temporary file is left: %s", path)
		}
		return err
	}))
	return rep
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
