package guard

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// target is a command that runs this test binary as one of the targets.
func target(t testing.TB, args ...string) Command {
	return Command{
		Argv: append([]string{self(t), "target"}, args...), Dir: t.TempDir(),
		Deadline: time.Minute, Grace: 10 * time.Second,
		Profile: Executor, Level: LevelDetect,
	}
}

func started(t testing.TB, c Command) *Process {
	t.Helper()
	p, err := (&Launcher{Self: self(t)}).Start(context.Background(), c)
	check(t, err)
	t.Cleanup(func() {
		p.Kill()
		p.Wait()
	})
	return p
}

func released(t testing.TB, c Command) *Process {
	t.Helper()
	p := started(t, c)
	check(t, p.Release())
	return p
}

// ignoreTimes leaves out of an Exit what differs from run to run.
var ignoreTimes = cmpopts.IgnoreFields(Exit{}, "Wall", "RanFor")

func TestWaitReportsHowTheProgramEnded(t *testing.T) {
	t.Parallel()
	noDir := target(t, "exit", "0")
	noDir.Dir = filepath.Join(noDir.Dir, "absent")
	noProgram := target(t)
	noProgram.Argv = []string{"no-such-program"}
	noFile := target(t)
	noFile.Argv = []string{"/no/such/program"}
	for name, c := range map[string]struct {
		command  Command
		want     Exit
		startErr string
	}{
		"success":         {command: target(t, "exit", "0")},
		"a code":          {command: target(t, "exit", "3"), want: Exit{Code: 3}},
		"output":          {command: target(t, "say", "out\xff", "err"), want: Exit{Stdout: []byte("out\xff"), Stderr: []byte("err")}},
		"no folder":       {command: noDir, want: Exit{Code: -1}, startErr: "working folder"},
		"not in the PATH": {command: noProgram, want: Exit{Code: -1}, startErr: "not found in PATH"},
		"no such file":    {command: noFile, want: Exit{Code: -1}, startErr: "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := released(t, c.command).Wait()
			if !strings.Contains(got.StartErr, c.startErr) || (c.startErr == "") != (got.StartErr == "") {
				t.Errorf("start error %q, want %q in it", got.StartErr, c.startErr)
			}
			got.StartErr = ""
			if diff := cmp.Diff(c.want, got, ignoreTimes, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("exit (-want +got):\n%s", diff)
			}
			if got.Wall <= 0 || c.startErr == "" && (got.RanFor <= 0 || got.RanFor > got.Wall) {
				t.Errorf("ran for %v of %v", got.RanFor, got.Wall)
			}
		})
	}
}

func TestArgumentsAndEnvironmentArriveUnchanged(t *testing.T) {
	t.Parallel()
	c := target(t, "env")
	c.Env = []string{"A=b c", "RAW=\xff\n", "PATH=/nowhere"}
	p := released(t, c)
	want := strings.Join(append(slices.Clone(c.Env), p.Ident().mark()), "\n")
	if got := string(p.Wait().Stdout); got != want {
		t.Errorf("environment %q, want %q", got, want)
	}
}

func TestProgramsAreFoundInTheirOwnPath(t *testing.T) {
	t.Parallel()
	c := target(t, "exit", "4")
	check(t, os.Symlink(c.Argv[0], filepath.Join(c.Dir, "tool")))
	c.Argv[0], c.Env = "tool", []string{"PATH=.:/nowhere:" + c.Dir}
	if got := released(t, c).Wait(); got.Code != 4 {
		t.Errorf("by an absolute entry: %+v", got)
	}
	c.Env = []string{"PATH=.::" + c.Dir[1:]} // the launcher itself is in "/"
	if got := released(t, c).Wait(); !strings.Contains(got.StartErr, "not found in PATH") {
		t.Errorf("by relative entries: %+v, want it not found", got)
	}
}

func TestEndBeforeReleaseRunsNothing(t *testing.T) {
	t.Parallel()
	c := target(t, "write", "ran", "x")
	p := started(t, c)
	p.Kill()
	got := p.Wait()
	if diff := cmp.Diff(Exit{Code: -1, Canceled: true}, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("exit (-want +got):\n%s", diff)
	}
	if err := p.Release(); err == nil {
		t.Error("released after its end")
	}
	if _, err := os.Stat(filepath.Join(c.Dir, "ran")); err == nil {
		t.Error("the program ran")
	}
}

func TestReleaseWorksOnce(t *testing.T) {
	t.Parallel()
	p := released(t, target(t, "exit", "0"))
	if err := p.Release(); err == nil {
		t.Error("released twice")
	}
	if got := p.Wait(); got.Code != 0 || got.StartErr != "" {
		t.Errorf("exit %+v", got)
	}
}

func TestContextEndsTheTree(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	c := target(t, "sleep", "pid")
	p, err := (&Launcher{Self: self(t)}).Start(ctx, c)
	check(t, err)
	check(t, p.Release())
	readPID(t, filepath.Join(c.Dir, "pid"))
	cancel()
	want := Exit{Code: -1, Signal: "SIGTERM", Canceled: true}
	if diff := cmp.Diff(want, p.Wait(), ignoreTimes, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("exit (-want +got):\n%s", diff)
	}
	if _, err := (&Launcher{Self: self(t)}).Start(ctx, c); err == nil {
		t.Error("started after the end of the context")
	}
}

