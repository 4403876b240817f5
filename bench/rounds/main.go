// Rounds measures what Longwatch itself costs a run: a playbook of `true` steps,
// so that nearly all time is ours. It prints one figure a line. Timings are of
// one machine at one moment; counts (syncs, processes, bytes) are exact.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	bin := flag.String("longwatch", "bin/longwatch", "the binary to measure")
	rounds := flag.Int("rounds", 200, "rounds of the long run")
	flag.Parse()
	if err := measure(*bin, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "rounds:", err)
		os.Exit(1)
	}
}

func measure(bin string, rounds int) error {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return err
	}
	info, err := os.Stat(bin)
	if err != nil {
		return err
	}
	figure("binary", "%.1f MB", float64(info.Size())/1e6)
	cold, err := coldStart(bin)
	if err != nil {
		return err
	}
	figure("cold start (--version)", "%.1f ms", ms(cold))
	for _, n := range []int{20, rounds} {
		if err := long(bin, n); err != nil {
			return err
		}
	}
	return counted(bin)
}

func figure(name, format string, args ...any) {
	fmt.Printf("%-44s %s\n", name, fmt.Sprintf(format, args...))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func coldStart(bin string) (time.Duration, error) {
	var all []time.Duration
	for range 11 {
		began := time.Now()
		if err := exec.Command(bin, "--version").Run(); err != nil {
			return 0, err
		}
		all = append(all, time.Since(began))
	}
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	return all[len(all)/2], nil
}

// place is a state folder and a workspace that vanish afterwards.
type place struct{ home, task string }

func newPlace(steps int) (place, func(), error) {
	dir, err := os.MkdirTemp("", "longwatch-bench-")
	if err != nil {
		return place{}, nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "---\nlimits: {rounds: %d}\nsteps:\n", steps+10)
	for i := range steps {
		fmt.Fprintf(&b, "  - {name: step %d, run: \"true\"}\n", i+1)
	}
	b.WriteString("---\n# Nothing, often\n")
	p := place{filepath.Join(dir, "home"), filepath.Join(dir, "ws", "task.md")}
	err = errors.Join(os.Mkdir(filepath.Dir(p.task), 0o755), os.WriteFile(p.task, []byte(b.String()), 0o644))
	return p, func() { _ = os.RemoveAll(dir) }, err
}

func (p place) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), "LONGWATCH_HOME="+p.home)
	c.Stderr = os.Stderr
	return c
}

// follow runs a command that prints records to its end.
func (p place) follow(name string, args ...string) (recs []record, first time.Duration, rss int, err error) {
	c := p.command(name, args...)
	c.Stderr = nil
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, 0, 0, err
	}
	began := time.Now()
	if err := c.Start(); err != nil {
		return nil, 0, 0, err
	}
	recs, first, rss, err = watch(out, began)
	return recs, first, rss, errors.Join(err, c.Wait())
}

// record is what the figures need of a ledger line.
type record struct {
	At   int64  `json:"at"`
	Kind string `json:"kind"`
	Body struct {
		PID   int    `json:"pid"`
		Phase string `json:"phase"`
		Round int    `json:"round"`
		Usage struct {
			Millis int64 `json:"ms"`
		} `json:"usage"`
	} `json:"body"`
}

// long runs a playbook of n steps and reads the figures off its ledger.
func long(bin string, n int) error {
	p, clean, err := newPlace(n)
	if err != nil {
		return err
	}
	defer clean()
	recs, first, rss, err := p.follow(bin, "run", p.task, "--unattended", "--json")
	if err != nil {
		return fmt.Errorf("%d rounds: %w", n, err)
	}
	fmt.Printf("\n%d rounds\n", n)
	figure("  start → first phase", "%.1f ms", ms(first))
	perRound, agent := perRound(recs, n)
	figure("  harness time a round, without agents", "%.2f ms", perRound)
	figure("  agents' exec to exit a round", "%.2f ms", agent)
	figure("  worker RSS (high water)", "%.1f MB", float64(rss)/1024)
	size, blocks, files := du(filepath.Join(p.home, "runs"))
	figure("  run directory", "%.2f MB in %d files (%.2f MB on disk)", float64(size)/1e6, files, float64(blocks)/1e6)
	return resume(bin, p)
}

