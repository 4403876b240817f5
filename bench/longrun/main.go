// Longrun makes a run of many rounds through the real code paths: a playbook of
// steps whose first attempt fails its check, so that each takes two rounds. It
// is for looking at such a run in a window, and for measuring what a window asks
// of it while it grows.
//
//	go run ./bench/longrun -home /tmp/long -rounds 1000
//
// makes the run below /tmp/long and leaves it there. With -watch it looks at the
// run as a page does and prints what that costs; with -runs N there are N small
// runs beside it, for the list.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// most is how many rounds a playbook can be made to take: 500 steps, twice.
const most = 1001

type options struct {
	bin, home    string
	rounds, runs int
	watch        bool
}

func main() {
	var o options
	flag.StringVar(&o.bin, "longwatch", "bin/longwatch", "the binary to use")
	flag.StringVar(&o.home, "home", "", "state folder to make the run in, which is kept (default: one that is removed)")
	flag.IntVar(&o.rounds, "rounds", 1000, fmt.Sprintf("rounds of the run, 3 to %d", most))
	flag.IntVar(&o.runs, "runs", 0, "small runs beside it")
	flag.BoolVar(&o.watch, "watch", false, "look at it while it grows, and print what that costs")
	flag.Parse()
	if err := o.make(); err != nil {
		fmt.Fprintln(os.Stderr, "longrun:", err)
		os.Exit(1)
	}
}

func (o options) make() (err error) {
	if o.rounds < 3 || o.rounds > most {
		return fmt.Errorf("rounds must be 3 to %d, not %d", most, o.rounds)
	}
	if o.bin, err = filepath.Abs(o.bin); err != nil {
		return err
	}
	if o.home == "" {
		if o.home, err = os.MkdirTemp("", "longwatch-longrun-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.home)) }()
	}
	if o.home, err = filepath.Abs(o.home); err != nil {
		return err
	}
	for i := range o.runs {
		if _, err := o.run(fmt.Sprintf("small-%d", i), small(i), "--unattended"); err != nil {
			return err
		}
	}
	if !o.watch {
		out, err := o.run("long", long(o.rounds), "--unattended", "--json")
		fmt.Printf("home %s\n%s\n", o.home, lastLine(out))
		return err
	}
	out, err := o.run("long", long(o.rounds), "--detach", "--json")
	if err != nil {
		return err
	}
	return watch(o.home, out)
}

// run starts the binary on a task of its own folder. That a run ends incomplete
// is no error of ours.
func (o options) run(name, task string, flags ...string) ([]byte, error) {
	ws := filepath.Join(o.home, "workspaces", name)
	if err := os.MkdirAll(ws, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(ws, "task.md")
	if err := os.WriteFile(path, []byte(task), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command(o.bin, append([]string{"run", path}, flags...)...)
	cmd.Env = append(os.Environ(), "LONGWATCH_HOME="+filepath.Join(o.home, "state"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("%s: %w: %s", name, err, stderr.String())
	}
	return out, nil
}

// long is a task that takes so many rounds: two a step, and one at the end.
func long(rounds int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\ntitle: %d rounds\nlimits: {rounds: %d}\nsteps:\n", rounds, rounds+20)
	steps := (rounds - 1) / 2
	for i := 1; i <= steps; i++ {
		fmt.Fprintf(&b, "  - {name: Step %d, run: \":\", else: [{run: \": > f%d\"}], expect: file f%d exists}\n", i, i, i)
	}
	if (rounds-1)%2 == 1 {
		b.WriteString("  - {name: One more, run: \":\"}\n")
	}
	b.WriteString("---\n# A long way\n")
	return b.String()
}

func small(i int) string {
	return fmt.Sprintf("---\ntitle: Small run %d\nsteps: [{name: One, run: \": > out\", expect: file out exists}]\n---\n", i)
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}
