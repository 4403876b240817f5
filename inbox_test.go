package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// Whatever somebody leaves in an inbox has its receipt, is taken away, and
// holds up nothing: the good command that comes last is carried out.
func TestEverythingInAnInboxHasOneReceipt(t *testing.T) {
	t.Parallel()
	tr := asking(t)
	defer tr.end()
	in := tr.run.InboxPath()
	put := func(name, text string) { must(t, os.WriteFile(filepath.Join(in, name), []byte(text), 0o600)) }
	put("half.json", `{"v":1,"id":"half","kind":"se`)
	put("empty.json", "")
	put("huge.json", `{"v":1,"id":"huge","kind":"send","text":"`+strings.Repeat("x", 1<<20)+`"}`)
	put("wordy.json", `{"v":1,"id":"wordy","kind":"send","text":"`+strings.Repeat("x", 20<<10)+`"}`)
	put("newer.json", `{"v":2,"id":"newer","kind":"send","text":"x"}`)
	put("forged.json", `{"v":1,"id":"good","kind":"abort"}`)
	put("strange.json", `{"v":1,"id":"strange","kind":"fly"}`)
	put("list.json", `[1,2]`)
	put("deep.json", strings.Repeat("[", 50_000))
	put("text.txt", "not a command") // no .json: not for the worker
	put(".tmp-other", "being written")
	must(t, os.MkdirAll(filepath.Join(in, "folder.json", "below"), 0o700))
	put("folder.json/below/file", "x")
	must(t, os.Symlink(filepath.Join(tr.dir, "home", "settings.toml"), filepath.Join(in, "link.json")))
	must(t, syscall.Mkfifo(filepath.Join(in, "fifo.json"), 0o600))
	must(t, tr.run.Send(rundir.Command{ID: "good", Kind: rundir.CommandSend, Text: "hello", At: time.Now().Add(time.Hour).UnixMilli()}))
	want := []string{
		"half", "empty", "huge", "wordy", "newer", "forged", "strange", "list", "deep", "folder", "link", "fifo", "good",
	}
	tr.wait("the inbox to be empty", func() bool { letters, err := tr.run.Inbox(); return err == nil && len(letters) == 0 })
	got := tr.receipts()
	for _, id := range want {
		kind := "command_refused"
		if id == "good" {
			kind = "message_received"
		}
		if len(got[id]) != 1 || got[id][0] != kind {
			t.Errorf("%s: %v, want one %s", id, got[id], kind)
		}
	}
	if len(got) != len(want) {
		t.Errorf("receipts: %v", got)
	}
	tr.finish()
}

// A worker is asked by two windows and a terminal at once, and each command has
// one effect and one receipt.
func TestManyAtOnceHaveOneEffectEach(t *testing.T) {
	t.Parallel()
	tr := asking(t)
	defer tr.end()
	gate := tr.state().Gate.Gate
	var all sync.WaitGroup
	var ids []string
	for i := range 12 {
		c := rundir.Command{ID: fmt.Sprintf("c%d", i), Channel: []string{"window", "browser", "terminal"}[i%3], At: time.Now().UnixMilli()}
		switch i % 4 {
		case 0, 1:
			c.Kind, c.Gate, c.Text = rundir.CommandAnswer, gate, "azure"
		case 2:
			c.Kind, c.Text = rundir.CommandSend, c.ID
		case 3:
			c.Kind = rundir.CommandPause
		}
		ids = append(ids, c.ID)
		for range 2 { // a double click
			all.Go(func() {
				if err := tr.run.Send(c); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	tr.wait("the inbox to be empty", func() bool { letters, err := tr.run.Inbox(); return err == nil && len(letters) == 0 })
	effects := map[string]int{}
	got := tr.receipts()
	for _, id := range ids {
		if len(got[id]) != 1 {
			t.Errorf("%s has the receipts %v", id, got[id])
			continue
		}
		effects[got[id][0]]++
	}
	// The paused run asks nothing new, so the gate is answered once.
	want := map[string]int{"gate_answered": 1, "message_received": 3, "pause_set": 1, "command_refused": 7}
	if fmt.Sprint(effects) != fmt.Sprint(want) {
		t.Errorf("effects %v, want %v", effects, want)
	}
	for range 3 {
		must(t, tr.run.Send(rundir.Command{ID: rundir.NewCommandID(), Kind: rundir.CommandStop}))
	}
	tr.wait("the end", func() bool { return tr.state().Finished != nil })
	if o := tr.state().Outcome(); o != run.Stopped {
		t.Errorf("outcome %s", o)
	}
	tr.finish()
}

// asking is a run whose worker waits for an answer.
func asking(t *testing.T) *trial {
	t.Helper()
	d := troubled(t)
	d.before, d.letters = nil, nil
	tr := d.start(t)
	cmd := tr.worker(faults{})
	must(t, cmd.Start())
	tr.stop = func() error {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		return cmd.Wait()
	}
	tr.wait("a question", func() bool { return tr.state().Gate != nil })
	return tr
}

// finish ends the worker and looks whether all is well.
func (tr *trial) finish() {
	tr.t.Helper()
	if err := tr.stop(); err != nil {
		tr.t.Errorf("the worker: %v: %s", err, tr.run.LastLog())
	}
	if rep, err := tr.run.Verify(); err != nil || rep.Broken != nil {
		tr.t.Errorf("the ledger: %v, %+v", err, rep)
	}
}

func (tr *trial) wait(what string, done func() bool) {
	tr.t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			_ = tr.stop()
			tr.t.Fatalf("waited too long for %s; see %s", what, tr.dir)
		}
	}
}

// receipts lists what became of each command.
func (tr *trial) receipts() map[string][]string {
	tr.t.Helper()
	out := map[string][]string{}
	for _, rec := range tr.records() {
		var r run.Receipt
		if json.Unmarshal(rec.Body, &r) == nil && r.Command != "" {
			out[r.Command] = append(out[r.Command], rec.Kind)
		}
	}
	return out
}
