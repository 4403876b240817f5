package loop

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"longwatch/backend/check"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

// readPlan reads a manager's answer; what it asks for must be something that
// can be done.
func (e *Engine) readPlan(said string) (protocol.Plan, error) {
	p, err := protocol.ParsePlan(said)
	if err != nil {
		return p, err
	}
	for _, c := range p.Criteria {
		if c.Check == "" {
			continue
		}
		if _, err := check.Parse(c.Check); err != nil {
			return p, fmt.Errorf("line %d: the check of %s: %w", c.Line, c.ID, err)
		}
	}
	if p.Route == protocol.Wait {
		if _, err := check.Parse(p.Until); err != nil {
			return p, fmt.Errorf("until: %w", err)
		}
	}
	if p.Route == protocol.GUI && !e.Desktop {
		return p, fmt.Errorf("next: gui is not available in this run; use cli")
	}
	for i := range p.Records {
		p.Records[i].Text = clip(p.Records[i].Text, maxLine)
	}
	p = bounded(p)
	b, err := run.Encode(run.Planned{Plan: p})
	if err == nil && len(b) > maxPlan {
		err = fmt.Errorf("the plan is too long: %d bytes, at most %d; plan one bounded step and send only the records that change", len(b), maxPlan)
	}
	return p, err
}

// bounded keeps a plan within one record.
func bounded(p protocol.Plan) protocol.Plan {
	p.Contract = clip(p.Contract, 2<<10)
	p.Task = clip(p.Task, 2<<10)
	p.Boundaries = clip(p.Boundaries, 1<<10)
	p.Question = clip(p.Question, 1<<10)
	return p
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
