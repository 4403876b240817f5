package worker

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// shell writes a program that stands in for a person's login shell.
func shell(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shell")
	must(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700))
	return path
}

func TestALoginShellSaysWhereProgramsAreAndNothingElse(t *testing.T) {
	t.Parallel()
	sh := shell(t, `[ "$1" = -l ] || exit 9
echo "Welcome!"
export PATH="/opt/with space:$PATH" https_proxy=http://proxy:1 SECRET=x
exec /bin/sh "$2" "$3"`)
	got, err := LoginEnvironment(t.Context(), sh)
	must(t, err)
	for i, v := range got {
		if strings.HasPrefix(v, "PATH=") {
			v, _, _ = strings.Cut(v, ":")
		}
		got[i] = v
	}
	want := map[string]bool{"PATH=/opt/with space": true, "https_proxy=http://proxy:1": true}
	for _, v := range got {
		if name, _, _ := strings.Cut(v, "="); strings.HasSuffix(strings.ToLower(name), "_proxy") && !want[v] {
			continue // of the machine that runs the test
		}
		if !want[v] {
			t.Errorf("it said %q", v)
		}
		delete(want, v)
	}
	if len(want) > 0 {
		t.Errorf("it did not say %v", want)
	}
}

func TestALoginShellThatHangsIsEnded(t *testing.T) {
	t.Parallel()
	began := time.Now()
	if _, err := LoginEnvironment(t.Context(), shell(t, "sleep 60 & sleep 60")); err == nil {
		t.Error("it ended well")
	}
	if d := time.Since(began); d < loginWithin || d > loginWithin+20*time.Second {
		t.Errorf("it took %s", d)
	}
	for name, sh := range map[string]string{"failing": shell(t, "exit 3"), "missing": "/nowhere/shell"} {
		if got, err := LoginEnvironment(t.Context(), sh); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestWhatAProfilePrintsIsNoVariable(t *testing.T) {
	t.Parallel()
	for out, want := range map[string][]string{
		"Welcome\nPATH=/a\x00HOME=/b\x00no_proxy=x=y\x00": {"PATH=/a", "no_proxy=x=y"},
		"no line end PATH=/a\x00PATH=\x00":                nil,
		"":                                                nil,
		"\x00\x00=\x00PATH":                               nil,
		"A=multi\nPATH=/inside\x00PATH=/a" + "\x00B=\x00": {"PATH=/a"},
	} {
		if diff := cmp.Diff(want, loginVariables([]byte(out))); diff != "" {
			t.Errorf("%q: -want +got\n%s", out, diff)
		}
	}
}

func FuzzLoginVariables(f *testing.F) {
	f.Add([]byte("hi\nPATH=/a\x00no_proxy=x\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		for _, v := range loginVariables(out) {
			name, value, _ := strings.Cut(v, "=")
			if !slices.Contains(loginNames, name) || value == "" || strings.ContainsRune(v, 0) {
				t.Errorf("%q gives %q", out, v)
			}
		}
	})
}
