package guard

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary is also the launcher and every program it launches.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case launchArg:
			leave(LaunchMain(os.Args[2:]))
		case "target":
			leave(targetMain(os.Args[2], os.Args[3:]))
		}
	}
	os.Exit(m.Run())
}

// leave ends the process without the second that the race detector takes to
// exit, unless it has found something.
func leave(code int) {
	if raceErrors() > 0 {
		os.Exit(66)
	}
	syscall.Exit(code)
}

// targetMain is what launched programs do; those that need Linux are in
// linuxTarget.
func targetMain(name string, args []string) int {
	switch name {
	case "write":
		must(os.WriteFile(args[0], []byte(args[1]), 0o666))
	case "say":
		fmt.Fprint(os.Stdout, args[0])
		fmt.Fprint(os.Stderr, args[1])
	case "exit":
		code, err := strconv.Atoi(args[0])
		must(err)
		return code
	case "env":
		fmt.Print(strings.Join(os.Environ(), "\n"))
	case "flood":
		block := make([]byte, 64<<10)
		for {
			if _, err := os.Stdout.Write(block); err != nil {
				return 1
			}
		}
	case "sleep":
		writePID(args[0])
		time.Sleep(time.Hour)
	default:
		return linuxTarget(name, args)
	}
	return 0
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
}

// writePID makes the file appear with all its content.
func writePID(path string) {
	must(os.WriteFile(path+".tmp", []byte(strconv.Itoa(os.Getpid())), 0o666))
	must(os.Rename(path+".tmp", path))
}

func readPID(t *testing.T, path string) int {
	t.Helper()
	var pid int
	waitFor(t, "a process number in "+filepath.Base(path), func() bool {
		b, err := os.ReadFile(path)
		if err != nil {
			return false
		}
		pid, err = strconv.Atoi(string(b))
		return err == nil
	})
	return pid
}

func waitFor(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !cond(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited too long for %s", what)
		}
	}
}

func self(t testing.TB) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