// watch reads the records as they come, notes when the first phase starts, and
// looks at the worker's memory now and then.
func watch(out interface{ Read([]byte) (int, error) }, began time.Time) (recs []record, first time.Duration, rss int, err error) {
	sc := bufio.NewScanner(out)
	sc.Buffer(nil, 1<<20)
	pid := 0
	for sc.Scan() {
		var r record
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			return nil, 0, 0, err
		}
		if r.Kind == "started" {
			pid = r.Body.PID
		}
		if r.Kind == "phase_started" && first == 0 {
			first = time.UnixMilli(r.At).Sub(began)
		}
		if pid > 0 && len(recs)%50 == 0 {
			rss = max(rss, highWater(pid))
		}
		recs = append(recs, r)
	}
	return recs, first, rss, sc.Err()
}

func highWater(pid int) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.Atoi(strings.Fields(v)[0])
			return n
		}
	}
	return 0
}

// perRound is the mean of a round's wall time without its agents' exec-to-exit.
func perRound(recs []record, n int) (harness, agents float64) {
	var from, to, used int64
	for _, r := range recs {
		if r.Body.Round < 1 || r.Body.Round > n {
			continue
		}
		if from == 0 {
			from = r.At
		}
		to = max(to, r.At)
		used += r.Body.Usage.Millis
	}
	return float64(to-from-used) / float64(n), float64(used) / float64(n)
}

func du(root string) (size, blocks int64, files int) {
	_ = filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			blocks += st.Blocks * 512
		}
		if !d.IsDir() {
			size, files = size+info.Size(), files+1
		}
		return nil
	})
	return size, blocks, files
}

// resume measures how long a worker needs from its start to its first phase in
// a run that has all its rounds already.
func resume(bin string, p place) error {
	_, first, _, err := p.follow(bin, "resume", "last", "-m", "look again", "--json")
	if err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	figure("  resume → next phase", "%.1f ms", ms(first))
	return nil
}

// counted runs a short playbook under strace and counts what a round costs.
func counted(bin string) error {
	if _, err := exec.LookPath("strace"); err != nil {
		fmt.Println("\nsyncs and processes are not counted: there is no strace")
		return nil
	}
	a, err := count(bin, 10)
	if err != nil {
		return err
	}
	b, err := count(bin, 30)
	if err != nil {
		return err
	}
	fmt.Println("\na round of 3 episodes, counted")
	figure("  syncs", "%.1f", float64(b.syncs-a.syncs)/20)
	figure("  processes started", "%.1f (a launcher and an agent an episode, and the step's shell)", float64(b.execs-a.execs)/20)
	return nil
}

type counts struct{ syncs, execs int }

func count(bin string, steps int) (counts, error) {
	p, clean, err := newPlace(steps)
	if err != nil {
		return counts{}, err
	}
	defer clean()
	log := filepath.Join(filepath.Dir(p.home), "strace")
	c := p.command("strace", "-f", "-q", "-o", log, "-e", "trace=fsync,fdatasync,syncfs,sync,execve",
		bin, "run", p.task, "--unattended", "--json")
	c.Stderr = nil
	if err := c.Run(); err != nil {
		return counts{}, fmt.Errorf("strace: %w", err)
	}
	b, err := os.ReadFile(log)
	if err != nil {
		return counts{}, err
	}
	var n counts
	for line := range bytes.Lines(b) {
		switch {
		case bytes.Contains(line, []byte("resumed>")):
		case bytes.Contains(line, []byte("sync")):
			n.syncs++
		case bytes.Contains(line, []byte("execve(")):
			n.execs++
		}
	}
	return n, nil
}
