package checkpoint

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// path draws names from so few that kinds collide and folders nest.
func (p *site) draw(r *rapid.T) string {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "a-", "\xff", "n\nl"}), 1, 3).Draw(r, "path")
	return filepath.Join(append([]string{p.ws}, parts...)...)
}

// mutate does something to the workspace, as far as it can be done.
func (p *site) mutate(r *rapid.T) {
	path := p.draw(r)
	switch rapid.SampledFrom([]string{
		"write", "write", "write", "dir", "link", "remove", "mode", "time", "attr", "unattr", "hard", "move", "owner",
	}).Draw(r, "op") {
	case "write":
		_ = os.RemoveAll(path)
		_ = os.MkdirAll(filepath.Dir(path), 0o755)
		_ = os.WriteFile(path, []byte(noise(rapid.IntRange(0, 5).Draw(r, "seed"), rapid.IntRange(0, 300).Draw(r, "size"))), 0o644)
	case "dir":
		_ = os.MkdirAll(path, 0o755)
	case "link":
		_ = os.Remove(path)
		_ = os.Symlink(rapid.SampledFrom([]string{"a", "/", "..", "\xfe"}).Draw(r, "to"), path)
	case "remove":
		_ = os.RemoveAll(path)
	case "mode":
		p.mode(r, path)
	case "time":
		when := time.Unix(rapid.Int64Range(-1e9, 4e9).Draw(r, "s"), rapid.Int64Range(0, 999_999_999).Draw(r, "ns"))
		if info, err := os.Lstat(path); err == nil && info.Mode().Type() != os.ModeSymlink {
			_ = os.Chtimes(path, time.Time{}, when)
		}
	case "attr":
		_ = unix.Lsetxattr(path, rapid.SampledFrom([]string{"user.x", "user.y"}).Draw(r, "name"), []byte(rapid.String().Draw(r, "value")), 0)
	case "unattr":
		_ = unix.Lremovexattr(path, "user.x")
	case "hard":
		_ = os.Link(path, p.draw(r))
	case "move":
		_ = os.Rename(path, p.draw(r))
	case "owner":
		if os.Geteuid() == 0 {
			_ = os.Lchown(path, rapid.IntRange(0, 2).Draw(r, "uid"), 1)
		}
	}
}

func (p *site) mode(r *rapid.T, path string) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() == os.ModeSymlink {
		return
	}
	modes := []os.FileMode{0o644, 0o600, 0o444, 0o755, 0o755 | os.ModeSetuid}
	if info.IsDir() {
		modes = []os.FileMode{0o755, 0o700, 0o555, 0o777 | os.ModeSticky}
	}
	_ = os.Chmod(path, rapid.SampledFrom(modes).Draw(r, "mode"))
}

func TestAnyTreeComesBackAndGoesAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	rapid.Check(t, func(r *rapid.T) {
		unlock(p.ws)
		names, err := os.ReadDir(p.ws)
		check(t, err)
		for _, d := range names {
			check(t, os.RemoveAll(p.path(d.Name())))
		}
		for range rapid.IntRange(0, 25).Draw(r, "made") {
			p.mutate(r)
		}
		first, then := p.save(t), picture(t, p.ws)
		for range rapid.IntRange(1, 15).Draw(r, "changed") {
			p.mutate(r)
		}
		second, now := p.save(t), picture(t, p.ws)
		for _, step := range []struct {
			id   string
			want map[string]string
		}{{first.ID, then}, {second.ID, now}} {
			res, err := p.tryRestore(step.id)
			if err != nil || len(res.Left) > 0 {
				r.Fatalf("restore of %s: %v, left %+v", step.id, err, res.Left)
			}
			same(r, "after the restore of "+step.id, step.want, picture(t, p.ws))
		}
	})
	p.clean(t)
}
