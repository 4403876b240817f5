package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// programName is the plain build: what workers are started from.
const programName = "longwatch"

// askWithin bounds the question for a program's version.
const askWithin = 10 * time.Second

// ErrNoProgram: the plain build is not there.
var ErrNoProgram = errors.New("the program `longwatch` is neither beside this one nor in PATH")

// Program finds the plain build for another one of ours, such as the window:
// beside it, else in PATH.
func Program() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	beside := filepath.Join(filepath.Dir(self), programName)
	if st, err := os.Stat(beside); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
		return beside, nil
	}
	path, err := exec.LookPath(programName)
	if err != nil {
		return "", ErrNoProgram
	}
	return filepath.Abs(path)
}

// VersionError is a program of another version than the one that wants to
// start it.
type VersionError struct{ Path, Theirs, Ours string }

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s is version %s, this is %s: install both from one build", e.Path, e.Theirs, e.Ours)
}

// SameVersion asks a program for its version. Another one than ours is a
// *VersionError: two versions must not mix in a run.
func SameVersion(ctx context.Context, path, ours string) error {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return fmt.Errorf("ask %s for its version: %w", path, err)
	}
	theirs, is := strings.CutPrefix(strings.TrimSpace(string(out)), programName+" version ")
	if !is {
		return fmt.Errorf("%s is no longwatch", path)
	}
	if theirs != ours {
		return &VersionError{Path: path, Theirs: theirs, Ours: ours}
	}
	return nil
}
