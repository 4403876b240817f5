package loop_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"longwatch/backend/check"
	"longwatch/backend/loop"
	"longwatch/backend/loop/looptest"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

// meddler is a journal to which somebody else appends just before the engine.
type meddler struct {
	*journal
	before func() // once
}

func (m *meddler) Append(events ...run.Event) error {
	if f := m.before; f != nil {
		m.before = nil
		f()
	}
	return m.journal.Append(events...)
}

const plainTask = "# Write out.txt\n- [ ] out.txt exists\n"

func open(t *testing.T, script string) *scene {
	t.Helper()
	return newScene(t, &txtar.Archive{Files: []txtar.File{
		{Name: "task.md", Data: []byte(plainTask)}, {Name: "script", Data: []byte(script)},
	}})
}

func TestAStopThatComesBetweenADecisionAndItsRecordWins(t *testing.T) {
	t.Parallel()
	sc := open(t, "manager: Next: ask\n  Question: red or blue?\n")
	sc.step()
	m := &meddler{journal: sc.j, before: func() { must(t, sc.command("stop")) }}
	sc.engine.Journal = m
	if _, err := sc.engine.Step(t.Context()); !errors.Is(err, run.ErrIllegal) {
		t.Fatalf("the gate was opened in a run that is to end: %v", err)
	}
	if got := sc.play(); !strings.Contains(got, "finished stopped") || strings.Contains(got, "g1") {
		t.Errorf("what happened:\n%s", got)
	}
}

func TestAStopThatComesWithTheStartOfARoleWins(t *testing.T) {
	t.Parallel()
	sc := open(t, "manager: Next: cli\n  Task: t\n")
	m := &meddler{journal: sc.j, before: func() { must(t, sc.command("stop")) }}
	sc.engine.Journal = m
	sc.t = ignored{t} // the stage sees its start refused, as it must be
	if _, err := sc.engine.Step(t.Context()); !errors.Is(err, run.ErrIllegal) {
		t.Fatalf("a plan was begun in a run that is to end: %v", err)
	}
}

// ignored is a test that takes no offence.
type ignored struct{ testing.TB }

func (ignored) Errorf(string, ...any) {}

var errDisk = errors.New("disk is full")

// blind is a workspace that cannot be looked at.
type blind struct{}

func (blind) Observe(context.Context, bool) (run.Changes, error) { return run.Changes{}, errDisk }

func TestNothingStartsInAWorkspaceThatCannotBeSeen(t *testing.T) {
	t.Parallel()
	sc := open(t, "")
	sc.engine.Workspace = blind{}
	if _, err := sc.engine.Step(t.Context()); !errors.Is(err, errDisk) {
		t.Errorf("error %v", err)
	}
	if len(sc.j.log) > 0 {
		t.Errorf("what happened: %q", sc.j.log)
	}
}

// forgetful is a keeper without a disk.
type forgetful struct{}

func (forgetful) Keep(int, string, string, bool) (string, error) { return "", errDisk }

func TestWhatCannotBeKeptIsNotRecorded(t *testing.T) {
	t.Parallel()
	sc := open(t, "manager: Next: cli\n  Task: t\n")
	sc.engine.Keeper = forgetful{}
	if _, err := sc.engine.Step(t.Context()); !errors.Is(err, errDisk) {
		t.Errorf("error %v", err)
	}
	if sc.j.state.Open == nil || len(sc.j.log) != 1 {
		t.Errorf("the phase is not left open for the next worker: %q", sc.j.log)
	}
}

func TestALongAnswerIsKeptWholeAndItsRecordSaysWhere(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("line\n", 3000)
	sc := open(t, "manager: Next: cli\n  Task: t\nauditor: complete clean aligned\n")
	sc.lines = append(sc.lines, line{who: "executor", text: whole})
	sc.play()
	said := sc.j.state.Current().Executed.Said
	if sc.kept[said.File] != whole || said.Size != len(whole) || len(said.SHA256) != 64 || len(said.Text) > 6<<10 {
		t.Errorf("the record says file %q, %d bytes, and has %d", said.File, said.Size, len(said.Text))
	}
}

func TestTheProcessThatWasStartedIsTheOneReaped(t *testing.T) {
	t.Parallel()
	sc := open(t, "manager: Next: cli\n  Task: t\nexecutor: [dies alive]\n")
	sc.play()
	want := run.PhaseStarted{
		Round: 1, Phase: run.Execute, Attempt: 1, Agent: "execute@cli", Brief: sc.briefs[1].Brief.Digest, Process: run.Process{PID: 1},
	}
	if d := cmp.Diff(want, sc.reaped); d != "" {
		t.Errorf("reaped (-want +got):\n%s", d)
	}
}

func TestWhatChangedWithoutAWorkerChangedWhileAway(t *testing.T) {
	t.Parallel()
	sc := open(t, "")
	sc.engage(true)
	for _, want := range []string{"1 changed during away: added a", "1 changed during between: added b"} {
		sc.write(want[len(want)-1:])
		sc.step()
		if got := sc.j.log[len(sc.j.log)-1]; got != want {
			t.Errorf("recorded %q, want %q", got, want)
		}
	}
}