func TestStdinArrivesWholeAndEnds(t *testing.T) {
	t.Parallel()
	c := target(t)
	c.Argv = []string{"/bin/cat"}
	c.Stdin = bytes.Repeat([]byte("0123456789"), 20_000)
	if got := released(t, c).Wait(); !bytes.Equal(got.Stdout, c.Stdin) {
		t.Errorf("%d bytes came back, want %d", len(got.Stdout), len(c.Stdin))
	}
	c = target(t, "exit", "5")
	c.Stdin = make([]byte, 1<<20)
	if got := released(t, c).Wait(); got.Code != 5 {
		t.Errorf("a program that does not read its input: %+v", got)
	}
}

func TestLongOutputIsCutInTheMiddle(t *testing.T) {
	t.Parallel()
	c := target(t, "say", "abcdefghijklmnopqrstuvwxyz", "whole")
	c.StdoutCap = 9
	got := released(t, c).Wait()
	want := Exit{
		Stdout:    []byte("abcde\n[… 17 bytes cut here …]\nwxyz"),
		StdoutCut: 17, Stderr: []byte("whole"),
	}
	if diff := cmp.Diff(want, got, ignoreTimes); diff != "" {
		t.Errorf("exit (-want +got):\n%s", diff)
	}
}

func TestFloodEndsTheTree(t *testing.T) {
	t.Parallel()
	c := target(t, "flood")
	c.FloodCap, c.StdoutCap = 1<<20, 100
	got := released(t, c).Wait()
	if !got.Flooded || got.Signal != "SIGKILL" || got.StdoutCut < 1<<19 {
		t.Errorf("flooded %t, signal %q, cut %d", got.Flooded, got.Signal, got.StdoutCut)
	}
}

func TestStartRefusesImpossibleCommands(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Command){
		"no program":       func(c *Command) { c.Argv = nil },
		"relative folder":  func(c *Command) { c.Dir = "here" },
		"no profile":       func(c *Command) { c.Profile = "" },
		"unknown profile":  func(c *Command) { c.Profile = "root" },
		"no level":         func(c *Command) { c.Level = "" },
		"unknown level":    func(c *Command) { c.Level = "kernel-cow" },
		"negative limit":   func(c *Command) { c.Grace = -1 },
		"NUL":              func(c *Command) { c.Argv = append(c.Argv, "a\x00b") },
		"nameless setting": func(c *Command) { c.Env = []string{"=x"} },
		"too much":         func(c *Command) { c.Env = []string{"A=" + strings.Repeat("x", maxSpec)} },
	} {
		c := target(t, "exit", "0")
		spoil(&c)
		if _, err := (&Launcher{Self: self(t)}).Start(context.Background(), c); err == nil {
			t.Errorf("%s: started", name)
		}
	}
	if _, err := (&Launcher{Self: "/no/such/file"}).Start(context.Background(), target(t, "exit", "0")); err == nil {
		t.Error("started with a launcher that does not exist")
	}
}

func TestWaitSaysWhenTheLauncherIsNotOurs(t *testing.T) {
	t.Parallel()
	p, err := (&Launcher{Self: "/bin/echo"}).Start(context.Background(), target(t, "exit", "0"))
	if err != nil {
		return // it was gone before it could be told anything
	}
	_ = p.Release()
	if got := p.Wait(); got.Code != -1 {
		t.Errorf("exit %+v, want code -1", got)
	}
}

func TestCaptureKeepsHeadAndTail(t *testing.T) {
	t.Parallel()
	text := []byte("abcdefghijklmnopqrstuvwxyz")
	for limit := int64(1); limit <= 30; limit++ {
		for chunk := 1; chunk <= len(text); chunk++ {
			c := &capture{limit: limit}
			for part := range slices.Chunk(text, chunk) {
				_, _ = c.Write(part)
			}
			got, cut := c.result()
			want, wantCut := text, int64(0)
			if wantCut = max(0, int64(len(text))-limit); wantCut > 0 {
				mark := fmt.Appendf(nil, "\n[… %d bytes cut here …]\n", wantCut)
				want = slices.Concat(text[:limit-limit/2], mark, text[26-limit/2:])
			}
			if !bytes.Equal(got, want) || cut != wantCut {
				t.Fatalf("limit %d, chunks of %d: %q, cut %d; want %q", limit, chunk, got, cut, want)
			}
		}
	}
}

func BenchmarkLaunch(b *testing.B) {
	c := target(b)
	c.Argv = []string{"/bin/true"}
	l := &Launcher{Self: self(b)}
	for b.Loop() {
		p, err := l.Start(context.Background(), c)
		check(b, err)
		check(b, p.Release())
		if got := p.Wait(); got.Code != 0 {
			b.Fatalf("%+v", got)
		}
	}
}
