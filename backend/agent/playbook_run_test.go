package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"longwatch/backend/config"
	"longwatch/backend/loop"
	"longwatch/backend/run"
	"longwatch/backend/task"
)

// episode runs one step's command as the playbook's face does.
func episode(ctx context.Context, st task.Step, p loop.Position) (code int, said, trace string) {
	var out, err bytes.Buffer
	code = execute(ctx, &loop.Input{Total: 1, Step: st, Position: p}, &out, &err)
	return code, out.String(), err.String()
}

func TestAStepSaysHowItEnded(t *testing.T) {
	t.Parallel()
	st := task.Step{
		Name: "S", Run: "echo out; echo err >&2; exit 7", Timeout: config.Millis(60000),
		Else: []task.Action{{Run: "echo other"}, {GUI: "click"}},
	}
	for name, tt := range map[string]struct {
		position loop.Position
		code     int
		said     []string
	}{
		"the step":         {loop.Position{Mode: loop.ModeRun}, 7, []string{"attempt 1: exit 7 after", "out\n    err"}},
		"its alternative":  {loop.Position{Mode: loop.ModeRun, Attempt: 1}, 0, []string{"attempt 2: exit 0", "other"}},
		"one on a desktop": {loop.Position{Mode: loop.ModeRun, Attempt: 2}, 2, []string{"cannot use yet"}},
		"one too many":     {loop.Position{Mode: loop.ModeRun, Attempt: 9}, 2, []string{"cannot use yet"}},
		"only a look":      {loop.Position{Mode: loop.ModeRecheck}, 0, []string{"Nothing was done"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, said, _ := episode(t.Context(), st, tt.position)
			if code != tt.code {
				t.Errorf("exit %d, want %d", code, tt.code)
			}
			for _, want := range tt.said {
				if !strings.Contains(said, want) {
					t.Errorf("%q is not in:\n%s", want, said)
				}
			}
		})
	}
}

// A step that takes too long is killed, and a child that keeps its output open
// does not make us wait: the launcher around us ends that one.
func TestAStepEndsAtItsTimeout(t *testing.T) {
	t.Parallel()
	pidFile := filepath.Join(t.TempDir(), "pid")
	st := task.Step{Name: "S", Run: "sleep 300 & echo $! > " + pidFile + "; wait", Timeout: config.Millis(300)}
	began := time.Now()
	code, said, _ := episode(t.Context(), st, loop.Position{Mode: loop.ModeRun})
	if code != 124 || !strings.Contains(said, "ended at its timeout of 300ms") {
		t.Errorf("exit %d:\n%s", code, said)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
	b, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("the child: %v", err)
	}
}

func TestALongOutputIsQuotedFromItsEnd(t *testing.T) {
	t.Parallel()
	st := task.Step{Name: "S", Timeout: config.Millis(60000), Run: `i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done; printf '\033[31mred\377'`}
	_, said, trace := episode(t.Context(), st, loop.Position{Mode: loop.ModeRun})
	if strings.Contains(said, "line 0\n") || !strings.Contains(said, "line 2999\n    [31mred\uFFFD") {
		t.Errorf("the report ends:\n%.300s\n…\n%q", said, said[max(0, len(said)-100):])
	}
	if len(said) > reportTail*2 {
		t.Errorf("the report has %d bytes", len(said))
	}
	if !strings.Contains(trace, "line 0\n") || !strings.Contains(trace, "line 2999\n") {
		t.Error("the trace is not whole")
	}
}

func TestThePlaybookFaceRefusesWhatItCannotPlay(t *testing.T) {
	t.Parallel()
	check, err := json.Marshal(&loop.Input{Phase: run.Check, Total: 1, Step: task.Step{Name: "S", Run: "true"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, input := range map[string]string{
		"nothing": "", "no JSON": "{", "null": "null", "no steps": `{"phase":"plan"}`, "no role's phase": string(check),
	} {
		var out, errs bytes.Buffer
		if code := PlaybookMain(t.Context(), strings.NewReader(input), &out, &errs); code != 2 || out.Len() > 0 || errs.Len() == 0 {
			t.Errorf("%s: exit %d, said %q, %q", name, code, out.String(), errs.String())
		}
	}
}
