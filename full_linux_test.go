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

	"longwatch/backend/run"
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
