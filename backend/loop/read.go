package loop

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"longwatch/backend/check"
	"longwatch/backend/protocol"
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
	return bounded(p), nil
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
