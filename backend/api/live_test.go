package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/ledger"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// shelf is a state folder with runs that a test writes itself.
type shelf struct {
	t    *testing.T
	home *rundir.Home
	s    *Server
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	home, err := rundir.OpenHome(t.TempDir())
	must(t, err)
	s := New(Options{Home: home, Face: Window, Version: "1"})
	t.Cleanup(func() {
		must(t, s.Close())
		must(t, home.Close())
	})
	return &shelf{t, home, s}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// book is a run and the one who writes it.
type book struct {
	t  *testing.T
	id string
	w  *ledger.Writer
}

func (s *shelf) book(id string) *book {
	s.t.Helper()
	spec := rundir.Spec{V: 1, Run: id, Title: "A " + id, CreatedAt: 1000, Limits: run.Limits{Rounds: 9, Fails: 3}}
	r, err := s.home.Create(spec, []byte("# x\n"), run.Created{
		Run: id, Title: spec.Title, Limits: spec.Limits, Workspace: "/ws",
		Requirements: []run.Requirement{{ID: "R1", Text: "one"}, {ID: "R2", Text: "two"}},
	})
	must(s.t, err)
	w, err := r.Writer(ledger.Options{BootID: "b", Now: func() time.Time { return time.UnixMilli(2000) }})
	must(s.t, err)
	s.t.Cleanup(func() { _ = w.Close(); _ = r.Close() })
	_, err = w.Begin("started", "accounting", func(e ledger.Epoch) any {
		return run.Started{
			Epoch: run.Epoch{Epoch: e.N, PublicKey: e.PublicKey, PrevHead: e.PrevHead},
			Host:  run.Host{Guard: "detect", Why: "because", PID: 1},
		}
	})
	must(s.t, err)
	return &book{s.t, id, w}
}

func (b *book) add(events ...run.Event) {
	b.t.Helper()
	for _, e := range events {
		body, err := run.Encode(e)
		must(b.t, err)
		_, err = b.w.Append(ledger.Draft{Kind: string(e.Kind()), Class: string(run.ClassOf(e)), Body: body})
		must(b.t, err)
	}
}

func (s *shelf) get(path string, v any) (status int) {
	s.t.Helper()
	w := httptest.NewRecorder()
	s.s.Handler().ServeHTTP(w, httptest.NewRequestWithContext(s.t.Context(), "GET", path, nil))
	if v != nil {
		if err := json.Unmarshal(w.Body.Bytes(), v); err != nil {
			s.t.Fatalf("%s: %d: %s", path, w.Code, w.Body)
		}
	}
	return w.Code
}

func (s *shelf) view(id string, query string) (v RunView) {
	s.t.Helper()
	s.get("/api/runs/"+id+query, &v)
	return v
}

// failing is what the phases of a round write whose check fails.
func failing(n int) []run.Event {
	start := func(p run.Phase) run.Event {
		return run.PhaseStarted{Round: n, Phase: p, Attempt: 1, Agent: "fake"}
	}
	said := protocol.Verdict{Status: protocol.StatusComplete, Integrity: protocol.IntegrityClean, Contract: protocol.ContractAligned}
	held := said
	held.Status = protocol.StatusIncomplete
	return []run.Event{
		start(run.Plan),
		run.Planned{Round: n, Plan: protocol.Plan{Route: protocol.CLI, Task: fmt.Sprintf("Do %d\nand more", n)}},
		start(run.Execute),
		run.Executed{Round: n, Said: run.Text{Text: "done\x1b[0m"}, Usage: run.Usage{Millis: 5, MicroUSD: 7}},
		start(run.Audit),
		run.Audited{Round: n, Phase: run.Audit, Verdict: held, Said: said, Reasons: []string{"the check fails"}},
		run.RoundClosed{Round: n, End: run.EndUnsupported},
	}
}

func TestAViewHoldsWhatIsNewerThanThePageKnows(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	b := s.book("20260101-000000-0000")
	b.add(failing(1)...)
	first := s.view(b.id, "")
	if len(first.RoundRows) != 1 || len(first.Records) != 2 || first.After != 0 || first.Seq != 9 {
		t.Fatalf("first: %+v", first)
	}
	want := RoundRow{
		N: 1, Changed: 9, Step: "Do 1", Route: "cli", End: "unsupported", Began: 2000, Closed: 2000,
		Stages: []Stage{
			{Phase: "plan", State: "done", Attempt: 1, Agent: "fake", Began: 2000, Ended: 2000},
			{Phase: "execute", State: "done", Attempt: 1, Agent: "fake", Began: 2000, Ended: 2000, MicroUSD: 7},
			{Phase: "audit", State: "done", Attempt: 1, Agent: "fake", Began: 2000, Ended: 2000},
		},
		Verdict: &Verdict{"incomplete", "clean", "aligned", false}, Said: &Verdict{"complete", "clean", "aligned", true},
		Lowered: []string{"the check fails"}, Why: "audit: incomplete · clean · aligned (the check fails)",
	}
	if diff := cmp.Diff(want, first.RoundRows[0]); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
	b.add(failing(2)[:3]...)
	next := s.view(b.id, "?after=9")
	if len(next.RoundRows) != 1 || next.RoundRows[0].N != 2 || next.Records != nil || next.After != 9 || next.RoundCount != 2 {
		t.Errorf("after 9: %+v", next)
	}
	if st := next.RoundRows[0].Stages; len(st) != 2 || st[1].State != "running" {
		t.Errorf("stages: %+v", st)
	}
	b.add(run.MessageReceived{Receipt: run.Receipt{Command: "m"}, ID: "m", Text: "hi"})
	next = s.view(b.id, "?after=12")
	if len(next.RoundRows) != 0 || len(next.Messages) != 1 || next.Seq != 13 {
		t.Errorf("after 12: %+v", next)
	}
	if far := s.view(b.id, "?after=99"); far.After != 0 || len(far.RoundRows) != 2 {
		t.Errorf("a page that knows more than there is: %+v", far)
	}
	var d RoundDetail
	if s.get("/api/runs/"+b.id+"/rounds/1", &d); d.Executor.Text != "done[0m" || d.Task != "Do 1\nand more" {
		t.Errorf("detail: %+v", d)
	}
	if status := s.get("/api/runs/"+b.id+"/rounds/3", nil); status != http.StatusNotFound {
		t.Errorf("a round that is not there: %d", status)
	}
}

func TestOnlyChangedRecordsOnRequest(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	b := s.book("20260101-000000-0000")
	plan := protocol.Plan{Route: protocol.CLI, Task: "x", Records: []protocol.StateRecord{
		{ID: "R2", Mark: protocol.Untrusted, Text: "two"}, {ID: "A1", Mark: protocol.Pending, Text: "new"},
	}}
	b.add(run.PhaseStarted{Round: 1, Phase: run.Plan, Attempt: 1}, run.Planned{Round: 1, Plan: plan})
	ids := func(query string) (out []string) {
		for _, r := range s.view(b.id, query).Records {
			out = append(out, r.ID+" "+r.Mark)
		}
		return out
	}
	for query, want := range map[string][]string{
		"":                         {"R1 pending", "R2 untrusted", "A1 pending"},
		"?after=2":                 {"R1 pending", "R2 untrusted", "A1 pending"},
		"?after=2&records=changed": {"R2 untrusted", "A1 pending"},
		"?after=4&records=changed": nil,
		"?records=changed":         {"R1 pending", "R2 untrusted", "A1 pending"},
	} {
		if diff := cmp.Diff(want, ids(query)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
}

// What was told may be taken back, by a writer on a full disk; the page is then
// told everything again.
func TestWhatWasTakenBackIsToldAnew(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	b := s.book("20260101-000000-0000")
	b.add(failing(1)...)
	path := filepath.Join(s.home.Path(), "runs", b.id, "ledger.jsonl")
	whole, err := os.ReadFile(path)
	must(t, err)
	if v := s.view(b.id, ""); v.Seq != 9 {
		t.Fatalf("seq %d", v.Seq)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	must(t, os.WriteFile(path, []byte(strings.Join(lines[:7], "")), 0o600))
	if v := s.view(b.id, "?after=9"); v.After != 0 || v.Seq != 7 || !strings.Contains(v.Sealed.Problem, "9 are remembered") {
		t.Errorf("cut: %+v", v)
	}
	must(t, os.WriteFile(path, whole, 0o600))
	v := s.view(b.id, "?after=7")
	if v.Sealed.Problem != "" || v.Seq != 9 {
		t.Errorf("whole again: %+v", v)
	}
	if v := s.view(b.id, "?after=9"); v.After != 9 {
		t.Errorf("the same records again: %+v", v)
	}
}

func TestFewRunsAreKeptOpen(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	var ids []string
	for i := range 3 * mostLives {
		id := fmt.Sprintf("20260101-0000%02d-0000", i)
		must(t, s.book(id).w.Close())
		ids = append(ids, id)
	}
	for range 2 {
		for _, id := range ids {
			if v := s.view(id, ""); v.Run.ID != id || v.Run.Title != "A "+id {
				t.Errorf("view: %+v", v.Run)
			}
		}
	}
	if n := len(s.s.lives.known); n != mostLives || len(s.s.lives.order) != mostLives {
		t.Errorf("%d runs are kept, %d in order; want %d", n, len(s.s.lives.order), mostLives)
	}
	var list RunList
	s.get("/api/runs", &list)
	if len(list.Runs) != len(ids) || list.Runs[0].ID != ids[len(ids)-1] {
		t.Errorf("the list has %d, first %+v", len(list.Runs), list.Runs[0])
	}
}

func TestAskingForTheSameIsAnsweredShort(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	b := s.book("20260101-000000-0000")
	ask := func(tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/api/runs/"+b.id, nil)
		r.Header.Set("If-None-Match", tag)
		w := httptest.NewRecorder()
		s.s.Handler().ServeHTTP(w, r)
		return w
	}
	tag := ask("").Header().Get("ETag")
	if w := ask(tag); w.Code != http.StatusNotModified || w.Body.Len() != 0 {
		t.Errorf("the same: %d %s", w.Code, w.Body)
	}
	b.add(run.PauseSet{Paused: true})
	if w := ask(tag); w.Code != http.StatusOK {
		t.Errorf("another: %d", w.Code)
	}
}

func TestEvidenceIsAPictureThatARecordNames(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	b := s.book("20260101-000000-0000")
	folder := filepath.Join(s.home.Path(), "runs", b.id, "evidence")
	keep := func(data string, record bool) string {
		digest := sumOf(data)
		must(t, os.WriteFile(filepath.Join(folder, digest), []byte(data), 0o600))
		if record {
			b.add(run.Captured{ID: "c", SHA256: digest})
		}
		return digest
	}
	png, svg := "\x89PNG\r\n\x1a\nrest", `<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>`
	shown, unknown, drawn := keep(png, true), keep(png+"2", false), keep(svg, true)
	forged := keep(png+"3", true)
	must(t, os.WriteFile(filepath.Join(folder, forged), []byte(png+"4"), 0o600))
	for name, c := range map[string]struct {
		digest string
		status int
	}{
		"a picture": {shown, 200}, "one that no record names": {unknown, 404}, "one that runs": {drawn, 404},
		"one that was changed": {forged, 422}, "one that is not there": {sumOf("x"), 404},
	} {
		if status := s.get("/api/runs/"+b.id+"/evidence/"+c.digest, nil); status != c.status {
			t.Errorf("%s: %d, want %d", name, status, c.status)
		}
	}
}
