package checkpoint

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A repository in the workspace, and one in that, are folders like any other:
// nothing is renamed, written or left in them, and what is put back is a
// repository that git finds whole.
func TestRepositoriesInAWorkspaceComeBackWhole(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	p := newPlace(t, Options{})
	git := func(dir string, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = p.path(dir)
		cmd.Env = append(os.Environ(), "HOME="+p.dir, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	commit := func(dir, text string) {
		p.write(t, filepath.Join(dir, "file"), text)
		git(dir, "add", "file")
		git(dir, "commit", "-q", "-m", text)
	}
	p.write(t, "inner/seed", "x")
	for _, dir := range []string{".", "inner"} {
		git(dir, "init", "-q")
		commit(dir, "first")
	}
	before := picture(t, p.ws)
	first := p.save(t)
	same(t, "after it was kept", before, picture(t, p.ws))
	for _, dir := range []string{".", "inner"} {
		commit(dir, "second")
		git(dir, "gc", "-q")
	}
	p.restore(t, first.ID)
	for _, dir := range []string{".", "inner"} {
		if got := git(dir, "log", "--format=%s"); got != "first\n" {
			t.Errorf("%s has the commits %q", dir, got)
		}
		git(dir, "fsck", "--strict")
		if got := git(dir, "status", "--porcelain", "--untracked-files=no"); strings.TrimSpace(got) != "" {
			t.Errorf("%s is not clean: %s", dir, got)
		}
	}
}
