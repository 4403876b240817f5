package api

import (
	"encoding/base64"
	"strconv"

	"longwatch/backend/check"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

// Bounds of what a row says, in bytes and lines. The whole is in the detail.
const (
	longestStep = 300
	longestWhy  = 600
	mostLowered = 6
)

// row is a round in short.
func (l *live) row(n int) RoundRow {
	r := l.state.Round(n)
	out := RoundRow{
		N: n, End: string(r.End), Began: r.StartedAt, Closed: r.ClosedAt,
		Why: clip(plain(r.Why()), longestWhy), Violations: len(r.Violations), Stages: []Stage{},
	}
	if n <= len(l.track.rounds) {
		t := l.track.rounds[n-1]
		out.Changed = t.changed
		out.Stages = append(out.Stages, t.stages...)
	}
	if r.Plan != nil {
		out.Route, out.Step = string(r.Plan.Route), line(step(r.Plan), longestStep)
	}
	if a := newest(r); a != nil {
		out.Verdict = verdict(a.Verdict)
		if a.Said != a.Verdict {
			out.Said = verdict(a.Said)
		}
		for i, reason := range a.Reasons {
			if i == mostLowered {
				break
			}
			out.Lowered = append(out.Lowered, line(reason, longestDetail))
		}
	}
	for _, c := range r.Changes {
		if c.During == run.Execute {
			out.Changes += c.Count
		}
	}
	return out
}

// step is what a plan is about.
func step(p *protocol.Plan) string {
	switch {
	case p.Task != "":
		return p.Task
	case p.Question != "":
		return p.Question
	case p.Until != "":
		return p.Until
	}
	return ""
}

// newest is the newest verdict of a round, nil before the first.
func newest(r *run.Round) *run.Audited {
	if r.Final != nil && r.FinalSeq > r.AuditedSeq {
		return r.Final
	}
	return r.Audited
}

func verdict(v protocol.Verdict) *Verdict {
	return &Verdict{
		Status: string(v.Status), Integrity: string(v.Integrity), Contract: string(v.Contract), Supports: v.Supports(),
	}
}

// detail is a round whole.
func (l *live) detail(n int) RoundDetail {
	r := l.state.Round(n)
	out := RoundDetail{Row: l.row(n), PlanSaid: said(r.PlanSaid), Missing: r.Missing}
	if p := r.Plan; p != nil {
		out.Task, out.Serves, out.Boundaries = plain(p.Task), p.Serves, plain(p.Boundaries)
		out.Question, out.Until = plain(p.Question), p.Until
		for _, c := range p.Criteria {
			out.Criteria = append(out.Criteria, plain(c.Text))
		}
	}
	if e := r.Executed; e != nil {
		out.Executor, out.Exit = said(&e.Said), e.Exit
	}
	out.Checks, out.Hidden = checks(r.Checked)
	out.FinalChecks, out.FinalHidden = checks(r.FinalChecked)
	if a := r.Audited; a != nil {
		out.Audit = said(&a.Report)
	}
	if f := r.Final; f != nil {
		out.FinalAudit, out.Final = said(&f.Report), verdict(f.Verdict)
	}
	for _, c := range r.Changes {
		out.Changed = append(out.Changed, changes(c.During, c.Changes))
	}
	for _, v := range r.Violations {
		out.Violated = append(out.Violated, changes(v.Phase, v.Changes))
	}
	return out
}

func said(t *run.Text) *Said {
	if t == nil {
		return nil
	}
	return &Said{Text: plain(t.Text), Cut: t.File != "", Digest: t.SHA256, Size: t.Size}
}

func checks(c *run.Checked) ([]Check, int) {
	if c == nil {
		return nil, 0
	}
	var out []Check
	for _, r := range c.Results {
		out = append(out, found(r))
	}
	return out, c.Hidden
}

func found(r check.Result) Check {
	return Check{Check: plain(r.Check), Status: string(r.Status), Proof: plain(r.Proof), MS: r.Millis}
}

func changes(during run.Phase, c run.Changes) ChangeList {
	out := ChangeList{During: string(during), Count: c.Count, First: []Change{}}
	for _, ch := range c.First {
		path := ch.Quoted()
		if b, err := base64.StdEncoding.DecodeString(ch.PathB64); ch.Path == "" && err == nil {
			path = strconv.Quote(string(b))
		}
		out.First = append(out.First, Change{Path: path, What: ch.What, Kind: ch.Kind, Ignored: ch.Ignored})
	}
	return out
}
