package worker

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"longwatch/backend/agent"
	"longwatch/backend/config"
	"longwatch/backend/guard"
	"longwatch/backend/rundir"
	"longwatch/backend/task"
)

// TestMain makes the test binary what a worker starts: the launcher, and the
// playbook.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "launch":
			syscall.Exit(guard.LaunchMain(os.Args[2:]))
		case "agent":
			syscall.Exit(agent.PlaybookMain(context.Background(), os.Stdin, os.Stdout, os.Stderr))
		case "let-go":
			syscall.Exit(letGoMain())
		}
	}
	os.Exit(m.Run())
}

// newRun makes a run of a task; no worker is at it.
func newRun(t *testing.T, text string) (*rundir.Home, *rundir.Run) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	ws := filepath.Join(dir, "ws")
	must(t, os.Mkdir(ws, 0o700))
	home, err := rundir.OpenHome(filepath.Join(dir, "home"))
	must(t, err)
	t.Cleanup(func() { _ = home.Close() })
	path := filepath.Join(ws, "task.md")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	tk, problems := task.Parse("task.md", []byte(text))
	if config.Refused(problems) {
		t.Fatal(problems)
	}
	settings, _ := config.Parse(nil)
	spec, first, err := home.Prepare(tk, settings, rundir.Wish{
		TaskPath: path, Unattended: true, Version: "test", Now: time.Now(), Agents: []string{"playbook"},
	})
	must(t, err)
	r, err := home.Create(spec, []byte(text), first)
	must(t, err)
	t.Cleanup(func() { _ = r.Close() })
	return home, r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
