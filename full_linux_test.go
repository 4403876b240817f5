package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"longwatch/backend/protocol"
	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// TestAFullDiskStopsTheRunAndItGoesOn fills the disk that holds the run, at
// many points of it: the follower says so, what was recorded stays, and with
// room again the run ends as if nothing had happened.
func TestAFullDiskStopsTheRunAndItGoesOn(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small file system")
	}
	full := 0
	for kib := 88; kib <= 280; kib += 16 {
		t.Run(fmt.Sprintf("%d KiB", kib), func(t *testing.T) {
			c := newCrashed(t)
			if err := os.Mkdir(c.home, 0o700); err != nil {
				t.Fatal(err)
			}
			size := fmt.Sprintf("size=%dk,mode=700", kib)
			if err := unix.Mount("tmpfs", c.home, "tmpfs", 0, size); err != nil {
				t.Skipf("mount: %v", err)
			}
			t.Cleanup(func() {
				if err := unix.Unmount(c.home, 0); err != nil {
					t.Errorf("unmount: %v", err)
				}
			})
			out, err := c.command("run", filepath.Join(c.ws, "task.md"), "--unattended").CombinedOutput()
			if err == nil {
				return // it was large enough
			}
			full++
			var x *exec.ExitError
			if !errors.As(err, &x) || x.ExitCode() != 1 || !strings.Contains(string(out), "no space left") {
				t.Errorf("%v\n%s", err, out)
			}
			if err := unix.Mount("tmpfs", c.home, "tmpfs", unix.MS_REMOUNT, "size=50m,mode=700"); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(out), "run        ") { // there is a run to go on with
				s := c.finishIfOpen(t)
				if got := c.outcome(t, s); got.Outcome != run.Complete || got.Log != "one\ntwo\nthree\n" {
					t.Errorf("%+v\n%s", got, c.log())
				}
			}
		})
	}
	if full < 5 {
		t.Errorf("the disk was full only %d times", full)
	}
}

// crashTask has steps whose side effects add up, so that one done twice shows,
// and one whose first attempt fails.
const crashTask = `---
title: Crash
limits: {rounds: 200, fails: 100}
checks:
  - file log.txt contains "three"
steps:
  - {name: One, run: echo one >> log.txt, expect: file log.txt contains "one"}
  - name: Two
    run: "true"
    else: [{run: echo two >> log.txt}]
    expect: file log.txt contains "two"
  - {name: Three, run: mkdir -p out; echo three >> log.txt; echo x > out/x, expect: [file log.txt contains "three", file out/x exists]}
---
`

// crashed is one run of the crash task in folders of its own.
type crashed struct {
	home, ws string
	env      []string
}

func newCrashed(t *testing.T) crashed {
	t.Helper()
	dir := t.TempDir()
	c := crashed{home: filepath.Join(dir, "home"), ws: filepath.Join(dir, "ws")}
	if err := os.MkdirAll(c.ws, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.ws, "task.md"), []byte(crashTask), 0o600); err != nil {
		t.Fatal(err)
	}
	c.env = append(os.Environ(), "LONGWATCH_HOME="+c.home, "HOME="+dir)
	return c
}

func (c crashed) command(args ...string) *exec.Cmd {
	cmd := exec.Command("longwatch", args...)
	cmd.Env = c.env
	return cmd
}

// finish lets the run go on until it ends and returns its state.
func (c crashed) finish(t *testing.T) *run.State {
	t.Helper()
	out, err := c.command("resume", "last").CombinedOutput()
	if err != nil {
		t.Errorf("resume: %v\n%s", err, out)
	}
	s := c.fold(t)
	if out, err := c.command("verify", "last").CombinedOutput(); err != nil {
		t.Errorf("verify: %v\n%s", err, out)
	}
	return s
}

func (c crashed) open(t *testing.T) (*rundir.Home, *rundir.Run) {
	t.Helper()
	h, err := rundir.OpenHome(c.home)
	if err != nil {
		t.Fatal(err)
	}
	id, err := h.Resolve("last")
	if err != nil {
		t.Fatal(err)
	}
	r, err := h.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	return h, r
}

func (c crashed) fold(t *testing.T) *run.State {
	t.Helper()
	h, r := c.open(t)
	defer h.Close()
	defer r.Close()
	s, err := r.Fold()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// outcome is what a run came to, as far as a crash must not change it.
type outcome struct {
	Outcome   run.Outcome
	Completed []string
	Log       string
	Out       string
}

func (c crashed) outcome(t *testing.T, s *run.State) outcome {
	t.Helper()
	o := outcome{Outcome: s.Outcome()}
	for _, b := range s.Records {
		if b.Mark == protocol.Completed {
			o.Completed = append(o.Completed, b.ID)
		}
	}
	for name, into := range map[string]*string{"log.txt": &o.Log, "out/x": &o.Out} {
		b, err := os.ReadFile(filepath.Join(c.ws, name))
		if err != nil {
			t.Error(err)
		}
		*into = string(b)
	}
	return o
}

func (c crashed) finishIfOpen(t *testing.T) *run.State {
	t.Helper()
	if s := c.fold(t); s.Finished != nil {
		return s
	}
	return c.finish(t)
}

func (c crashed) log() string {
	b, err := os.ReadFile(filepath.Join(c.home, "runs", latest(c.home), "worker.log"))
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(string(b), "\n")
	return strings.Join(lines[max(0, len(lines)-30):], "\n")
}

func latest(home string) string {
	names, err := os.ReadDir(filepath.Join(home, "runs"))
	if err != nil || len(names) == 0 {
		return ""
	}
	return names[len(names)-1].Name()
}
