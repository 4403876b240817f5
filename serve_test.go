package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/api"
)

const oneStep = `---
title: One step
steps: [{name: One, run: echo x > out.txt, expect: file out.txt exists}]
---
`

// patient is a step that goes on until it is ended.
const patient = `---
title: Patient
steps: [{name: Wait, run: sleep 60}]
---
`

// The whole way of a person with a browser: the sample is loaded, looked at,
// started, watched, accepted, followed up, and deleted.
func TestABrowserCanDoAllOfIt(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	var about api.About
	d.get("/api/about", &about)
	want := api.About{Version: "test", Home: d.home.Path(), Face: "browser", Sample: true}
	if diff := cmp.Diff(want, about); diff != "" {
		t.Errorf("about (-want +got):\n%s", diff)
	}
	var draft api.TaskDraft
	d.post("/api/sample", nil, &draft)
	if want := filepath.Join(d.dir, "user", "Longwatch", "Quarterly report"); draft.Workspace != want {
		t.Errorf("the sample is in %s, want %s", draft.Workspace, want)
	}
	var in api.Inspection
	d.post("/api/inspect", draft, &in)
	if in.Title != "Quarterly report" || in.Steps != 5 || len(in.Requirements) != 5 || len(in.Blockers) != 0 || in.Workspace.Files != 5 {
		t.Errorf("inspection: %+v", in)
	}
	feed := d.changes()
	var begun api.Begun
	d.post("/api/runs", api.Start{ID: "s", Draft: draft}, &begun)
	d.hears(feed, begun.Run, patience)
	gate := d.gate(begun.Run)
	if gate.Trigger != "completed" {
		t.Fatalf("it asks %+v", gate)
	}
	d.watched(begun.Run)
	var r api.Receipt
	d.order(begun.Run, api.Command{ID: "a", Kind: "answer", Gate: gate.ID, End: true}, &r)
	v := d.until(begun.Run, "its end", func(v api.RunView) bool { return v.Run.Standing == api.StandingEnded && !v.Worker.Alive })
	if v.Run.Outcome != "completed" || v.Why.Code != "ended" || r.Seq == 0 {
		t.Errorf("after the answer: %+v %+v %+v", v.Run, v.Why, r)
	}
	var no api.Failure
	if status := d.order(begun.Run, api.Command{ID: "r", Kind: "resume"}, &no); status != http.StatusConflict || no.Code != "refused" {
		t.Errorf("a complete run without more to do: %d %+v", status, no)
	}
	d.order(begun.Run, api.Command{ID: "f", Kind: "resume", Text: "and once more"}, &r)
	again := d.gate(begun.Run)
	d.order(begun.Run, api.Command{ID: "b", Kind: "answer", Gate: again.ID, End: true}, &r)
	d.until(begun.Run, "its end", func(v api.RunView) bool { return v.Run.Standing == api.StandingEnded && !v.Worker.Alive })
	if status := d.ask("DELETE", "/api/runs/"+begun.Run, nil, nil); status != http.StatusNoContent {
		t.Errorf("deleting: %d", status)
	}
	d.hears(feed, begun.Run, patience)
	var list api.RunList
	if d.get("/api/runs", &list); len(list.Runs) != 0 {
		t.Errorf("still there: %+v", list)
	}
}

