package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"longwatch/backend/cli"
	"longwatch/backend/rundir"
)

// TestMain makes the test binary every program of a scenario: longwatch with
// all its faces, and the agent that plays the answers of a scenario.
//
// A worker starts its launcher, and the launcher our own agent, by a path that
// says nothing about the program (/proc/self/exe), so these faces are known by
// their first argument, which no test flag can be.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && slices.Contains([]string{"launch", "agent", "worker"}, os.Args[1]) {
		if os.Args[1] == "worker" {
			plant(os.Getenv(faultEnv))
		}
		leave(face(os.Args[1:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "scenario" {
		leave(playScenario(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		leave(cli.Main("test", cli.Assets{Page: emptyPage(), Sample: assets().Sample}, os.Args[1:]))
	}
	testscript.Main(m, map[string]func(){
		"longwatch":  func() { leave(face(os.Args[1:])) },
		"fake-agent": func() { leave(playScenario(os.Args[1:])) },
	})
}

// leave ends a program at once: with the race detector os.Exit waits a second
// for reports, in each of the hundreds of processes of the scripts. A report
// is on stderr by then, or in the worker's log.
func leave(code int) { syscall.Exit(code) }

// TestScripts runs the command line for real: each script has a state folder
// and a home folder of its own, and fails when it leaves a process behind.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		Setup:               prepare,
		Condition:           condition,
		Cmds:                commands(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// prepare makes the folders of a script. A script with a roles.txt gets the
// agent "fake", which plays it, in front of its own settings.
func prepare(e *testscript.Env) error {
	home := filepath.Join(e.WorkDir, "home")
	sample, err := filepath.Abs(filepath.Join("examples", "quarterly-report"))
	if err != nil {
		return err
	}
	for _, dir := range []string{home, filepath.Join(e.WorkDir, "user")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	e.Setenv("LONGWATCH_HOME", home)
	e.Setenv("HOME", filepath.Join(e.WorkDir, "user"))
	e.Setenv("SAMPLE", sample)
	e.Defer(func() {
		if left := leftovers(e.WorkDir, home); left != "" {
			e.T().Fatal("left behind: " + left)
		}
		if report := confession(home); report != "" {
			e.T().Fatal(report)
		}
	})
	roles := filepath.Join(e.WorkDir, "roles.txt")
	if _, err := os.Stat(roles); err != nil {
		return nil
	}
	return nameAgent(e, filepath.Join(home, rundir.SettingsName), roles)
}

func nameAgent(e *testscript.Env, settings, roles string) error {
	program := ""
	for _, dir := range filepath.SplitList(e.Getenv("PATH")) {
		if p := filepath.Join(dir, "fake-agent"); program == "" && executable(p) {
			program = p
		}
	}
	own, err := os.ReadFile(settings)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	text := fmt.Sprintf("agent = \"fake\"\n%s\n[agents.fake]\ncommand = [%q, %q]\n", own, program, roles)
	return os.WriteFile(settings, []byte(text), 0o600)
}

func executable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o100 != 0
}

// condition knows [root]: file permissions do not bind it; and [mount]: it can
// mount a small disk.
func condition(name string) (bool, error) {
	switch name {
	case "root":
		return os.Geteuid() == 0, nil
	case "mount":
		return canMount(), nil
	}
	return false, fmt.Errorf("no condition %q", name)
}

// leftovers ends what a script has left at work and says what it was. A worker
// that has nothing left to do gets the time to let go of its run.
func leftovers(work, home string) string {
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		found := append(workersOf(home), strays(work)...)
		if len(found) == 0 {
			return ""
		}
		if time.Now().Before(end) {
			continue
		}
		var names []string
		for _, p := range found {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
			names = append(names, fmt.Sprintf("%s (pid %d)", p.what, p.pid))
		}
		return strings.Join(names, ", ")
	}
}

// confession finds what a detached worker cannot tell otherwise.
func confession(home string) string {
	logs, _ := filepath.Glob(filepath.Join(home, "runs", "*", "worker.log"))
	for _, name := range logs {
		text, _ := os.ReadFile(name)
		for _, sign := range []string{"DATA RACE", "panic: "} {
			if strings.Contains(string(text), sign) {
				return name + ":\n" + string(text)
			}
		}
	}
	return ""
}

type process struct {
	pid  int
	what string
}

// workersOf lists the workers that have a run of the state folder.
func workersOf(home string) (found []process) {
	h, err := rundir.OpenHome(home)
	if err != nil {
		return nil
	}
	defer h.Close()
	ids, err := h.IDs()
	if err != nil {
		return nil
	}
	for _, id := range ids {
		r, err := h.Open(id)
		if err != nil {
			continue
		}
		if pid, alive := r.Worker(); alive && pid > 0 {
			found = append(found, process{pid, "worker of " + id})
		}
		_ = r.Close()
	}
	return found
}

// strays lists processes that work in a script's folders, where the system
// tells.
func strays(work string) (found []process) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, l := range links {
		dir, err := os.Readlink(l)
		if err != nil || !strings.HasPrefix(dir, work+"/") {
			continue
		}
		var pid int
		if _, err := fmt.Sscanf(l, "/proc/%d/cwd", &pid); err == nil && pid != os.Getpid() {
			name, _ := os.ReadFile(filepath.Join(filepath.Dir(l), "comm"))
			found = append(found, process{pid, "program " + strings.TrimSpace(string(name))})
		}
	}
	return found
}
