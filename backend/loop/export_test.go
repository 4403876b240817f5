package loop

import "longwatch/backend/run"

// DecidingRows lists every row that would decide if those before it did not.
func DecidingRows(s *run.State, now int64) map[int]Decision {
	out := map[int]Decision{}
	for _, r := range table {
		if d := r.decide(s, now); d != nil {
			d.Row = r.n
			out[r.n] = *d
		}
	}
	return out
}

// Render is the brief of a decision.
func (e *Engine) Render(s *run.State, d Decision) (Brief, error) { return e.brief(s, d) }

// The bounds of records, for tests of them.
var (
	Clip    = clip
	ClipAll = clipAll
	Fit     = fit
)