// watched holds the view of the sample at its end.
func (d *desk) watched(run string) {
	d.t.Helper()
	v := d.view(run)
	var rounds []string
	for _, r := range v.RoundRows {
		rounds = append(rounds, fmt.Sprintf("%d %s %s %d", r.N, r.Route, r.End, len(r.Stages)))
	}
	want := []string{
		"1 cli supported 4", "2 cli unsupported 4", "3 cli supported 4", "4 cli supported 4",
		"5 cli supported 4", "6 cli supported 4", "7 done done 4",
	}
	if diff := cmp.Diff(want, rounds); diff != "" {
		d.t.Errorf("rounds (-want +got):\n%s", diff)
	}
	if v.Why.Code != "gate_open" || v.Run.Standing != api.StandingNeedsYou || !v.Worker.Alive || v.Sealed.To == 0 || v.Sealed.Problem != "" {
		d.t.Errorf("view: %+v %+v %+v %+v", v.Run, v.Why, v.Worker, v.Sealed)
	}
	if len(v.Records) != 5 || v.Records[0].Mark != "completed" {
		d.t.Errorf("records: %+v", v.Records)
	}
	var news api.RunView
	d.get(fmt.Sprintf("/api/runs/%s?after=%d", run, v.Seq), &news)
	if len(news.RoundRows) != 0 || news.Records != nil || news.Seq != v.Seq || news.RoundCount != 7 {
		d.t.Errorf("nothing is new, and yet: %+v", news)
	}
	d.get(fmt.Sprintf("/api/runs/%s?after=%d", run, v.RoundRows[5].Changed), &news)
	if len(news.RoundRows) != 1 || news.RoundRows[0].N != 7 {
		d.t.Errorf("after round 6: %+v", news.RoundRows)
	}
	var round api.RoundDetail
	d.get("/api/runs/"+run+"/rounds/2", &round)
	if len(round.Checks) != 3 || round.Checks[0].Status != "fail" || round.Audit == nil || len(round.Changed) != 1 || round.Changed[0].Count != 2 {
		d.t.Errorf("round 2: %+v", round)
	}
	if status, h, body := d.raw("/api/runs/" + run + "/task"); status != 200 || h.Get("Content-Type") != "text/plain; charset=utf-8" || !strings.HasPrefix(body, "---\ntitle: Quarterly report") {
		d.t.Errorf("task: %d %v %.40s", status, h, body)
	}
}

// Two windows answer the same question: one answer counts, and the other one is
// told so.
func TestOfTwoAnswersOneCounts(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	run := d.begin("ws", oneStep)
	gate := d.gate(run)
	statuses := make([]int, 2)
	failures := make([]api.Failure, 2)
	var both sync.WaitGroup
	for i := range statuses {
		both.Go(func() {
			statuses[i], failures[i] = d.answer(run, api.Command{ID: fmt.Sprintf("c%d", i), Kind: "answer", Gate: gate.ID, End: true})
		})
	}
	both.Wait()
	lost := 0
	if statuses[0] == http.StatusOK {
		lost = 1
	}
	if statuses[1-lost] != http.StatusOK || statuses[lost] != http.StatusConflict || failures[lost].Code != "gate_stale" {
		t.Fatalf("%v %+v", statuses, failures)
	}
	if !strings.Contains(failures[lost].Message, "answered before: to end, from the browser") {
		t.Errorf("the loser is told %q", failures[lost].Message)
	}
	// Asked again, each hears the same.
	for i := range statuses {
		status, f := d.answer(run, api.Command{ID: fmt.Sprintf("c%d", i), Kind: "answer", Gate: gate.ID, End: true})
		if status != statuses[i] || f.Code != failures[i].Code {
			t.Errorf("again: %d %+v, before: %d %+v", status, f, statuses[i], failures[i])
		}
	}
}

// answer is order for either result.
func (d *desk) answer(run string, c api.Command) (status int, f api.Failure) {
	d.t.Helper()
	var r map[string]any
	status = d.order(run, c, &r)
	f.Code, _ = r["code"].(string)
	f.Message, _ = r["message"].(string)
	return status, f
}

func TestACommandHasOneEffect(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	run := d.begin("ws", patient)
	d.until(run, "a phase", func(v api.RunView) bool { return v.Why.Code == "phase_runs" && v.Why.Facts["phase"] == "execute" })
	receipts := make([]api.Receipt, 8)
	var all sync.WaitGroup
	for i := range receipts {
		all.Go(func() { d.order(run, api.Command{ID: "m1", Kind: "send", Text: "hello"}, &receipts[i]) })
	}
	all.Wait()
	for _, r := range receipts {
		if r != receipts[0] || r.Seq == 0 {
			t.Errorf("receipts differ: %+v", receipts)
			break
		}
	}
	v := d.view(run)
	if len(v.Messages) != 1 || v.Messages[0].Text != "hello" {
		t.Errorf("messages: %+v", v.Messages)
	}
	d.close()
	d.open()
	var again api.Receipt
	d.order(run, api.Command{ID: "m1", Kind: "send", Text: "hello"}, &again)
	if again != receipts[0] || len(d.view(run).Messages) != 1 {
		t.Errorf("after a restart: %+v, want %+v", again, receipts[0])
	}
	var r api.Receipt
	d.order(run, api.Command{ID: "p", Kind: "pause"}, &r)
	if v := d.view(run); v.Why.Facts["pausing"] != "true" || v.Run.Standing != api.StandingPaused {
		t.Errorf("paused: %+v %+v", v.Run, v.Why)
	}
	d.order(run, api.Command{ID: "x", Kind: "abort"}, &r)
	d.until(run, "its end", func(v api.RunView) bool { return v.Run.Outcome == "aborted" })
}

