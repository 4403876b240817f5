package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// alive reports whether exactly this process still runs.
func (p proc) alive() bool {
	now, err := lookUp(p.pid)
	return err == nil && now.start == p.start && !now.zombie
}

// watched reads a process number a target wrote and finds the process.
func watched(t *testing.T, path string) proc {
	t.Helper()
	p, err := lookUp(readPID(t, path))
	check(t, err)
	t.Cleanup(func() { _ = p.signal(unix.SIGKILL) })
	return p
}

func TestNothingRunsBeforeRelease(t *testing.T) {
	t.Parallel()
	c := target(t, "write", "ran", "x")
	p := started(t, c)
	waitFor(t, "the launcher to wait with the spec read", func() bool {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(p.ident.PID) + "/stat")
		return err == nil && unread(t, p.pipes.control) == 0 && bytes.Contains(b, []byte(") S "))
	})
	table, err := processes(func(proc) {})
	check(t, err)
	for _, row := range table {
		if row.ppid == p.ident.PID {
			t.Errorf("the launcher has a child: %+v", row)
		}
	}
	before := time.Now()
	check(t, p.Release())
	if got := p.Wait(); got.Code != 0 {
		t.Fatalf("exit %+v", got)
	}
	st, err := os.Stat(filepath.Join(c.Dir, "ran"))
	check(t, err)
	if st.ModTime().Before(before.Add(-10 * time.Millisecond)) {
		t.Errorf("written %v, released %v", st.ModTime(), before)
	}
}

// unread is how much the launcher has not taken from the pipe.
func unread(t *testing.T, f *os.File) (n int) {
	t.Helper()
	raw, err := f.SyscallConn()
	check(t, err)
	check(t, raw.Control(func(fd uintptr) { n, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ) }))
	check(t, err)
	return n
}

func TestProgramIsGivenNothingOfOurs(t *testing.T) {
	t.Parallel()
	leak, err := unix.Open(os.DevNull, unix.O_RDONLY, 0) // inheritable on purpose
	check(t, err)
	defer func() { _ = unix.Close(leak) }()
	for profile, umask := range map[Profile]string{Executor: inheritedUmask(t), Thinker: "077"} {
		c := target(t, "status")
		c.Profile = profile
		got := map[string]string{}
		out := released(t, c).Wait()
		if err := json.Unmarshal(out.Stdout, &got); err != nil {
			t.Fatalf("%v: %+v", err, out)
		}
		want := map[string]string{
			"fd0": "pipe nonblock=false", "fd1": "pipe nonblock=false", "fd2": "pipe nonblock=false",
			"no_new_privs": "1", "umask": umask, "tty": "false", "leads_group": "true",
			"in_launcher_session": "true", "dir": c.Dir, "report_pipe": "hidden",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", profile, diff)
		}
	}
}

func inheritedUmask(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("/bin/sh", "-c", "umask").Output()
	check(t, err)
	return string(out[1:4])
}

func TestSignalsAreNamed(t *testing.T) {
	t.Parallel()
	got := released(t, target(t, "die", "9")).Wait()
	if diff := cmp.Diff(Exit{Code: -1, Signal: "SIGKILL"}, got, ignoreTimes, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("exit (-want +got):\n%s", diff)
	}
}

func TestKillLetsAPoliteProgramFinish(t *testing.T) {
	t.Parallel()
	c := target(t, "polite", "pid")
	p := released(t, c)
	readPID(t, filepath.Join(c.Dir, "pid"))
	p.Kill()
	want := Exit{Code: 7, Canceled: true, Stdout: []byte("bye")}
	if diff := cmp.Diff(want, p.Wait(), ignoreTimes, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("exit (-want +got):\n%s", diff)
	}
}

func TestDeadlineEndsAProgramThatIgnoresSIGTERM(t *testing.T) {
	t.Parallel()
	c := target(t, "stubborn", "pid")
	c.Deadline, c.Grace = 100*time.Millisecond, 50*time.Millisecond
	want := Exit{Code: -1, Signal: "SIGKILL", TimedOut: true}
	if diff := cmp.Diff(want, released(t, c).Wait(), ignoreTimes, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("exit (-want +got):\n%s", diff)
	}
}

