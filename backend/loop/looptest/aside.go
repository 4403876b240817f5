package looptest

import (
	"fmt"

	"longwatch/backend/run"
)

// aside is an event that moves nothing on by itself.
func aside(s *run.State, d Dice) run.Event {
	n := len(s.Rounds)
	rec := run.Receipt{Command: fmt.Sprintf("c%d", d(20)), Channel: "window"}
	host := run.Host{Version: "v", BootID: "b", PID: 7, Guard: "detect", Tree: tree(d), Reopens: d(4) == 0}
	switch d(17) {
	case 0:
		return run.Started{Epoch: run.Epoch{Epoch: 1}, Host: host}
	case 1:
		return run.Resumed{Epoch: run.Epoch{Epoch: 2}, Host: host}
	case 2:
		return run.TailCut{Bytes: 3}
	case 3:
		return run.Anchored{Seq: s.Seq}
	case 4:
		return run.Rebound{Receipt: rec, Role: pick(d, "auditor", "manager"), Agent: "a"}
	case 5:
		return run.Consented{Receipt: rec, To: "x"}
	case 6:
		return run.Restored{Checkpoint: "c", Before: "d", Changes: changes(d)}
	case 7:
		return run.Checkpointed{ID: "c", Round: n}
	case 8:
		return run.Captured{ID: "shot", Round: n}
	case 9:
		return run.ServiceStarted{Name: pick(d, "db", "web"), Argv: []string{"run"}, Process: run.Process{PID: 9}}
	case 10:
		return run.ServiceStopped{Name: pick(d, "db", "web")}
	case 11:
		var ids []string
		for _, m := range s.Unread() {
			ids = append(ids, m.ID)
		}
		return run.MessageUsed{Round: n, IDs: ids}
	case 12:
		return run.CommandRefused{Receipt: rec, Reason: "r"}
	case 13:
		return run.CapabilityMissing{Name: "display", Owner: pick(d, "user", "longwatch"), FixHint: "h", Tries: d(3)}
	case 14:
		return run.BudgetNoted{Budget: pick(d, "rounds", "tokens"), Used: 8, Limit: 10}
	case 15:
		return run.WorkspaceChanged{Round: n, During: pick(d, run.Between, run.Away), Changes: changes(d)}
	}
	return run.Unknown{Name: "dreamt", Of: run.Evidence}
}
