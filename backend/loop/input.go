package loop

import (
	"longwatch/backend/protocol"
	"longwatch/backend/run"
	"longwatch/backend/task"
)

// Input is a brief for agents that are programs: the playbook reads it instead
// of the prompt. It carries the step it is about, not all of them, so that it
// is as small in a task of hundreds of steps.
type Input struct {
	Phase    run.Phase              `json:"phase"`
	Round    int                    `json:"round"`
	Title    string                 `json:"title"`
	Language string                 `json:"language"`
	Position Position               `json:"position"`
	Total    int                    `json:"total"`              // steps
	Step     task.Step              `json:"step"`               // the one the position points to
	Prove    []protocol.StateRecord `json:"prove,omitempty"`    // plan: records a verdict supports and that do not say so yet
	Serves   []string               `json:"serves,omitempty"`   // plan: the requirements of the step, or of all in a recheck
	Open     []string               `json:"open,omitempty"`     // final audit, report: names of steps not verified
	Verified []Verified             `json:"verified,omitempty"` // report
	Checked  *run.Checked           `json:"checked,omitempty"`  // of the step, or of the task in a final audit
	Executed *run.Executed          `json:"executed,omitempty"` // nil when interrupted
}

// Verified is a step and the round that supports it.
type Verified struct {
	Name  string `json:"name"`
	Round int    `json:"round"`
}

// input is made for tasks with steps only: nobody else reads it.
func (e *Engine) input(s *run.State, d Decision) *Input {
	if len(e.Task.Steps) == 0 {
		return nil
	}
	p := Locate(s, e.Task)
	in := &Input{
		Phase: d.Step.Phase, Round: d.Step.Round, Title: s.Created.Title, Language: s.Created.Language,
		Position: p, Total: len(e.Task.Steps), Step: e.Task.Steps[p.Step],
	}
	r := s.Current()
	switch d.Step.Phase {
	case run.Plan:
		in.Prove = prove(s, p.Verified)
		in.Serves = serves(e.Task.Steps, p)
	case run.Audit:
		in.Checked, in.Executed = r.Checked, r.Executed
	case run.FinalAudit:
		in.Checked = r.FinalChecked
		_, in.Open = standing(e.Task.Steps, p)
	case run.Report:
		in.Verified, in.Open = standing(e.Task.Steps, p)
	case run.Execute, run.Check, run.FinalCheck, run.Probe:
	}
	return in
}

// prove cites the supporting round in each record that does not do so yet.
func prove(s *run.State, verified map[string]int) []protocol.StateRecord {
	var out []protocol.StateRecord
	for _, b := range s.Records {
		rec := b.StateRecord
		round := verified[rec.ID]
		if round > 0 && (rec.Mark != protocol.Completed || rec.Round != round) {
			rec.Mark, rec.Round = protocol.Completed, round
			out = append(out, rec)
		}
	}
	return out
}

func serves(steps []task.Step, p Position) []string {
	switch p.Mode {
	case ModeRun:
		return []string{steps[p.Step].Requirement}
	case ModeRecheck:
		var all []string
		for _, s := range steps {
			all = append(all, s.Requirement)
		}
		return all
	case ModeBlocked, ModeDone:
	}
	return nil
}

func standing(steps []task.Step, p Position) (verified []Verified, open []string) {
	for _, s := range steps {
		if round := p.Verified[s.Requirement]; round > 0 {
			verified = append(verified, Verified{s.Name, round})
		} else {
			open = append(open, s.Name)
		}
	}
	return verified, open
}