func TestNothingSurvivesItsEpisode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		target   string
		strays   int
		deadline time.Duration
	}{
		"a child that holds the output open":     {"child", 1, time.Minute},
		"a daemon of two forks and a session":    {"daemon", 1, time.Minute},
		"a program that replaces what is killed": {"hydra", 1, 500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			com := target(t, c.target, "pid")
			com.Deadline, com.Grace = c.deadline, 50*time.Millisecond
			p := released(t, com)
			pidFile := filepath.Join(com.Dir, "pid")
			if c.target == "hydra" {
				pidFile += ".head"
			}
			pid := readPID(t, pidFile)
			got := p.Wait()
			if row, err := lookUp(pid); err == nil {
				t.Errorf("still there: %+v", row)
			}
			if got.Stragglers != c.strays || got.Survivors != 0 {
				t.Errorf("%d stragglers, %d survivors; want %d, 0", got.Stragglers, got.Survivors, c.strays)
			}
		})
	}
}

// TestAProgramThatNeverStandsStillIsCaught runs a chain of processes, each of
// which starts the next and ends at once.
func TestAProgramThatNeverStandsStillIsCaught(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]string{
		"in one group":            "[ -e stop ] || /bin/sh ./next &",
		"each in its own session": "[ -e stop ] || setsid /bin/sh ./next &",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := target(t)
			write(t, filepath.Join(c.Dir, "next"), next)
			c.Argv = []string{"/bin/sh", "-c", `trap "" TERM; /bin/sh ./next; >running; exec sleep 3600`}
			c.Env, c.Grace = []string{"PATH=/usr/bin:/bin"}, 10*time.Millisecond
			t.Cleanup(func() { write(t, filepath.Join(c.Dir, "stop"), "") })
			p := released(t, c)
			waitFor(t, "the chain to run", func() bool {
				_, err := os.Stat(filepath.Join(c.Dir, "running"))
				return err == nil
			})
			p.Kill()
			if got := p.Wait(); got.Survivors != 0 {
				t.Errorf("exit %+v, want no survivor", got)
			}
			if killed, err := Reap(p.Ident()); killed || err != nil {
				t.Errorf("found afterwards: %t, %v", killed, err)
			}
		})
	}
}

func TestWaitReturnsWhenTheProgramKillsItsLauncher(t *testing.T) {
	// Not parallel: this process becomes a subreaper meanwhile, as a worker is.
	check(t, BecomeSubreaper())
	defer func() { check(t, unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)) }()
	c := target(t, "kill-launcher", "pid")
	p := released(t, c)
	stray := watched(t, filepath.Join(c.Dir, "pid"))
	got := p.Wait()
	if !got.LauncherLost || got.Signal != "SIGKILL" || got.Code != -1 || got.Survivors != 0 {
		t.Errorf("exit %+v, want a lost launcher", got)
	}
	if stray.alive() {
		t.Error("a child of the program is still alive")
	}
	table, err := processes(func(proc) {})
	check(t, err)
	for _, row := range table {
		if row.ppid == os.Getpid() {
			t.Errorf("not reaped: %+v", row)
		}
	}
}

func TestWaitReturnsWhenTheProgramStopsItsLauncher(t *testing.T) {
	t.Parallel()
	if got := released(t, target(t, "stop-launcher")).Wait(); got.Code != 0 || got.LauncherLost {
		t.Errorf("exit %+v", got)
	}
}

// startWorker runs a worker process of its own and waits for its tree.
func startWorker(t *testing.T, dir string, env ...string) (*exec.Cmd, Ident) {
	t.Helper()
	w := exec.Command(self(t), "target", "worker", dir)
	w.Env = env
	check(t, w.Start())
	t.Cleanup(func() {
		_ = w.Process.Kill()
		_ = w.Wait()
	})
	var id Ident
	waitFor(t, "the worker to record its tree", func() bool {
		b, err := os.ReadFile(filepath.Join(dir, "ident"))
		return err == nil && json.Unmarshal(b, &id) == nil
	})
	return w, id
}

