package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"longwatch/backend/config"
	"longwatch/backend/ledger"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
	"longwatch/backend/rundir"
	"longwatch/backend/task"
)

// drama is a task to be run again and again: its workspace, and what a person
// does in it.
type drama struct {
	workspace  string // folder to copy, with a task.md
	roles      string // a scenario, or empty for the playbook
	unattended bool
	before     []rundir.Command  // in the inbox before the first worker
	letters    map[string]string // raw command files, too
	kinds      []string          // of records it is sure to have
}

// trial is one run of a drama, in folders of its own.
type trial struct {
	t    testing.TB
	dir  string // holds everything: home, ws, and what steps count beside it
	home *rundir.Home
	run  *rundir.Run
	stop func() error // ends the worker that a test has started
}

// start makes the run; no worker is at it yet.
func (p drama) start(t testing.TB) *trial {
	t.Helper()
	dir, err := os.MkdirTemp("", "longwatch-trial-")
	must(t, err)
	dir, err = filepath.EvalSymlinks(dir)
	must(t, err)
	tr := &trial{t: t, dir: dir}
	for _, d := range []string{"home", "tmp", "user"} {
		must(t, os.Mkdir(filepath.Join(dir, d), 0o700))
	}
	must(t, os.CopyFS(tr.workspace(), os.DirFS(p.workspace)))
	tr.home, err = rundir.OpenHome(filepath.Join(dir, "home"))
	must(t, err)
	settings, _ := config.Parse(nil)
	if p.roles != "" {
		roles := filepath.Join(dir, "roles.txt")
		must(t, os.WriteFile(roles, []byte(p.roles), 0o600))
		settings.Agent = "fake"
		settings.Agents = map[string]config.Program{"fake": {Command: []string{self(t), "scenario", roles}}}
	}
	path := filepath.Join(tr.workspace(), "task.md")
	data, problems := task.Read(path)
	tk, more := task.Parse("task.md", data)
	if config.Refused(problems) || config.Refused(more) {
		t.Fatal(problems, more)
	}
	spec, first, err := tr.home.Prepare(tk, settings, rundir.Wish{
		TaskPath: path, Unattended: p.unattended, Version: "test", Now: time.Now(), Agents: []string{"playbook", "fake"},
	})
	must(t, err)
	tr.run, err = tr.home.Create(spec, data, first)
	must(t, err)
	for _, c := range p.before {
		must(t, tr.run.Send(c))
	}
	for name, text := range p.letters {
		must(t, os.WriteFile(filepath.Join(tr.run.InboxPath(), name), []byte(text), 0o600))
	}
	return tr
}

func (tr *trial) workspace() string { return filepath.Join(tr.dir, "ws") }

// end removes everything, when the trial went well.
func (tr *trial) end() {
	_ = tr.run.Close()
	_ = tr.home.Close()
	if !tr.t.Failed() {
		must(tr.t, os.RemoveAll(tr.dir))
	}
}