func TestOneIDStartsOneRun(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	ids := make([]api.Begun, 4)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			d.post("/api/runs", api.Start{ID: "twice", Draft: api.TaskDraft{Name: "a.md", Text: oneStep}}, &ids[i])
		})
	}
	all.Wait()
	for _, b := range ids {
		if b != ids[0] || b.Run == "" {
			t.Fatalf("begun: %+v", ids)
		}
	}
	v := d.view(ids[0].Run)
	if want := filepath.Join(d.dir, "user", "Longwatch", "One step"); v.Run.Workspace != want {
		t.Errorf("a typed task works in %s, want %s", v.Run.Workspace, want)
	}
	d.until(ids[0].Run, "a question", func(v api.RunView) bool { return v.Gate != nil })
	var other api.Begun
	d.post("/api/runs", api.Start{ID: "other", Draft: api.TaskDraft{Name: "a.md", Text: oneStep}}, &other)
	if ws := d.view(other.Run).Run.Workspace; filepath.Base(ws) != "One step 2" {
		t.Errorf("the second one works in %s", ws)
	}
	d.gate(other.Run)
	// A folder that somebody works in is refused with its code.
	var no api.Failure
	busy := api.TaskDraft{Name: "a.md", Text: oneStep, Workspace: v.Run.Workspace}
	if status := d.post("/api/runs", api.Start{ID: "busy", Draft: busy}, &no); status != http.StatusConflict || no.Code != "busy" {
		t.Errorf("a workspace that is taken: %d %+v", status, no)
	}
}

func TestAKilledWorkerIsToldWithinTwoSeconds(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	run := d.begin("ws", patient)
	v := d.until(run, "a phase", func(v api.RunView) bool { return v.Why.Facts["phase"] == "execute" })
	feed := d.changes()
	must(t, syscall.Kill(v.Worker.PID, syscall.SIGKILL))
	d.hears(feed, run, 2*time.Second)
	if v = d.view(run); v.Run.Standing != api.StandingInterrupted || v.Why.Code != "worker_gone" || v.Worker.Alive {
		t.Errorf("view: %+v %+v %+v", v.Run, v.Why, v.Worker)
	}
	var list api.RunList
	if d.get("/api/runs", &list); list.Runs[0].Standing != api.StandingInterrupted {
		t.Errorf("list: %+v", list.Runs)
	}
	// The button goes on with it.
	var r api.Receipt
	d.order(run, api.Command{ID: "go", Kind: "resume"}, &r)
	d.until(run, "a worker that goes on", func(v api.RunView) bool {
		st := v.RoundRows[0].Stages
		return v.Worker.Alive && len(st) > 1 && st[1].State == "interrupted"
	})
	d.order(run, api.Command{ID: "x", Kind: "abort"}, &r)
}

