package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"longwatch/backend/run"
)

// counted is one step that says when it has begun and ends when it may.
func counted(t testing.TB) drama {
	t.Helper()
	return steps(t, "echo x >> ../effects; touch ../began; while [ ! -e ../go ]; do sleep 0.02; done; echo x > out.txt", "file out.txt exists")
}

// steps is a drama of one step.
func steps(t testing.TB, command, expect string) drama {
	t.Helper()
	dir := t.TempDir()
	text := "---\ntitle: One\nsteps:\n  - name: One\n    run: |\n      " + command + "\n    expect: " + expect + "\n---\n"
	must(t, os.WriteFile(filepath.Join(dir, "task.md"), []byte(text), 0o600))
	return drama{workspace: dir, unattended: true}
}

// happened waits for a file beside the workspace.
func (tr *trial) happened(name string) {
	tr.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(tr.dir, name)); err == nil {
			return
		}
		if time.Now().After(end) {
			tr.t.Fatalf("%s never comes; see %s", name, tr.dir)
		}
	}
}

// A logout or a shutdown ends the agent with the worker; the run can go on and
// nobody has failed.
func TestASignalEndsTheWorkerAndItsAgentAndCountsNoFailure(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			tr := counted(t).start(t)
			defer tr.end()
			cmd := tr.worker(faults{})
			must(t, cmd.Start())
			tr.happened("began")
			must(t, cmd.Process.Signal(syscall.SIGHUP)) // a closed terminal ends nothing
			must(t, cmd.Process.Signal(sig))
			must(t, cmd.Wait())
			if left := strays(tr.dir); len(left) > 0 {
				t.Errorf("it left %v", left)
			}
			s := tr.state()
			if s.Open != nil || s.Finished != nil || s.Current().Executed.Fail != run.FailCanceled {
				t.Errorf("open %v, finished %v, executed %+v", s.Open, s.Finished, s.Current().Executed)
			}
			must(t, os.WriteFile(filepath.Join(tr.dir, "go"), nil, 0o600))
			if code := tr.life(faults{}); code != 0 {
				t.Errorf("resumed it ends with %d: %s", code, tr.run.LastLog())
			}
			s = tr.state()
			if s.Outcome() != run.Complete || s.Streak != 0 || tr.effects() != 2 {
				t.Errorf("%s, streak %d, %d effects", s.Outcome(), s.Streak, tr.effects())
			}
			if why := tr.blind(); why != "" {
				t.Error(why)
			}
		})
	}
}

// With too few descriptors or processes a worker ends and says so, at whatever
// point it is, or makes do; with enough of them the run comes to its end, and no
// agent is blamed.
func TestWithoutDescriptorsOrProcessesARunWaitsForThem(t *testing.T) {
	t.Parallel()
	var limits []faults
	for n := uint64(1); n < 40; n += 2 {
		limits = append(limits, faults{Files: n})
	}
	if os.Geteuid() == 0 {
		t.Log("process limits do not bind root: only descriptors are tried")
	} else {
		limits = append(limits, faults{Procs: 1})
	}
	d := steps(t, "echo x >> ../effects; echo x > out.txt", "file out.txt exists")
	ended := 0
	for _, f := range limits {
		tr := d.start(t)
		switch code := tr.life(f); code {
		case 0:
		case 1, 2: // 2 is the runtime itself, before there is a worker
			ended++
			if why := tr.run.LastLog(); code == 1 && !strings.Contains(why, "too many open files") && !strings.Contains(why, "unavailable") {
				t.Errorf("%d files: it does not say why: %q", f.Files, why)
			}
		default:
			t.Errorf("%d files: the worker ends with %d: %s", f.Files, code, tr.run.LastLog())
		}
		if code := tr.life(faults{}); code != 0 {
			t.Errorf("%d files: resumed it ends with %d: %s", f.Files, code, tr.run.LastLog())
		}
		s := tr.state()
		if s.Outcome() != run.Complete || s.Streak != 0 || tr.effects() != 1 {
			t.Errorf("%d files: %s, streak %d, %d effects; see %s", f.Files, s.Outcome(), s.Streak, tr.effects(), tr.dir)
		}
		tr.end()
	}
	if ended == 0 {
		t.Error("no limit was low enough to end a worker")
	}
}

// Nothing of a run is in the person's home folder, and nothing needs it.
func TestAVanishedHomeFolderStopsNothing(t *testing.T) {
	t.Parallel()
	tr := counted(t).start(t)
	defer tr.end()
	cmd := tr.worker(faults{})
	must(t, cmd.Start())
	tr.happened("began")
	must(t, os.RemoveAll(filepath.Join(tr.dir, "user")))
	must(t, os.WriteFile(filepath.Join(tr.dir, "go"), nil, 0o600))
	must(t, cmd.Wait())
	if got := tr.state().Outcome(); got != run.Complete {
		t.Errorf("%q: %s", got, tr.run.LastLog())
	}
}

// A state folder that vanishes is a broken run, and the worker does not go on
// writing where nobody will find it.
func TestAVanishedStateFolderEndsTheWorker(t *testing.T) {
	t.Parallel()
	tr := counted(t).start(t)
	cmd := tr.worker(faults{})
	must(t, cmd.Start())
	tr.happened("began")
	must(t, os.Rename(tr.home.Path(), tr.home.Path()+".gone"))
	must(t, os.WriteFile(filepath.Join(tr.dir, "go"), nil, 0o600))
	_ = cmd.Wait()
	must(t, os.Rename(tr.home.Path()+".gone", tr.home.Path()))
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		if why := tr.run.LastLog(); strings.Contains(why, "did not say why") {
			t.Errorf("exit %d: %s", code, why)
		}
		if code := tr.life(faults{}); code != 0 {
			t.Errorf("put back, it ends with %d: %s", code, tr.run.LastLog())
		}
	}
	if s := tr.state(); s.Outcome() != run.Complete || tr.effects() != 1 {
		t.Errorf("%q, %d effects", s.Outcome(), tr.effects())
	}
	tr.end()
}