func TestTreeDiesWithItsWorker(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, id := startWorker(t, dir)
	program := watched(t, filepath.Join(dir, "pid"))
	launcher, err := lookUp(id.PID)
	check(t, err)
	check(t, w.Process.Kill())
	waitFor(t, "the program to die", func() bool { return !program.alive() })
	waitFor(t, "the launcher to leave", func() bool { return !launcher.alive() })
}

func TestWorkerDeathBeforeReleaseRunsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, id := startWorker(t, dir, "HOLD=1")
	launcher, err := lookUp(id.PID)
	check(t, err)
	check(t, w.Process.Kill())
	waitFor(t, "the launcher to leave", func() bool { return !launcher.alive() })
	if _, err := os.Stat(filepath.Join(dir, "pid")); err == nil {
		t.Error("the program ran")
	}
}

func TestReapKillsTheRecordedTree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, id := startWorker(t, dir)
	program := watched(t, filepath.Join(dir, "pid"))
	launcher, err := lookUp(id.PID)
	check(t, err)
	// A stopped launcher cannot notice that its worker is gone.
	check(t, launcher.signal(unix.SIGSTOP))
	check(t, w.Process.Kill())
	killed, err := Reap(id)
	if !killed || err != nil {
		t.Errorf("killed %t, %v", killed, err)
	}
	if program.alive() || launcher.alive() {
		t.Errorf("alive: program %t, launcher %t", program.alive(), launcher.alive())
	}
	if killed, err := Reap(id); killed || err != nil {
		t.Errorf("again: killed %t, %v; want nothing left", killed, err)
	}
}

func TestReapFindsTheTreeOfADeadLauncherByItsMark(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, id := startWorker(t, dir)
	program := watched(t, filepath.Join(dir, "pid"))
	check(t, w.Process.Signal(unix.SIGSTOP))
	check(t, unix.Kill(id.PID, unix.SIGKILL))
	check(t, w.Process.Kill())
	if killed, err := Reap(id); !killed || err != nil {
		t.Errorf("killed %t, %v", killed, err)
	}
	if program.alive() {
		t.Error("the program is still alive")
	}
}

func TestReapNeverTouchesAStranger(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stranger := exec.Command(self(t), "target", "sleep", filepath.Join(dir, "pid"))
	check(t, stranger.Start())
	defer func() {
		check(t, stranger.Process.Kill())
		_ = stranger.Wait()
	}()
	p := watched(t, filepath.Join(dir, "pid"))
	for name, id := range map[string]Ident{
		"started later":   {BootID: BootID(), PID: p.pid, StartTicks: p.start - 1},
		"started earlier": {BootID: BootID(), PID: p.pid, StartTicks: p.start + 1},
		"another boot":    {BootID: "before", PID: p.pid, StartTicks: p.start},
		"unknown boot":    {PID: p.pid, StartTicks: p.start},
		"init":            {BootID: BootID(), PID: 1},
	} {
		if killed, err := Reap(id); killed {
			t.Errorf("%s: killed %t, %v", name, killed, err)
		}
	}
	other := proc{pid: p.pid, start: p.start + 1}
	if err := other.signal(unix.SIGKILL); err == nil {
		t.Error("a signal for an earlier process with that number was sent")
	}
	if !p.alive() {
		t.Error("the stranger is dead")
	}
}

func TestManyLaunchesLeaveNothingBehind(t *testing.T) {
	// Not parallel: it counts what this process holds.
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	l, c := &Launcher{Self: self(t)}, target(t)
	c.Argv = []string{"/bin/true"}
	fds := openDescriptors(t)
	for range 100 {
		p, err := l.Start(context.Background(), c)
		check(t, err)
		check(t, p.Release())
		if got := p.Wait(); got.Code != 0 || got.Stragglers != 0 {
			t.Fatalf("exit %+v", got)
		}
	}
	if got := openDescriptors(t); got > fds {
		t.Errorf("%d descriptors open, %d before", got, fds)
	}
	table, err := processes(func(proc) {})
	check(t, err)
	for _, row := range table {
		if row.ppid == os.Getpid() {
			t.Errorf("child left: %+v", row)
		}
	}
}

func openDescriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	check(t, err)
	return len(list)
}