func TestABrokenLedgerIsSaidAndTheListGoesOn(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	good, bad := d.begin("good", oneStep), d.begin("bad", oneStep)
	for _, run := range []string{good, bad} {
		var r api.Receipt
		d.order(run, api.Command{ID: "a", Kind: "answer", Gate: d.gate(run).ID, End: true}, &r)
		d.until(run, "its end", func(v api.RunView) bool { return v.Run.Standing == api.StandingEnded && !v.Worker.Alive })
	}
	path := filepath.Join(d.home.Path(), "runs", bad, "ledger.jsonl")
	data, err := os.ReadFile(path)
	must(t, err)
	at := strings.Index(string(data), `"kind":"planned"`)
	data[at+30] ^= 1
	must(t, os.WriteFile(path, data, 0o600))
	v := d.view(bad)
	if v.Run.Standing != api.StandingBroken || v.Why.Code != "broken" || !strings.Contains(v.Sealed.Problem, "broken at record") {
		t.Errorf("view: %+v %+v %+v", v.Run, v.Why, v.Sealed)
	}
	var list api.RunList
	d.get("/api/runs", &list)
	standing := map[string]api.Standing{}
	for _, r := range list.Runs {
		standing[r.ID] = r.Standing
	}
	if want := map[string]api.Standing{good: api.StandingEnded, bad: api.StandingBroken}; !cmp.Equal(want, standing) {
		t.Errorf("list: %v", standing)
	}
	var no api.Failure
	if status := d.order(bad, api.Command{ID: "b", Kind: "send", Text: "x"}, &no); status != http.StatusUnprocessableEntity || no.Code != "unreadable" {
		t.Errorf("a command for it: %d %+v", status, no)
	}
	// A cut at a whole record is known by the remembered end.
	must(t, os.WriteFile(path, data[:0], 0o600))
	if v := d.view(bad); v.Sealed.Problem == "" {
		t.Errorf("an empty ledger: %+v", v)
	}
	data[at+30] ^= 1
	lines := strings.SplitAfter(string(data), "\n")
	must(t, os.WriteFile(path, []byte(strings.Join(lines[:len(lines)-3], "")), 0o600))
	if v := d.view(bad); !strings.Contains(v.Sealed.Problem, "are remembered") {
		t.Errorf("a ledger that was cut: %+v", v.Sealed)
	}
	must(t, os.WriteFile(path, data, 0o600))
	if v := d.view(bad); v.Sealed.Problem != "" || v.Run.Standing != api.StandingEnded || v.After != 0 {
		t.Errorf("mended: %+v %+v", v.Run, v.Sealed)
	}
}

func TestARunDeletedElsewhereIsGone(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	run := d.begin("ws", oneStep)
	gate := d.gate(run)
	var no api.Failure
	if status := d.ask("DELETE", "/api/runs/"+run, nil, &no); status != http.StatusConflict || no.Code != "busy" {
		t.Errorf("deleting a run at work: %d %+v", status, no)
	}
	var r api.Receipt
	d.order(run, api.Command{ID: "a", Kind: "answer", Gate: gate.ID, End: true}, &r)
	d.until(run, "its end", func(v api.RunView) bool { return v.Run.Standing == api.StandingEnded && !v.Worker.Alive })
	feed := d.changes()
	must(t, d.home.Delete(run))
	d.hears(feed, run, patience)
	if status := d.get("/api/runs/"+run, &no); status != http.StatusNotFound || no.Code != "not_found" {
		t.Errorf("%d %+v", status, no)
	}
}

func TestAServerStartedAgainKnowsNobody(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	old := d.http
	d.close()
	d.open()
	d.http, old = old, d.http
	var no api.Failure
	if status := d.get("/api/runs", &no); status != http.StatusUnauthorized || no.Code != "signed_out" {
		t.Errorf("%d %+v", status, no)
	}
	d.http = old
	var list api.RunList
	d.get("/api/runs", &list)
}

