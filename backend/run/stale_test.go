package run_test

import (
	"strings"
	"testing"

	"longwatch/backend/loop/looptest"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

func moved(during run.Phase, counts bool) run.WorkspaceChanged {
	return run.WorkspaceChanged{During: during, Changes: run.Changes{Count: 1, Counts: counts, Tree: "t2"}}
}

func TestWhatMakesAVerdictStale(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		then func(p *looptest.Tape)
		want string
	}{
		"an executor":         {func(p *looptest.Tape) { p.Do() }, "an executor was at work after it"},
		"a killed executor":   {func(p *looptest.Tape) { execute(p).Add(run.Interrupted{Round: 2, Phase: run.Execute}) }, "an executor was at work after it"},
		"a message":           {func(p *looptest.Tape) { p.Add(run.MessageReceived{ID: "m", Text: "x"}) }, "the person wrote after it"},
		"a continue answer":   {func(p *looptest.Tape) { p.Ask(run.GateMaxRounds, "budget.rounds").Answer(run.GateAnswered{Rounds: 1}) }, "the person wrote after it"},
		"an answer in words":  {func(p *looptest.Tape) { p.Ask(run.GateNeedsHuman, "audit.void").Answer(run.GateAnswered{Text: "x"}) }, "the person wrote after it"},
		"a change":            {func(p *looptest.Tape) { p.Add(moved(run.Between, true)) }, "the workspace changed after it"},
		"a change while away": {func(p *looptest.Tape) { p.Add(moved(run.Away, true)) }, "the workspace changed after it"},
		"a change in a plan":  {func(p *looptest.Tape) { p.Add(moved(run.Plan, true)) }, "the workspace changed after it"},

		"nothing":                      {func(*looptest.Tape) {}, ""},
		"an ignored change":            {func(p *looptest.Tape) { p.Add(moved(run.Between, false)) }, ""},
		"a change by a machine check":  {func(p *looptest.Tape) { p.Add(moved(run.FinalCheck, true)) }, ""},
		"an answer that ends the run":  {func(p *looptest.Tape) { p.Ask(run.GateMaxRounds, "budget.rounds").Answer(run.GateAnswered{End: true}) }, ""},
		"an answer to audit again":     {func(p *looptest.Tape) { p.Ask(run.GateNeedsHuman, "audit.void").Answer(run.GateAnswered{}) }, ""},
		"a command without an effect":  {func(p *looptest.Tape) { p.Add(run.CommandRefused{}) }, ""},
		"a pause and going on from it": {func(p *looptest.Tape) { p.Add(run.PauseSet{Paused: true}, run.PauseSet{}) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := looptest.New(t).Round(looptest.Good)
			c.then(p)
			if got := strings.Join(p.Staleness(), "; "); got != c.want {
				t.Errorf("stale because %q, want %q", got, c.want)
			}
		})
	}
}

func execute(p *looptest.Tape) *looptest.Tape {
	return p.Plan(protocol.Plan{Route: protocol.CLI}).Start(run.Execute)
}

func TestAVerdictHasNotSeenWhatCameWhileItWasMade(t *testing.T) {
	t.Parallel()
	p := looptest.New(t).Do().Start(run.Audit)
	p.Add(run.MessageReceived{ID: "m", Text: "blue, not red"})
	p.Add(run.Audited{Round: 1, Phase: run.Audit, Verdict: looptest.Good, Said: looptest.Good})
	if got := p.Staleness(); len(got) != 1 {
		t.Errorf("the auditor's brief had no message, and its verdict is stale because of %q", got)
	}
}

func TestTheLatestVerdictIsTheNewestOfEitherAudit(t *testing.T) {
	t.Parallel()
	p := looptest.New(t)
	if v, at := p.LatestVerdict(); v != nil || at != 0 || p.Staleness() != nil {
		t.Errorf("before any audit: %v at %d", v, at)
	}
	p.Round(looptest.Good).Claim(1)
	p.Final(looptest.Bad)
	if v, _ := p.LatestVerdict(); v.Phase != run.FinalAudit || v.Round != 2 {
		t.Errorf("the latest verdict is %+v, want the final audit's", v)
	}
	p.Add(run.DoneRefused{Round: 2, Missing: []string{"x"}}).Close(run.EndRefused).Do().Audit(looptest.Good)
	if v, _ := p.LatestVerdict(); v.Phase != run.Audit || v.Round != 3 {
		t.Errorf("the latest verdict is %+v, want round 3's", v)
	}
}
