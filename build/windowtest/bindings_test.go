package windowtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// `wails build` compiles the program with the tag bindings and runs it. That
// must write bindings and do nothing else.
func TestTheProgramForBindingsDoesNothingElse(t *testing.T) {
	t.Parallel()
	if os.Getenv(windowVariable) == "" {
		t.Skipf("%s names no window; `make test-window` runs this", windowVariable)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	build := exec.Command("go", "build", "-tags", "bindings", "-o", program, ".")
	build.Dir, build.Env = "../..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	in := filepath.Join(dir, "in")
	must(t, os.Mkdir(in, 0o700))
	settings, err := os.ReadFile("../../wails.json")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(in, "wails.json"), settings, 0o600))
	run := exec.Command(program, "--unknown-flag", "task.md")
	run.Dir, run.Env = in, []string{"HOME=" + in, "PATH=" + os.Getenv("PATH"), "DISPLAY=:65000"}
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	names := func(dir string) []string {
		entries, err := os.ReadDir(dir)
		must(t, err)
		var out []string
		for _, e := range entries {
			out = append(out, e.Name())
		}
		return out
	}
	if diff := cmp.Diff([]string{"bin", "wails.json"}, names(in)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"go", "runtime"}, names(filepath.Join(in, "bin", "wailsjs"))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
