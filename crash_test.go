package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/protocol"
	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

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

// killAt kills the worker as soon as record seq is there. It reports whether
// there was a worker to kill: the run may have ended before.
func (c crashed) killAt(t *testing.T, seq uint64) bool {
	t.Helper()
	h, r := c.open(t)
	defer h.Close()
	defer r.Close()
	led, err := r.Follow()
	if err != nil {
		t.Fatal(err)
	}
	defer led.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for newest := uint64(0); newest < seq; {
		recs, err := led.Next()
		if err != nil {
			t.Fatal(err)
		}
		if len(recs) > 0 {
			newest = recs[len(recs)-1].Seq
			continue
		}
		if ended(t, r) {
			return false
		}
		look, stop := context.WithTimeout(ctx, 200*time.Millisecond)
		err = led.Wait(look)
		stop()
		if ctx.Err() != nil {
			t.Fatalf("record %d did not come: %v", seq, err)
		}
	}
	pid, alive := r.Worker()
	if !alive || pid == 0 {
		return false
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		if _, alive := r.Worker(); !alive {
			return true
		}
		if time.Now().After(end) {
			t.Fatal("the worker does not die")
		}
	}
}

func ended(t *testing.T, r *rundir.Run) bool {
	t.Helper()
	s, err := r.Fold()
	if err != nil {
		t.Fatal(err)
	}
	return s.Finished != nil
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

// TestARunReachesTheSameEndWhereverItsWorkerIsKilled kills the worker after
// each record of an undisturbed run, and every third time once more while it
// resumes. What was done is never done twice.
func TestARunReachesTheSameEndWhereverItsWorkerIsKilled(t *testing.T) {
	t.Parallel()
	calm := newCrashed(t)
	if out, err := calm.command("run", filepath.Join(calm.ws, "task.md"), "--unattended").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	state := calm.fold(t)
	want := calm.outcome(t, state)
	if want.Outcome != run.Complete || want.Log != "one\ntwo\nthree\n" {
		t.Fatalf("undisturbed: %+v", want)
	}
	every := uint64(1)
	if testing.Short() || slow() {
		every = 5
	}
	for seq := uint64(1); seq < state.Seq; seq += every {
		t.Run(fmt.Sprintf("record %d", seq), func(t *testing.T) {
			t.Parallel()
			c := newCrashed(t)
			if out, err := c.command("run", filepath.Join(c.ws, "task.md"), "--unattended", "--detach").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			killed := c.killAt(t, seq)
			if killed && seq%3 == 0 {
				c.killWhileResuming(t, seq+2)
			}
			got := c.outcome(t, c.finishIfOpen(t))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("killed: %v (-want +got)\n%s\n%s", killed, diff, c.log())
			}
		})
	}
	t.Logf("%d crash points of %d records", (state.Seq-2)/every+1, state.Seq)
}

// killWhileResuming starts a second worker and kills that too.
func (c crashed) killWhileResuming(t *testing.T, seq uint64) {
	t.Helper()
	var out bytes.Buffer
	cmd := c.command("resume", "last")
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.killAt(t, seq)
	if err := cmd.Wait(); err == nil && c.fold(t).Finished == nil {
		t.Errorf("a follower of a killed worker says all is well:\n%s", out.String())
	}
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
