package checkpoint

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// kills of each kind of work. A child is killed at a random moment after its
// first step, so that over time every moment is met.
const kills = 12

// child does one kind of work in a site until it is killed, and says what is
// done.
func child(part, dir string) error {
	p := &site{dir: dir, ws: filepath.Join(dir, "ws")}
	if err := p.open(); err != nil {
		return err
	}
	all, err := p.store.List()
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		switch part {
		case "restore":
			_, err = p.tryRestore(all[i%2].ID)
			fmt.Println("restored")
		default:
			err = p.churn(part == "prune")
		}
		if err != nil {
			return err
		}
	}
}

func (p *site) churn(prune bool) error {
	for range 10 {
		name, size := p.path(fmt.Sprint("f", rand.IntN(30))), 1+rand.IntN(60_000)
		if err := os.WriteFile(name, []byte(noise(rand.IntN(1000), size)), 0o644); err != nil {
			return err
		}
	}
	c, err := p.trySave(Note{})
	if err == nil && prune {
		_, err = p.store.Prune(nil)
	}
	fmt.Println(c.ID)
	return err
}

// killed runs a child for a random while and returns what it said.
func (p *site) killed(t *testing.T, part string) []string {
	t.Helper()
	check(t, p.close())
	exe, err := os.Executable()
	check(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"="+part+" "+p.dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		_ = cmd.Wait()
		t.Fatal("the child did nothing")
	}
	said := []string{lines.Text()}
	timer := time.AfterFunc(rand.N(60*time.Millisecond), func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	for lines.Scan() {
		said = append(said, lines.Text())
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the child ended by itself: %v", err)
	}
	check(t, p.open())
	return said
}

func (p *site) listed(t *testing.T) []string {
	t.Helper()
	ids, err := p.store.ids()
	check(t, err)
	return ids
}

func TestAKillWhileSavingLosesNoCheckpoint(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	for range kills {
		said := p.killed(t, "save")
		p.clean(t)
		for _, id := range said {
			if !slices.Contains(p.listed(t), id) {
				t.Fatalf("checkpoint %s was said to be saved and is not there", id)
			}
		}
	}
}

func TestAKillWhilePruningLosesNothingKept(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	p.write(t, "first", noise(1, 50_000))
	first := p.save(t)
	for range kills {
		said := p.killed(t, "prune")
		p.clean(t)
		ids := p.listed(t)
		if !slices.Contains(ids, first.ID) {
			t.Fatalf("the first checkpoint is not there: %q", ids)
		}
		// The next one may have taken the place of the last that was said.
		if last := said[len(said)-1]; sequence(ids[len(ids)-1]) < sequence(last) {
			t.Fatalf("checkpoint %s, or a newer one, is not there: %q", last, ids)
		}
	}
}

func TestAKilledRestoreCanBeRunAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	edgeTree(t, p)
	for i := range 40 {
		p.write(t, fmt.Sprintf("many/%d/%d", i%7, i), noise(i, 5000))
	}
	first, want := p.save(t), picture(t, p.ws)
	wreck(t, p)
	check(t, os.RemoveAll(p.path("many")))
	p.write(t, "many", "a file")
	p.save(t)
	for range kills {
		p.killed(t, "restore")
		if res := p.restore(t, first.ID); len(res.Left) > 0 {
			t.Fatalf("left: %+v", res.Left)
		}
		same(t, "after the second restore", want, picture(t, p.ws))
		p.clean(t)
	}
}
