package worker

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/agent"
	"longwatch/backend/config"
	"longwatch/backend/guard"
	"longwatch/backend/loop"
	"longwatch/backend/run"
)

// roles has another agent, and another limit, for each role.
func roles() config.Roles {
	return config.Roles{
		Manager: config.Player{Agent: "m", Minutes: 1}, Reporter: config.Player{Agent: "r", Minutes: 6},
		CLIExecutor: config.Player{Agent: "ce", Minutes: 2}, GUIExecutor: config.Player{Agent: "ge", Minutes: 3},
		CLIAuditor: config.Player{Agent: "ca", Minutes: 4}, GUIAuditor: config.Player{Agent: "ga", Minutes: 5},
	}
}

func TestEachPhaseHasItsPlayer(t *testing.T) {
	t.Parallel()
	c := &crew{roles: roles()}
	got := map[string]string{}
	for _, p := range run.Phases {
		for _, surface := range []string{"cli", "gui"} {
			got[string(p)+" "+surface] = c.player(p, surface).Agent
		}
	}
	want := map[string]string{
		"plan cli": "m", "plan gui": "m", "report cli": "r", "report gui": "r",
		"execute cli": "ce", "execute gui": "ge", "audit cli": "ca", "audit gui": "ga",
		"final_audit cli": "ca", "final_audit gui": "ga",
		"check cli": "", "check gui": "", "final_check cli": "", "final_check gui": "", "probe cli": "", "probe gui": "",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Managers and reporters have nothing of the workspace, auditors no home of the
// person's, and everybody a limit.
func TestACommandIsConfinedToItsRole(t *testing.T) {
	t.Parallel()
	private := t.TempDir()
	c := &crew{roles: roles(), workspace: "/data/ws", output: config.Default().Output}
	for phase, want := range map[run.Phase]struct {
		profile guard.Profile
		dir     string
		limit   time.Duration
	}{
		run.Plan:       {guard.Thinker, private + "/tmp", time.Minute},
		run.Report:     {guard.Thinker, private + "/tmp", 6 * time.Minute},
		run.Execute:    {guard.Executor, "/data/ws", 2 * time.Minute},
		run.Audit:      {guard.Auditor, "/data/ws", 4 * time.Minute},
		run.FinalAudit: {guard.Auditor, "/data/ws", 4 * time.Minute},
	} {
		e := &episode{crew: c, ep: loop.Episode{Phase: phase, Surface: "cli"}, private: private}
		got := e.command(agent.Command{Argv: []string{"a"}, Env: []string{"X=1"}})
		if got.Profile != want.profile || got.Dir != want.dir || got.Deadline != want.limit || got.Level != guard.LevelDetect {
			t.Errorf("%s: %s in %s for %s", phase, got.Profile, got.Dir, got.Deadline)
		}
		if !slices.Contains(got.Env, "X=1") {
			t.Errorf("%s: what the adapter adds is not there: %v", phase, got.Env)
		}
		own := slices.ContainsFunc(got.Env, func(kv string) bool { return strings.HasPrefix(kv, "HOME="+private) })
		if own != (phase != run.Execute) {
			t.Errorf("%s: a home of its own: %v", phase, own)
		}
		if got.StdoutCap < 16<<10 || got.StderrCap > 8<<20 || got.FloodCap < got.StdoutCap {
			t.Errorf("%s: caps %d, %d, %d", phase, got.StdoutCap, got.StderrCap, got.FloodCap)
		}
	}
}

func TestAStepMayTakeLongerThanItsRole(t *testing.T) {
	t.Parallel()
	c := &crew{roles: roles(), workspace: "/data/ws", output: config.Default().Output}
	e := &episode{crew: c, ep: loop.Episode{Phase: run.Execute, Surface: "cli"}, private: t.TempDir()}
	for asked, want := range map[time.Duration]time.Duration{time.Hour: time.Hour, time.Second: 2 * time.Minute} {
		if got := e.command(agent.Command{Argv: []string{"a"}, Deadline: asked}).Deadline; got != want {
			t.Errorf("asked for %s: %s, want %s", asked, got, want)
		}
	}
}

func TestAnEpisodeIsOneProcessTree(t *testing.T) {
	t.Parallel()
	e := &episode{used: true}
	if x := e.Launch(t.Context(), agent.Command{Argv: []string{"true"}}); x.StartErr == "" {
		t.Error("a second tree was started")
	}
}

// A program of the settings cannot take the place of the playbook, and one
// without a command is none.
func TestAdaptersAreOursAndTheSettings(t *testing.T) {
	t.Parallel()
	got := Adapters(config.Settings{Agents: map[string]config.Program{
		"playbook": {Command: []string{"evil"}}, "mine": {Command: []string{"mine", "-q"}}, "claude": {Model: "x"},
	}})
	want := map[string]agent.Adapter{
		"playbook": agent.Playbook{Self: ourselves()}, "mine": agent.Program{Command: []string{"mine", "-q"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
