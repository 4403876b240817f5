package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBindFollowsTheChain(t *testing.T) {
	t.Parallel()
	s := Default()
	s.Agent, s.Model, s.Effort = "claude", "opus", "medium"
	s.Roles = map[Role]Player{
		Executor:    {Agent: "codex"},
		GUIExecutor: {Model: "gpt-gui", Minutes: 45},
		Auditor:     {Effort: "high"},
		CLIAuditor:  {Agent: "dsh", Model: "small"},
		Manager:     {Model: "opus-plan", Minutes: 5},
	}
	s.Agents = map[string]Program{"codex": {Model: "gpt-default"}}
	want := Roles{
		Manager:     Player{"claude", "opus-plan", "medium", 5},
		GUIExecutor: Player{"codex", "gpt-gui", "medium", 45},
		CLIExecutor: Player{"codex", "gpt-default", "medium", 30},
		GUIAuditor:  Player{"claude", "opus", "high", 10},
		CLIAuditor:  Player{"dsh", "small", "high", 10},
		Reporter:    Player{"claude", "opus-plan", "medium", 3},
	}
	if diff := cmp.Diff(want, Bind(s, Casting{}, Casting{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestBindLetsTheLaterSourceDecide(t *testing.T) {
	t.Parallel()
	s := Default()
	s.Agent, s.Model = "claude", "opus"
	s.Roles = map[Role]Player{Auditor: {Agent: "codex", Model: "gpt", Minutes: 20}}

	task := Casting{Agent: "opencode", Roles: map[Role]Player{GUIAuditor: {Agent: "dsh", Model: "deep"}}}
	got := Bind(s, task, Casting{})
	if diff := cmp.Diff(Player{Agent: "opencode", Minutes: 20}, got.CLIAuditor); diff != "" {
		t.Errorf("a task's agent replaces the settings' auditor and both models (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(Player{Agent: "dsh", Model: "deep", Minutes: 20}, got.GUIAuditor); diff != "" {
		t.Errorf("a task's own role stays (-want +got)\n%s", diff)
	}

	got = Bind(s, task, Casting{Model: "glm", Effort: "low"})
	if diff := cmp.Diff(Player{"opencode", "glm", "low", 10}, got.Manager); diff != "" {
		t.Errorf("a model without an agent refines the run's agent (-want +got)\n%s", diff)
	}
	if got.GUIAuditor.Model != "deep" {
		t.Errorf("a model of the run reached another agent: %+v", got.GUIAuditor)
	}

	got = Bind(s, task, Casting{Agent: Playbook})
	if diff := cmp.Diff(Player{Agent: Playbook, Minutes: 20}, got.GUIAuditor); diff != "" {
		t.Errorf("the command line decides about everyone (-want +got)\n%s", diff)
	}
	if s.Roles[Auditor].Agent != "codex" || task.Roles[GUIAuditor].Agent != "dsh" {
		t.Error("Bind changed what it was given")
	}
}

func TestBindLeavesAnUnchosenAgentOpen(t *testing.T) {
	t.Parallel()
	if got := Bind(Default(), Casting{}, Casting{}).CLIExecutor; got != (Player{Minutes: 30}) {
		t.Errorf("got %+v", got)
	}
}
