package window

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMain makes the test binary a process that sits until it is killed.
func TestMain(m *testing.M) {
	if home := os.Getenv("LONGWATCH_TEST_SIT"); home != "" {
		s, err := Take(home, Call{})
		if err != nil || s == nil {
			fmt.Println("not taken:", err)
			os.Exit(1)
		}
		fmt.Println("taken")
		s.Serve(func(Call) {})
	}
	os.Exit(m.Run())
}

func takeTwice(t *testing.T, home string) {
	t.Helper()
	s, err := Take(home, Call{})
	must(t, err)
	calls := make(chan Call, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Serve(func(c Call) { calls <- c })
	}()
	want := Call{Paths: [][]byte{[]byte("/tmp/bad\xff\nname")}, Token: "a token"}
	second, err := Take(home, want)
	if second != nil || err != nil {
		t.Fatalf("the second start: %v, %v", second, err)
	}
	if diff := cmp.Diff(want, <-calls); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	must(t, s.Stop())
	<-done
	must(t, s.Leave())
	third, err := Take(home, Call{})
	if third == nil || err != nil {
		t.Fatalf("after it was left: %v, %v", third, err)
	}
	must(t, third.Leave())
}

func TestASecondStartIsHandedOver(t *testing.T) {
	t.Parallel()
	takeTwice(t, stateFolder(t))
}

func TestAKilledProcessLeavesTheSeat(t *testing.T) {
	t.Parallel()
	home := stateFolder(t)
	for range 3 {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "LONGWATCH_TEST_SIT="+home)
		out, err := c.StdoutPipe()
		must(t, err)
		must(t, c.Start())
		word, _ := bufio.NewReader(out).ReadString('\n')
		must(t, c.Process.Signal(syscall.SIGKILL))
		_ = c.Wait()
		if word != "taken\n" {
			t.Fatalf("it said %q", word)
		}
	}
	s, err := Take(home, Call{})
	must(t, err)
	must(t, s.Leave())
}

func TestAWindowThatDoesNotAnswerIsNamed(t *testing.T) {
	t.Parallel()
	home := stateFolder(t)
	s, err := Take(home, Call{})
	must(t, err)
	defer s.Leave()
	must(t, s.Stop()) // it has the seat and listens no more
	_, err = Take(home, Call{})
	if !errors.Is(err, ErrSilent) || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsNoCallIsRefused(t *testing.T) {
	t.Parallel()
	home := stateFolder(t)
	s, err := Take(home, Call{})
	must(t, err)
	defer s.Leave()
	go s.Serve(func(Call) { t.Error("it was taken") })
	for _, text := range []string{"rubbish\n", `{"paths":[` + strings.Repeat(`"eA==",`, mostPaths) + `"eA=="]}`, `{"paths":"x"}`} {
		c, err := net.Dial("unix", filepath.Join(home, folderName, socketName))
		must(t, err)
		_, err = c.Write([]byte(text))
		must(t, err)
		answer, err := bufio.NewReader(c).ReadString('\n')
		if answer != "{\"ok\":false}\n" {
			t.Errorf("%.20s: %q, %v", text, answer, err)
		}
		_ = c.Close()
	}
	must(t, s.Stop())
}

func TestOnlyThePersonReachesTheSocket(t *testing.T) {
	t.Parallel()
	home := stateFolder(t)
	s, err := Take(home, Call{})
	must(t, err)
	defer s.Leave()
	st, err := os.Stat(filepath.Join(home, folderName))
	must(t, err)
	if st.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %s", st.Mode())
	}
	if st, err = os.Stat(filepath.Join(home, folderName, socketName)); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the socket is %v, %v", st, err)
	}
}
