package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/ledger"
	"longwatch/backend/rundir"
)

// sample is the example of this repository, with a count of its steps beside
// the workspace.
func sample(t testing.TB) drama {
	t.Helper()
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS(filepath.Join("examples", "quarterly-report"))))
	path := filepath.Join(dir, "task.md")
	text, err := os.ReadFile(path)
	must(t, err)
	counted := regexp.MustCompile(`(?m)^( +)(- run|run): \|$`).ReplaceAllStringFunc(string(text), func(head string) string {
		indent := strings.IndexByte(head, 'r') + 2
		return head + "\n" + strings.Repeat(" ", indent) + "echo x >> ../effects"
	})
	must(t, os.WriteFile(path, []byte(counted), 0o600))
	return drama{workspace: dir, unattended: true}
}

// troubled is a scenario with questions of all kinds, an audit that does not
// count, a refused done, messages, and commands that cannot be.
func troubled(t testing.TB) drama {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "task.md"), []byte("---\ntitle: Paint\n---\n# Paint\n- [ ] out.txt is painted\n"), 0o600))
	return drama{
		workspace: dir, roles: troubledRoles,
		before: []rundir.Command{
			{ID: "message", Kind: rundir.CommandSend, Text: "hurry", Channel: "test"},
			{ID: "limits", Kind: rundir.CommandLimits, Rounds: 9, Channel: "test"},
			{ID: "refused", Kind: rundir.CommandGo, Channel: "test"},
		},
		kinds: []string{
			"command_refused", "limits_changed", "message_received", "message_used", "gate_opened", "gate_answered",
			"workspace_changed", "executed", "checked", "violated", "audited", "done_refused", "round_closed", "final_reply",
		},
		letters: map[string]string{"forged.json": `{"v":1,"id":"other","kind":"stop"}`, "half.json": `{"v":1,"id":"ha`},
	}
}

// The manager asks, has it painted, claims it without a proof, and then with
// one. What it knows it has from its brief.
const troubledRoles = `
@ plan
! say ` + manager + `
@ execute
! run echo x >> ../effects; echo azure > out.txt
Painted.
@ audit
! run test -e patch.txt || : > patch.txt
! say test -e out.txt && echo 'Status: complete' || echo 'Status: incomplete'
Integrity: clean
Contract audit: aligned
@ final_audit
Status: complete
Integrity: clean
Contract audit: aligned
@ report
It is azure.
`

const manager = `cat > brief; ` +
	`if n=$(grep -o 'The last verdict, of round_...: complete' brief); then ` +
	`if grep -q 'the task is not done' brief; then ` +
	`printf 'Current task state:\n- R1 [completed @round_%s] out.txt is painted\n' $(echo $n | grep -o '[0-9][0-9][0-9]'); fi; ` +
	`echo 'Next: done'; ` +
	`elif grep -q 'azure\|round_... cli' brief; then ` +
	`printf 'Next: cli\nTask: paint\nRequirements: R1\nAcceptance criteria:\n- C1 it is there   check: file out.txt contains "azure"\n'; ` +
	`else printf 'Next: ask\nQuestion: Which colour?\nChoices: red | azure\n'; fi`

// spoilt is a scenario in which a step ruins what an earlier one made, and that
// is put back.
func spoilt(t testing.TB) drama {
	t.Helper()
	dir := t.TempDir()
	task := "---\ntitle: Two\non_fail: restore\nfinal_audit: false\n---\n- [ ] one.txt and two.txt are good\n"
	must(t, os.WriteFile(filepath.Join(dir, "task.md"), []byte(task), 0o600))
	return drama{
		workspace: dir, roles: spoiltRoles,
		kinds: []string{"checkpointed", "restored", "audited", "executed", "round_closed"},
	}
}

// Who does what depends on the files alone: an interruption may add a round.
const spoiltRoles = `
@ plan
! say ` + spoiltManager + `
@ execute
! run if test -e ../spoilt; then echo good > two.txt; elif test -e one.txt; then touch ../spoilt; echo bad > one.txt; echo x > junk.txt; else echo good > one.txt; fi
@ audit
! say ` + spoiltAuditor + `
@ report
Both are good.
`

const spoiltManager = `cat > brief; n=$(grep -o 'The last verdict, of round_...: complete' brief | grep -o '[0-9][0-9][0-9]'); ` +
	`if test -n "$n" && grep -q 'both are there' brief; then printf 'Current task state:\n- R1 [completed @round_%s] good\nNext: done\n' $n; ` +
	`else printf 'Next: cli\nTask: the next file\nRequirements: R1\n'; fi`

const spoiltAuditor = `tail='Integrity: clean\nContract audit: aligned\n'; ` +
	`if grep -q bad one.txt; then printf "Status: incomplete\n${tail}Effect: worse\n"; ` +
	`elif test -e two.txt; then printf "Status: complete\n${tail}Facts:\n- both are there\n"; ` +
	`elif test -e ../spoilt; then printf "Status: incomplete\n${tail}"; ` +
	`else test -e one.txt && printf "Status: complete\n${tail}" || printf "Status: incomplete\n${tail}"; fi`

// crash is one instant at which a worker is killed, and its successor perhaps
// too.
type crash struct {
	what   string
	first  faults
	second faults
}

func (c crash) String() string { return c.what }

