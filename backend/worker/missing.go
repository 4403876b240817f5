package worker

import (
	"errors"

	"longwatch/backend/run"
)

// trouble is an error that is not the run's own: a workspace that is gone asks
// the person, anything else ends this worker, and the run can be resumed.
func (w *worker) trouble(err error) error {
	if !lost(err) {
		return err
	}
	w.Log.Error("Workspace is gone", "err", err)
	hint := "Put " + w.spec.Workspace + " back; the run then goes on."
	if errors.Is(err, errReplaced) {
		hint = "Another folder is at " + w.spec.Workspace + ". Put the old one back, or continue in this one."
	}
	w.asked = true
	return w.j.Append(run.CapabilityMissing{Name: "workspace", Owner: "user", FixHint: hint})
}

// lookForWorkspace goes on with a run whose workspace is back, or whose person
// said to go on in what is there now.
func (w *worker) lookForWorkspace() error {
	if !w.asked {
		return nil
	}
	if !w.workspaceMissing() {
		w.asked, w.ws.accepted = false, true
		return nil
	}
	if !w.ws.back() {
		return nil
	}
	return w.j.appendIf(func(s *run.State) []run.Event {
		if s.Missing == nil || s.Gate == nil || s.Gate.Reason != "capability.missing" {
			return nil // answered, or not asked yet
		}
		w.asked = false
		return []run.Event{run.GateAnswered{Receipt: run.Receipt{Channel: "worker"}, Gate: s.Gate.Gate}}
	})
}

func (w *worker) workspaceMissing() (missing bool) {
	w.j.View(func(s *run.State) { missing = s.Missing != nil && s.Missing.Name == "workspace" })
	return missing
}
