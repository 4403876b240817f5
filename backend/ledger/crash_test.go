package ledger

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func command(b *book, part string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+part+" "+filepath.Dir(b.dir.Path()))
	cmd.Stderr = os.Stderr
	return cmd
}

// runAndKill starts a writer, kills it at a random moment after its first
// acknowledgement, and returns everything it acknowledged.
func runAndKill(t *testing.T, b *book) map[uint64]string {
	t.Helper()
	cmd := command(b, "append")
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	acknowledged := map[uint64]string{}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if len(acknowledged) == 0 {
			moment := time.Duration(rand.IntN(30_000)) * time.Microsecond
			defer time.AfterFunc(moment, func() { _ = cmd.Process.Kill() }).Stop()
		}
		var seq uint64
		var sum string
		// The pipe's last line may be cut; the child did not see it through.
		if n, _ := fmt.Sscan(lines.Text(), &seq, &sum); n == 2 && len(sum) == hexLen {
			acknowledged[seq] = sum
		}
	}
	_ = cmd.Wait()
	if len(acknowledged) == 0 {
		t.Fatal("the writer acknowledged nothing")
	}
	return acknowledged
}

func TestAcknowledgedRecordsSurviveKill9(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	b.boot = "boot-1"
	acknowledged := map[uint64]string{}
	for range 15 {
		for seq, sum := range runAndKill(t, b) {
			acknowledged[seq] = sum
		}
		if r := b.verify(t); r.Broken != nil {
			t.Fatalf("after a kill: %+v", r.Broken)
		}
	}
	must(t, b.begin(t).Close())
	for r, err := range Read(b.dir, b.name) {
		must(t, err)
		if sum, ok := acknowledged[r.Seq]; ok && sum == r.Sum {
			delete(acknowledged, r.Seq)
		}
	}
	if len(acknowledged) != 0 {
		t.Errorf("lost: %v", acknowledged)
	}
}

// The file size limit makes a real short write, in a process of its own
// because the limit is the process's.
func TestFullDiskLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	out, err := command(b, "fill").Output()
	must(t, err)
	var seq uint64
	var size int
	if _, err := fmt.Sscan(strings.TrimSpace(string(out)), &seq, &size); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	if got := len(b.bytes(t)); got != size {
		t.Errorf("%d bytes, want the part of the failed write taken back to %d", got, size)
	}
	if r := b.verify(t); r.Broken != nil || r.Records != seq {
		t.Errorf("%d acknowledged, report %+v", seq, r)
	}
	must(t, b.begin(t).Close())
}