func self(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	must(t, err)
	return path
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// killed is the exit code of a worker that a signal ended.
const killed = -1

// life is one worker, with what happens to it, until it ends. Gates are
// answered while it lives.
func (tr *trial) life(f faults) int {
	tr.t.Helper()
	cmd := tr.worker(f)
	must(tr.t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	led, err := tr.run.Follow()
	must(tr.t, err)
	defer led.Close()
	s := &run.State{}
	for limit := time.Now().Add(patience); ; {
		select {
		case err := <-ended:
			var x *exec.ExitError
			if errors.As(err, &x) {
				return x.ExitCode()
			}
			return 0
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(limit) {
			_ = cmd.Process.Signal(syscall.SIGQUIT)
			tr.t.Fatalf("the worker never ends; see %s", tr.dir)
		}
		tr.attend(led, s)
	}
}

func (tr *trial) worker(f faults) *exec.Cmd {
	cmd := exec.Command(self(tr.t), "worker", tr.run.ID)
	log, err := tr.run.OpenLog()
	must(tr.t, err)
	tr.t.Cleanup(func() { _ = log.Close() })
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, "/"
	cmd.Env = append(os.Environ(), "LONGWATCH_HOME="+tr.home.Path(), "HOME="+filepath.Join(tr.dir, "user"),
		"TMPDIR="+filepath.Join(tr.dir, "tmp"), f.env())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// attend answers the open gate, with an id of the gate's: however often it is
// sent it counts once.
func (tr *trial) attend(led *ledger.Follower, s *run.State) {
	recs, err := led.Next()
	if err != nil {
		return // what is wrong shows when the ledger is verified
	}
	for _, rec := range recs {
		e, err := rundir.Entry(rec)
		if err == nil {
			err = s.Apply(e)
		}
		if err != nil {
			tr.t.Fatalf("record %d: %v", rec.Seq, err)
		}
	}
	if s.Gate == nil || len(recs) == 0 {
		return
	}
	c := rundir.Command{ID: "answer-" + s.Gate.Gate, Kind: rundir.CommandAnswer, Gate: s.Gate.Gate, Channel: "test"}
	switch s.Gate.Trigger {
	case run.GateCompleted:
		c.End = true
	case run.GateNeedsInput:
		c.Text = "azure"
	case run.GateMaxRounds:
		c.Rounds = 5
	case run.GateNeedsHuman, run.GateRepeatedFailure:
	}
	must(tr.t, tr.run.Send(c))
}

// result is what has to be the same whatever happened on the way.
type result struct {
	Outcome   run.Outcome
	Records   []string
	Workspace map[string]string
	Receipts  map[string]int // commands and how often they had an effect
}

func (tr *trial) result() result {
	tr.t.Helper()
	s := tr.state()
	out := result{Outcome: s.Outcome(), Workspace: files(tr.t, tr.workspace()), Receipts: map[string]int{}}
	for _, b := range s.Records {
		if b.Mark == protocol.Completed {
			out.Records = append(out.Records, b.ID+" "+b.Text)
		}
	}
	for _, rec := range tr.records() {
		var r run.Receipt
		if json.Unmarshal(rec.Body, &r) == nil && r.Command != "" && !strings.HasPrefix(r.Command, "answer-") {
			out.Receipts[r.Command]++
		}
	}
	return out
}

func (tr *trial) state() *run.State {
	tr.t.Helper()
	s, err := tr.run.Fold()
	if err != nil {
		tr.t.Fatalf("%v; see %s", err, tr.dir)
	}
	return s
}

func (tr *trial) records() []ledger.Record {
	tr.t.Helper()
	led, err := tr.run.Follow()
	must(tr.t, err)
	defer led.Close()
	var all []ledger.Record
	for {
		recs, err := led.Next()
		must(tr.t, err)
		if len(recs) == 0 {
			return all
		}
		all = append(all, recs...)
	}
}

// files reads a folder.
func files(t testing.TB, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, root+"/")] = string(b)
		return err
	}))
	return out
}

// effects is how often the steps had their side effect.
func (tr *trial) effects() int {
	b, _ := os.ReadFile(filepath.Join(tr.dir, "effects"))
	return strings.Count(string(b), "\n")
}

// blind says what is wrong with how often steps were executed: an executor is
// not sent out while nobody has looked at what the one before it did.
func (tr *trial) blind() string {
	sent, looked := 0, true
	for _, rec := range tr.records() {
		e, err := rundir.Entry(rec)
		must(tr.t, err)
		switch ev := e.Event.(type) {
		case run.PhaseStarted:
			if ev.Phase == run.Execute {
				if !looked {
					return "an executor was sent out after another one that nobody audited"
				}
				sent, looked = sent+1, false
			}
		case run.Audited:
			looked = true
		}
	}
	if n := tr.effects(); n > sent {
		return "more side effects than executors that were recorded before they ran"
	}
	return ""
}
