package loop_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/tools/txtar"

	"longwatch/backend/config"
	"longwatch/backend/ledger"
	"longwatch/backend/loop"
	"longwatch/backend/loop/looptest"
	"longwatch/backend/run"
	"longwatch/backend/task"
)

var update = flag.Bool("update", false, "write the events that scenarios come to into their files; read them in review")

// secret stands in hidden checks and may stand nowhere else.
const secret = "hush"

// TestScenarios plays each testdata file: a task, a script of what roles and
// person say and do, and the events that must come of it. Everything between
// is real but for the agents: the ledger, the folder, the checks.
//
// A script's line is `who: [flag] … text`. Flags of a role: timeout, flood,
// exit, canceled, start, throttled 60s, tokens N, takes 5m, writes FILE [TEXT]
// (while it works), later FILE [then FILE] (before the next phases), busy and
// calm (somebody else writes all the time, or no longer), dies [alive], and what
// the person does meanwhile: message TEXT, stop, abort, pause. `before: message
// TEXT` happens after the brief and before the start. `check: dies` kills the
// worker in a machine check. With a section "keeps" there are checkpoints, and
// `keeper: full` is one that cannot be made. Lines of the operator are taken when the run waits
// for the person: continue [+N] [TEXT], end, go, message, stop.
func TestScenarios(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			must(t, err)
			ar := txtar.Parse(data)
			got := newScene(t, ar).play()
			want := section(ar, "expect")
			if got == want {
				return
			}
			if *update {
				for i := range ar.Files {
					if ar.Files[i].Name == "expect" {
						ar.Files[i].Data = []byte(got)
					}
				}
				must(t, os.WriteFile(file, txtar.Format(ar), 0o644))
				return
			}
			t.Errorf("events (-want +got):\n%s", cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
		})
	}
}

func section(ar *txtar.Archive, name string) string {
	for _, f := range ar.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

type scene struct {
	*stage
	task   task.Task
	engine *loop.Engine
	keeps  bool
}

func newScene(t testing.TB, ar *txtar.Archive) *scene {
	t.Helper()
	tk, problems := task.Parse("task.md", []byte(section(ar, "task.md")))
	if config.Refused(problems) {
		t.Fatalf("task.md: %v", problems)
	}
	c := run.Created{
		Run: "r", Title: tk.Title, Language: "en", Limits: looptest.Limits, FinalAudit: tk.FinalAudit,
		Checks: len(tk.Checks) + len(tk.Hidden), Steps: len(tk.Steps),
	}
	for _, r := range tk.Requirements() {
		c.Requirements = append(c.Requirements, run.Requirement{ID: r.ID, Text: r.Text})
	}
	if s := section(ar, "created.json"); s != "" {
		must(t, json.Unmarshal([]byte(s), &c))
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	st := &stage{t: t, root: root, seen: map[string]string{}, kept: map[string]string{}, lines: readScript(t, section(ar, "script"))}
	st.j = newJournal(t, c, looptest.Epoch0)
	sc := &scene{stage: st, task: tk, keeps: section(ar, "keeps") != ""}
	sc.engage(false)
	return sc
}

func (s *scene) engage(resumed bool) {
	s.engine = &loop.Engine{
		Journal: s.j, Crew: s.stage, Workspace: s.stage, Checker: s.stage, Keeper: s.stage, Task: s.task,
		Bounds: loop.DefaultBounds, Now: func() int64 { return s.j.now }, Resumed: resumed,
		Agent: func(p run.Phase, surface string) string { return string(p) + "@" + surface },
	}
	if s.keeps {
		s.engine.Kept = s.stage
	}
}

// play goes on until nobody has anything to do, or the script is at its end,
// and returns what happened.
func (s *scene) play() string {
	s.t.Helper()
	for range 400 {
		d, ended := s.step()
		switch ended := ended.(type) {
		case curtain:
			return s.end(ended.next)
		case died:
			s.j.close()
			s.j.log = append(s.j.log, "the worker dies")
			s.j.open("resumed", run.Host{Guard: "detect"})
			s.engage(true)
			continue
		}
		switch {
		case d.Step.Do != "":
			continue
		case d.Disposition == loop.Wait && d.Until > 0:
			s.j.log = append(s.j.log, fmt.Sprintf("wait %ds", (d.Until-s.j.now)/1000))
			s.j.now = d.Until
			continue
		}
		l, ok := s.next("operator")
		if !ok {
			return s.end(fmt.Sprintf("%s: %s", d.Disposition, d.Reason))
		}
		must(s.t, s.command(l.text))
	}
	s.t.Fatalf("no end after 400 decisions:\n%s", strings.Join(s.j.log, "\n"))
	return ""
}

// step makes one decision, or returns how the stage ended it.
func (s *scene) step() (d loop.Decision, ended any) {
	s.t.Helper()
	defer func() {
		switch p := recover().(type) {
		case nil:
		case died, curtain:
			ended = p
		default:
			panic(p)
		}
	}()
	if _, err := judge(s.j.state, s.j.now); err != nil {
		s.t.Errorf("after record %d: %v", s.j.state.Seq, err)
	}
	d, err := s.engine.Step(s.t.Context())
	if err != nil {
		s.t.Fatalf("%s: %v; so far:\n%s", said(d), err, strings.Join(s.j.log, "\n"))
	}
	return d, nil
}

// end checks what holds of every run.
func (s *scene) end(last string) string {
	s.t.Helper()
	s.j.close()
	if len(s.lines) > 0 {
		s.t.Errorf("the script has lines nobody came to: %+v", s.lines)
	}
	if diff := cmp.Diff(s.j.state, withoutAnchor(refolded(s.t, s.j.dir), s.j.state), cmpopts.EquateEmpty()); diff != "" {
		s.t.Errorf("the ledger folds to another state (-live +folded):\n%s", diff)
	}
	r, err := ledger.Verify(s.j.dir, ledgerName, s.j.head)
	if err != nil || r.Broken != nil || r.End != ledger.EndAttested {
		s.t.Errorf("verify: %+v, %v", r, err)
	}
	raw, err := s.j.dir.ReadFile(ledgerName, 64<<20)
	must(s.t, err)
	s.keepsSecrets(raw)
	return strings.Join(append(s.j.log, last), "\n") + "\n"
}

// withoutAnchor undoes what the anchor that closes a ledger adds.
func withoutAnchor(s, live *run.State) *run.State {
	s.Seq, s.At, s.Epoch = live.Seq, live.At, live.Epoch
	return s
}

func (s *scene) keepsSecrets(raw []byte) {
	s.t.Helper()
	if bytes.Contains(raw, []byte(secret)) {
		s.t.Error("a hidden check stands in the ledger")
	}
	for _, ep := range s.briefs {
		b := ep.Brief
		if strings.Contains(b.Text, secret) || bytes.Contains(b.Input, []byte(secret)) {
			s.t.Errorf("a hidden check stands in the brief of %s in round %d", ep.Phase, ep.Round)
		}
	}
	for name, text := range s.kept {
		if strings.Contains(text, secret) {
			s.t.Errorf("a hidden check stands in %s", name)
		}
	}
}