// slow is a checker whose checks take a second each.
type slow struct{}

func (slow) Check(_ context.Context, c check.Check) check.Result {
	return check.Result{Check: c.String(), Status: check.Fail, Millis: 1000}
}

func TestTheTimeOfMachineChecksIsCharged(t *testing.T) {
	t.Parallel()
	sc := open(t, "manager: Next: cli\n  Task: t\n  Acceptance criteria:\n  - C1 x   check: file a exists\n  - C2 y   check: file b exists\nexecutor: did\n")
	sc.engine.Checker = slow{}
	sc.play()
	if got := sc.j.state.Used.Millis; got != 2000 {
		t.Errorf("charged %d ms", got)
	}
	wait := open(t, "manager: Next: wait\n  Until: check: file a exists\n  Every: 1h\n  Expires: 90m\n")
	wait.engine.Checker = slow{}
	wait.play()
	if got := wait.j.state.Used.Millis; got != 3000 {
		t.Errorf("three probes are charged as %d ms", got)
	}
}

func TestCanceledChecksAreNoResult(t *testing.T) {
	t.Parallel()
	sc := open(t, "manager: Next: cli\n  Task: t\n  Acceptance criteria:\n  - C1 x   check: file a exists\nexecutor: did\n")
	for sc.j.state.Current() == nil || !sc.j.state.Current().Acted() {
		sc.step()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sc.engine.Step(ctx); err != nil {
		t.Fatal(err)
	}
	if got := sc.j.log[len(sc.j.log)-1]; got != "1 check failed canceled: the checks were ended" {
		t.Errorf("the last record is %q", got)
	}
}

func TestARepairThatCannotBeDoneIsNeverTakenForDone(t *testing.T) {
	t.Parallel()
	lacking := open(t, "")
	must(t, lacking.j.Append(run.CapabilityMissing{Name: "display", Owner: "longwatch"}))
	void := newScene(t, &txtar.Archive{Files: []txtar.File{
		{Name: "task.md", Data: []byte(plainTask)},
		{Name: "created.json", Data: []byte(`{"may_restore": true}`)},
		{Name: "script", Data: []byte("manager: Next: cli\n  Task: t\nexecutor: did\nauditor: [writes x] complete clean aligned\n")},
	}})
	for void.j.state.Violated == nil || void.j.state.Open != nil {
		void.step()
	}
	n := len(lacking.j.log)
	if d, err := lacking.engine.Step(t.Context()); !errors.Is(err, loop.ErrUnavailable) || len(lacking.j.log) != n {
		t.Errorf("%s: error %v, then %q", said(d), err, lacking.j.log[n:])
	}
	// Without a checkpoint to go back to the person is asked.
	void.step()
	void.step()
	if g := void.j.state.Gate; g == nil || g.Reason != "audit.void" && g.Reason != "capability.missing" {
		t.Errorf("gate %+v, log %q", g, void.j.log)
	}
}

func TestARunOverAnUnknownDecisionIsNotGoneOnWith(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Plan(protocol.Plan{Route: protocol.CLI}).Add(run.Unknown{Name: "dreamt", Of: run.Fact})
	if _, err := loop.Decide(p.State, p.At); !errors.Is(err, loop.ErrNoState) || !strings.Contains(err.Error(), "dreamt") {
		t.Errorf("error %v", err)
	}
}

// Whatever roles say must fit into the ledger: a role could end the run by
// talking otherwise.
func TestNothingARoleSaysIsTooMuchForTheLedger(t *testing.T) {
	t.Parallel()
	for name, unit := range map[string]string{
		"markup": "<&>", "quotes": `"\`, "control characters": "\x01\x1b[31m", "no text at all": "\xff\xfe", "separators": "\u2028", "lines": "a\n", "plain": "word ",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wall := strings.ReplaceAll(strings.Repeat(unit, 20_000/len(unit)), "\n", "\n    ")
			var blocking strings.Builder
			for i := range 40 {
				fmt.Fprintf(&blocking, "- no %d %s\n", i, strings.ReplaceAll(wall[:300], "\n", " "))
			}
			sc := newScene(t, &txtar.Archive{Files: []txtar.File{{Name: "task.md", Data: []byte("# T\n- [ ] out.txt exists\n")}}})
			sc.lines = []line{
				{who: "manager", text: wall},
				{who: "manager", text: "Next: cli\nTask: write\n    " + wall + "\nTask contract:\n    " + wall + "\nBoundaries:\n    " + wall},
				{who: "executor", text: wall, flags: []string{"timeout"}},
				{who: "auditor", text: "Status: complete\nIntegrity: clean\nContract audit: aligned\nBlocking constraints:\n" + blocking.String() + "State update for manager:\n    " + wall},
				{who: "manager", text: "Next: ask\nQuestion: which?\n    " + wall},
				{who: "operator", text: "stop"},
				{who: "reporter", text: wall},
			}
			log := sc.play()
			for _, want := range []string{"1 planned cli", "1 executed exit 0 timeout", "1 audited incomplete", "needs_input", "2 replied", "finished stopped"} {
				if !strings.Contains(log, want) {
					t.Errorf("no %q in:\n%.2000s", want, log)
				}
			}
		})
	}
}
