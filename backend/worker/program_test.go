package worker

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// letGoMain is a process that lets go of what it inherited, and says whether
// that is gone and what it opened itself is not.
func letGoMain() int {
	own, err := os.Open(os.Args[0])
	if err != nil {
		return 9
	}
	letGo()
	if _, err := unix.FcntlInt(3, unix.F_GETFD, 0); !errors.Is(err, unix.EBADF) {
		return 3
	}
	if _, err := own.Stat(); err != nil {
		return 4
	}
	fmt.Println("let go")
	return 0
}

func TestAWorkerLetsGoOfWhatItInherited(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	must(t, err)
	defer r.Close()
	c := exec.Command(os.Args[0], "let-go")
	c.ExtraFiles = []*os.File{w}
	out, err := c.Output()
	must(t, w.Close())
	if err != nil || string(out) != "let go\n" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestAProgramOfAnotherVersionIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700))
		return path
	}
	same := script("same", `[ "$1" = --version ] && echo longwatch version v1`)
	if err := SameVersion(t.Context(), same, "v1"); err != nil {
		t.Error(err)
	}
	var other *VersionError
	if err := SameVersion(t.Context(), same, "v2"); !errors.As(err, &other) || other.Theirs != "v1" || other.Ours != "v2" {
		t.Errorf("another version: %v", err)
	}
	for name, text := range map[string]string{"silent": "", "stranger": "echo something else", "broken": "exit 3"} {
		if err := SameVersion(t.Context(), script(name, text), "v1"); err == nil || errors.As(err, &other) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := SameVersion(t.Context(), filepath.Join(dir, "missing"), "v1"); err == nil {
		t.Error("a program that is not there")
	}
}

// Not parallel: it changes PATH.
func TestTheProgramIsBesideUsOrInPath(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if _, err := Program(); !errors.Is(err, ErrNoProgram) {
		t.Errorf("nowhere: %v", err)
	}
	path := filepath.Join(dir, programName)
	must(t, os.WriteFile(path, nil, 0o700))
	if got, err := Program(); got != path || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, path)
	}
}
