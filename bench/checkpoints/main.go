// Checkpoints measures saving and restoring a workspace beside what people
// use today: git, and restic where it is installed. All run on the same tree
// in the same minute. Timings are of one machine at one moment.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"longwatch/backend/guard"
	"longwatch/backend/guard/checkpoint"
	"longwatch/backend/safefs"
)

func main() {
	large := flag.Bool("large", false, "also 100,000 files (some minutes)")
	flag.Parse()
	sizes := []int{1000, 10_000}
	if *large {
		sizes = append(sizes, 100_000)
	}
	for _, n := range sizes {
		if err := measure(n); err != nil {
			fmt.Fprintln(os.Stderr, "checkpoints:", err)
			os.Exit(1)
		}
	}
}

// bench is a workspace of n files and what is measured on it.
type bench struct {
	dir, ws string
	n       int
}

func measure(n int) error {
	dir, err := os.MkdirTemp("", "longwatch-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	b := &bench{dir, filepath.Join(dir, "ws"), n}
	bytes, err := b.grow()
	if err != nil {
		return err
	}
	fmt.Printf("%d files, %.0f MB\n", n, float64(bytes)/1e6)
	// Each begins with the same tree; the first run warms the cache for all.
	if _, err := guard.Scan(context.Background(), b.ws, guard.ScanOptions{}); err != nil {
		return err
	}
	for _, tool := range []func() error{b.longwatch, b.git, b.restic} {
		if err := tool(); err != nil {
			return err
		}
	}
	return nil
}

// grow makes files of mixed size, half of whose bytes are words.
func (b *bench) grow() (int64, error) {
	r := rand.New(rand.NewPCG(1, uint64(b.n)))
	words := strings.Fields("round episode verdict evidence gate operator ledger lease func return string error")
	var total int64
	for i := range b.n {
		var text strings.Builder
		for size := 200 + int(r.ExpFloat64()*8000); text.Len() < size; {
			fmt.Fprintf(&text, "%s %x\n", words[r.IntN(len(words))], r.Uint32())
		}
		path := b.file(i)
		if i%50 == 0 {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return 0, err
			}
		}
		if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
			return 0, err
		}
		total += int64(text.Len())
	}
	return total, nil
}

func (b *bench) file(i int) string {
	return filepath.Join(b.ws, fmt.Sprintf("d%03d", i/5000), fmt.Sprintf("p%03d", i/50), fmt.Sprintf("f%d.txt", i))
}

// edit changes ten files: five altered, three removed, two added.
func (b *bench) edit(round string) error {
	var failures []error
	for i := range 5 {
		failures = append(failures, os.WriteFile(b.file(i*97), []byte("altered "+round), 0o644))
	}
	for i := range 3 {
		failures = append(failures, os.Remove(b.file(i*97+1)))
	}
	for i := range 2 {
		failures = append(failures, os.WriteFile(b.file(i*97)+".new", []byte(round), 0o644))
	}
	return errors.Join(failures...)
}

// undo takes an edit back by other means than the tool that is measured, so
// that each one begins with the same tree.
func (b *bench) undo() error {
	for i := range 2 {
		if err := os.Remove(b.file(i*97) + ".new"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	_, err := b.grow()
	return err
}

func (b *bench) longwatch() error {
	ctx := context.Background()
	store := filepath.Join(b.dir, "store")
	anchor, err := safefs.MakeDir(store)
	if err != nil {
		return err
	}
	defer func() { _ = anchor.Close() }()
	s, err := checkpoint.Open(anchor, checkpoint.Options{Budget: 8 << 30})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	var last *guard.Manifest
	save := func() (c checkpoint.Checkpoint, err error) {
		if last, err = guard.Scan(ctx, b.ws, guard.ScanOptions{Base: last, SyncFirst: true}); err != nil {
			return c, err
		}
		return s.Save(ctx, b.ws, last, checkpoint.Note{})
	}
	var first, second checkpoint.Checkpoint
	var res checkpoint.Result
	err = run(
		step{"longwatch first checkpoint, with its scan", func() (err error) { first, err = save(); return err }},
		step{"", func() error { return b.edit("longwatch") }},
		step{"longwatch incremental, with its scan", func() (err error) { second, err = save(); return err }},
		step{"longwatch restore of 10 files: plan, write, look again", func() error {
			plan, err := s.Plan(ctx, b.ws, first.ID, checkpoint.RestoreOptions{})
			if err != nil {
				return err
			}
			res, err = s.Restore(ctx, b.ws, second.ID, plan)
			return err
		}},
	)
	if err != nil {
		return err
	}
	if len(res.Restored) != 10 || len(res.Left) > 0 {
		return fmt.Errorf("restored %d of 10 files, left %v", len(res.Restored), res.Left)
	}
	return b.size("longwatch", store)
}

func (b *bench) git() error {
	git := func(args ...string) func() error {
		return func() error {
			// A store of its own, and nothing from the person's settings.
			all := append([]string{"--git-dir", filepath.Join(b.dir, "git"), "--work-tree", b.ws, "-c", "gc.auto=0"}, args...)
			return command("git", nil, all...)
		}
	}
	commit := func() error {
		if err := git("add", "-A")(); err != nil {
			return err
		}
		return git("-c", "user.name=b", "-c", "user.email=b@example.invalid", "commit", "-q", "-m", "x")()
	}
	err := run(
		step{"", git("init", "-q")},
		step{"git first: add -A, commit", commit},
		step{"", func() error { return b.edit("git") }},
		step{"git incremental: add -A, commit", commit},
		step{"git restore of 10 files: reset --hard", git("reset", "-q", "--hard", "HEAD~1")},
		step{"", b.undo},
	)
	if err != nil {
		return err
	}
	return b.size("git", filepath.Join(b.dir, "git"))
}

func (b *bench) restic() error {
	if _, err := exec.LookPath("restic"); err != nil {
		fmt.Println("  restic is not installed")
		return nil
	}
	repo := filepath.Join(b.dir, "restic")
	restic := func(args ...string) func() error {
		return func() error {
			env := append(os.Environ(), "RESTIC_PASSWORD=b", "RESTIC_REPOSITORY="+repo, "RESTIC_CACHE_DIR="+repo+"-cache")
			return command("restic", env, append([]string{"-q"}, args...)...)
		}
	}
	err := run(
		step{"", restic("init")},
		step{"restic first backup", restic("backup", b.ws)},
		step{"", func() error { return b.edit("restic") }},
		step{"restic incremental", restic("backup", b.ws)},
		step{"restic restore, of everything", restic("restore", "latest", "--target", filepath.Join(b.dir, "out"))},
	)
	if err != nil {
		return err
	}
	return b.size("restic", repo)
}

// step is something to do, and to time if it has a name.
type step struct {
	name string
	do   func() error
}

func run(steps ...step) error {
	for _, s := range steps {
		began := time.Now()
		if err := s.do(); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if s.name != "" {
			fmt.Printf("  %-56s %8.0f ms\n", s.name, float64(time.Since(began).Microseconds())/1000)
		}
	}
	return nil
}

func command(name string, env []string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func (b *bench) size(name, dir string) error {
	var total int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	fmt.Printf("  %-56s %8.1f MB\n", name+" store", float64(total)/1e6)
	return err
}
