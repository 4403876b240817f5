package safefs

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// startChild runs a part of this binary and returns after its first line.
func startChild(t *testing.T, part string, d *Dir) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+part+" "+d.Path())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { kill(cmd) })
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// kill is kill -9; the second call of a test's end finds nothing to do.
func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

func TestReadersSeeOldOrNewContentOnly(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	cmd := startChild(t, "write", d)
	for range 500 {
		data, err := d.ReadFile("file", 1<<20)
		must(t, err)
		if !isWhole(data) {
			t.Fatalf("%d bytes, not whole", len(data))
		}
	}
	kill(cmd)
}

func TestKilledWriterLeavesWholeContentAndSweepableRest(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	for i := range 12 {
		cmd := startChild(t, "write", d)
		time.Sleep(time.Duration(i) * time.Millisecond) // a random point to die at
		kill(cmd)
		data, err := d.ReadFile("file", 1<<20)
		must(t, err)
		if !isWhole(data) {
			t.Fatalf("%d bytes, not whole", len(data))
		}
	}
	must(t, d.Sweep())
	got, err := d.Names()
	must(t, err)
	if diff := cmp.Diff([]string{"file"}, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestSweepSparesWhatIsBeingWrittenAndWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	must(t, d.fd(func(fd int) error {
		f, _, err := createTemp(fd)
		must(t, err)
		t.Cleanup(func() { _ = f.Close() })
		return nil
	}))
	_, err := d.Mkdir(".tmp-folder")
	must(t, err)
	must(t, os.Symlink("x", filepath.Join(d.Path(), ".tmp-link")))
	before, err := d.Names()
	must(t, err)
	must(t, d.WriteFile(".tmp-left", nil))
	must(t, d.Sweep())
	got, err := d.Names()
	must(t, err)
	if diff := cmp.Diff(before, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestFailedReplacementKeepsOldContentAndNoTemporary(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	_, err := d.Mkdir("taken/x")
	must(t, err)
	if err := d.WriteFile("taken", nil); err == nil {
		t.Error("a file replaced a folder")
	}
	names, err := d.Names()
	must(t, err)
	if strings.Join(names, " ") != "taken" {
		t.Errorf("names %q", names)
	}
}

func TestReplacingALinkLeavesItsTargetAlone(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	must(t, d.WriteFile("target", []byte("old")))
	must(t, os.Symlink("target", filepath.Join(d.Path(), "link")))
	must(t, d.WriteFile("link", []byte("new")))
	for name, want := range map[string]string{"target": "old", "link": "new"} {
		if got, err := d.ReadFile(name, 10); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
}

func TestLockRefusesASecondHolderUntilTheFirstDies(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	cmd := startChild(t, "hold", d)
	if _, err := d.Lock("lock"); !errors.Is(err, ErrHeld) {
		t.Errorf("second holder: %v", err)
	}
	if content, held, err := d.Holder("lock"); string(content) != "child" || !held || err != nil {
		t.Errorf("holder: %q %v %v", content, held, err)
	}
	kill(cmd)
	if content, held, err := d.Holder("lock"); string(content) != "child" || held || err != nil {
		t.Errorf("after kill -9: %q %v %v", content, held, err)
	}
	l, err := d.Lock("lock")
	must(t, err)
	must(t, l.Write([]byte("a longer name")))
	must(t, l.Write([]byte("me")))
	if content, held, err := d.Holder("lock"); string(content) != "me" || !held || err != nil {
		t.Errorf("second lease: %q %v %v", content, held, err)
	}
	must(t, l.Release())
	if content, held, err := d.Holder("lock"); len(content) != 0 || held || err != nil {
		t.Errorf("after release: %q %v %v", content, held, err)
	}
}

func TestLookingAtALockNeverMakesTakingItFail(t *testing.T) {
	t.Parallel()
	d := tempDir(t)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				_, _, _ = d.Holder("lock")
			}
		}
	}()
	for range 50 {
		l, err := d.Lock("lock")
		if err != nil {
			t.Error(err)
			break
		}
		must(t, l.Release())
	}
	close(stop)
	<-done
}

func TestHolderOfALockNobodyTook(t *testing.T) {
	t.Parallel()
	if content, held, err := tempDir(t).Holder("lock"); content != nil || held || err != nil {
		t.Errorf("%q %v %v", content, held, err)
	}
}
