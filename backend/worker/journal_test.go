package worker

import (
	"strings"
	"testing"

	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

// What people and verdicts decide is sealed; only what can be decided again
// from other records may be lost in a power cut.
func TestDraftsSayWhatMustBeDurable(t *testing.T) {
	t.Parallel()
	verdict := run.Audited{Phase: run.Audit, Verdict: protocol.Unreadable()}
	closed, noted := run.RoundClosed{Round: 1, End: run.EndSupported}, run.BudgetNoted{Budget: "rounds"}
	for name, tt := range map[string]struct {
		events []run.Event
		lazy   bool
		seals  string
	}{
		"a closed round":           {[]run.Event{closed}, true, "-"},
		"books":                    {[]run.Event{closed, noted}, true, "--"},
		"a start":                  {[]run.Event{run.PhaseStarted{Round: 1, Phase: run.Plan}}, false, "-"},
		"a verdict":                {[]run.Event{run.WorkspaceChanged{Round: 1}, verdict}, false, "-s"},
		"a verdict among books":    {[]run.Event{verdict, closed}, false, "s-"},
		"an answer":                {[]run.Event{run.GateAnswered{Gate: "g1"}}, false, "s"},
		"a stop":                   {[]run.Event{run.StopRequested{}}, false, "s"},
		"the end":                  {[]run.Event{run.Finished{Outcome: run.Complete}}, false, "s"},
		"a message":                {[]run.Event{run.MessageReceived{ID: "m"}}, false, "-"},
		"a refusal, with no event": {[]run.Event{run.CommandRefused{Reason: "no"}}, false, "-"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			drafts, lazy, err := draft(tt.events)
			if err != nil {
				t.Fatal(err)
			}
			var seals strings.Builder
			for i, d := range drafts {
				seals.WriteString(map[bool]string{true: "s", false: "-"}[d.Seal])
				if d.Kind != string(tt.events[i].Kind()) || d.Class != string(run.ClassOf(tt.events[i])) {
					t.Errorf("draft %d is %s, %s", i, d.Kind, d.Class)
				}
			}
			if lazy != tt.lazy || seals.String() != tt.seals {
				t.Errorf("lazy %v, seals %s; want %v, %s", lazy, seals.String(), tt.lazy, tt.seals)
			}
		})
	}
}