// What an agent says can do nothing in a browser, whatever it is.
func TestWhatAgentsSayIsOnlyText(t *testing.T) {
	t.Parallel()
	evil := `<script>fetch("/api/runs")</script> <svg onload="x()">` + "\x1b[31mred\x1b[0m\u202egnp.exe\x07"
	d := newDesk(t, `
@ plan 1
Next: cli
Task: say it
Requirements: R1
@ execute
! say i=0; while [ $i -lt 200 ]; do printf '%s\n' '`+evil+`'; i=$((i+1)); done
@ audit
Status: complete
Integrity: clean
Contract audit: aligned
@ plan
Next: done
@ report
`+evil+`
`)
	run := d.begin("ws", "# Say it\n- [ ] It is said\n")
	d.gate(run)
	var round api.RoundDetail
	d.get("/api/runs/"+run+"/rounds/1", &round)
	said := round.Executor
	if said == nil || !said.Cut || said.Digest == "" {
		t.Fatalf("the executor said %+v", said)
	}
	status, h, body := d.raw("/api/runs/" + run + "/texts/" + said.Digest)
	if status != 200 || !strings.Contains(body, "<script>") {
		t.Fatalf("%d %.80s", status, body)
	}
	want := map[string]string{
		"Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": "default-src 'none'; sandbox", "Cross-Origin-Resource-Policy": "same-origin",
		"Cache-Control": "no-store",
	}
	for name, value := range want {
		if h.Get(name) != value {
			t.Errorf("%s: %q, want %q", name, h.Get(name), value)
		}
	}
	for _, text := range []string{body, said.Text, d.view(run).Reply} {
		if strings.ContainsAny(text, "\x1b\x07\u202e") {
			t.Errorf("control characters in %.120q", text)
		}
	}
	file := filepath.Join(d.home.Path(), "runs", run, "rounds", "001", "executor.md")
	must(t, os.WriteFile(file, []byte("something else"), 0o600))
	var no api.Failure
	if status := d.get("/api/runs/"+run+"/texts/"+said.Digest, &no); status != http.StatusUnprocessableEntity || no.Code != "unreadable" {
		t.Errorf("a text that was changed: %d %+v", status, no)
	}
}

// On a full disk a run can still be looked at, and what is asked of it is
// refused with its reason until there is room.
func TestAFullDiskIsSaid(t *testing.T) {
	t.Parallel()
	if !canMount() {
		t.Skip("needs to mount a small disk")
	}
	d := newDeskOn(t, "", func(home string) {
		must(t, mountSmall(home, 800))
		t.Cleanup(func() { must(t, unmount(home)) })
	})
	run := d.begin("ws", oneStep)
	gate := d.gate(run)
	// Every page, and then every name that would need one.
	fill := filepath.Join(d.home.Path(), "fill")
	must(t, os.Mkdir(fill, 0o700))
	for i := 0; os.WriteFile(filepath.Join(fill, fmt.Sprint(i)), make([]byte, 4096), 0o600) == nil; i++ {
	}
	for path, body := range map[string]any{
		"/api/runs/" + run + "/commands": api.Command{ID: "a", Kind: "answer", Gate: gate.ID, End: true},
		"/api/runs":                      api.Start{ID: "more", Draft: api.TaskDraft{Text: oneStep}},
	} {
		var no api.Failure
		if status := d.post(path, body, &no); status != http.StatusInsufficientStorage || no.Code != "disk_full" || no.Hint == "" {
			t.Errorf("%s: %d %+v", path, status, no)
		}
	}
	if made, _ := filepath.Glob(filepath.Join(d.dir, "user", "Longwatch", "*")); len(made) != 0 {
		t.Errorf("a run that could not be made left %v", made)
	}
	if v := d.view(run); v.Gate == nil || v.Sealed.Problem != "" {
		t.Errorf("view: %+v", v)
	}
	var list api.RunList
	if d.get("/api/runs", &list); len(list.Runs) != 1 {
		t.Errorf("list: %+v", list)
	}
	must(t, os.RemoveAll(fill))
	var r api.Receipt
	d.order(run, api.Command{ID: "a", Kind: "answer", Gate: gate.ID, End: true}, &r)
	d.until(run, "its end", func(v api.RunView) bool { return v.Run.Outcome == "completed" })
}

func TestEnterMakesANewCode(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	in := d.in.(interface{ Write([]byte) (int, error) })
	_, err := in.Write([]byte("\n"))
	must(t, err)
	next := d.invitation()
	if !strings.HasSuffix(next.URL, "#code="+next.Code) || strings.Contains(next.URL, "?") {
		t.Errorf("the code is not in the fragment: %s", next.URL)
	}
	for i, want := range []int{http.StatusNoContent, http.StatusUnauthorized} {
		if status := d.post("/api/sign-in", api.SignIn{Code: next.Code}, nil); status != want {
			t.Errorf("use %d of a code: %d, want %d", i+1, status, want)
		}
	}
}