// crashes lists, for each write of records to the ledger: killed before it,
// when the head that announces them is saved; in the middle of it, after each
// whole record; between write and sync; and when they have just appeared. Thin
// leaves out, in turn, two of the first three. Every third successor is killed
// as well, on its way.
func crashes(trace string, thin bool) (all []crash) {
	n := 0
	for line := range strings.Lines(trace) {
		op, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.HasSuffix(name, ledgerName) {
			continue
		}
		n++
		at := faults{Of: ledgerName, At: n, Kill: true}
		turn := 0
		add := func(what string, f faults) {
			if turn++; thin && !f.After && (n/2+turn)%3 > 0 {
				return
			}
			c := crash{what: fmt.Sprintf("%s %d", what, n), first: f}
			if i := len(all); i%3 == 2 {
				c.second = faults{At: 1 + i*7%90, Kill: true}
			}
			all = append(all, c)
		}
		switch op {
		case "write":
			add("before write", at)
			at.Tear, at.Lines, at.Errno = true, n%3, syscall.EIO
			add("within write", at)
		case "datasync":
			add("before sync", at)
			at.After = true
			add("after sync", at)
		}
	}
	return all
}

const ledgerName = "ledger.jsonl"

// TestKilledAtAnyRecordARunGoesOn runs whole runs, kills their worker at every
// record, and wants the run to come to what it comes to undisturbed.
func TestKilledAtAnyRecordARunGoesOn(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]drama{"sample": sample(t), "troubled": troubled(t), "spoilt": spoilt(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, trace, kinds := d.undisturbed(t)
			for _, k := range d.kinds {
				if !kinds[k] {
					t.Fatalf("undisturbed it has no %s", k)
				}
			}
			points := sampled(t, crashes(trace, !*everything))
			t.Logf("%d instants", len(points))
			each(t, points, func(t *testing.T, c crash) { crashAt(t, d, c, want) })
		})
	}
}

// undisturbed is what a drama comes to by itself, and the file calls of its
// worker.
func (d drama) undisturbed(t *testing.T) (result, string, map[string]bool) {
	t.Helper()
	tr := d.start(t)
	defer tr.end()
	trace := filepath.Join(tr.dir, "trace")
	if code := tr.life(faults{Trace: trace}); code != 0 {
		t.Fatalf("undisturbed it ends with %d: %s", code, tr.run.LastLog())
	}
	calls, err := os.ReadFile(trace)
	must(t, err)
	kinds := map[string]bool{}
	for _, rec := range tr.records() {
		kinds[rec.Kind] = true
	}
	return tr.result(), string(calls), kinds
}

func crashAt(t *testing.T, d drama, c crash, want result) {
	tr := d.start(t)
	defer tr.end()
	if code := tr.life(c.first); code == killed && c.second.At > 0 {
		tr.life(c.second)
	}
	tr.goesOn(want)
}

// goesOn lets new workers end the run, and compares what it comes to.
func (tr *trial) goesOn(want result) {
	tr.t.Helper()
	before := tr.records()
	for lives := 0; lives < 3 && (tr.state().Finished == nil || tr.torn()); lives++ {
		if code := tr.life(faults{}); code != 0 {
			tr.t.Errorf("the worker ends with %d: %s", code, tr.run.LastLog())
		}
		tr.tidied()
	}
	tr.holds(want, before)
}

// torn reports whether the last worker of a run that has ended left a line half
// written; the next one cuts it.
func (tr *trial) torn() bool {
	rep, err := tr.run.Verify()
	return err == nil && rep.End == ledger.EndTorn
}

// tidied holds that nothing half made is left of the workers before.
func (tr *trial) tidied() {
	tr.t.Helper()
	left, err := filepath.Glob(filepath.Join(tr.dir, "tmp", "*"))
	must(tr.t, err)
	for name := range files(tr.t, tr.home.Path()) {
		if strings.Contains(name, ".tmp-") {
			left = append(left, name)
		}
	}
	if len(left) > 0 {
		tr.t.Errorf("left behind: %v", left)
	}
}

// holds compares a run that went through trouble with what it should be.
func (tr *trial) holds(want result, before []ledger.Record) {
	tr.t.Helper()
	if diff := cmp.Diff(want, tr.result()); diff != "" {
		tr.t.Errorf("-want +got\n%s", diff)
	}
	after := tr.records()
	for i, rec := range before {
		if i >= len(after) || after[i].Sum != rec.Sum {
			tr.t.Errorf("record %d (%s) was lost", rec.Seq, rec.Kind)
			break
		}
	}
	if rep, err := tr.run.Verify(); err != nil || rep.Broken != nil || rep.End != ledger.EndAttested {
		tr.t.Errorf("the ledger: %v, %+v", err, rep)
	}
	if why := tr.blind(); why != "" {
		tr.t.Error(why)
	}
	if left := leftovers(tr.dir, tr.home.Path()); left != "" {
		tr.t.Error("left behind: " + left)
	}
	if tr.t.Failed() {
		tr.t.Logf("see %s", tr.dir)
	}
}

// sampled leaves every instant alone, or takes some where time is short.
func sampled[T any](t *testing.T, all []T) []T {
	t.Helper()
	step := 1
	if !*everything && (testing.Short() || raceEnabled) {
		step = 9
	}
	return every(all, step)
}

func every[T any](all []T, step int) (out []T) {
	for i := 0; i < len(all); i += step {
		out = append(out, all[i])
	}
	return out
}

// each runs a trial for each point, a few more at a time than there are
// processors: they wait for disks and processes most of the time.
func each[T any](t *testing.T, points []T, try func(t *testing.T, p T)) {
	t.Helper()
	next := make(chan T)
	var workers sync.WaitGroup
	for range 2 * runtime.NumCPU() {
		workers.Go(func() {
			for p := range next {
				t.Run(strings.ReplaceAll(fmt.Sprint(p), " ", "_"), func(t *testing.T) { try(t, p) })
			}
		})
	}
	for _, p := range points {
		next <- p
	}
	close(next)
	workers.Wait()
}
