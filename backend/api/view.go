package api

import (
	"net/http"
	"strconv"
	"time"

	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// mostReply bounds the reporter's answer in a view, in bytes.
const mostReply = 8 << 10

// view answers with a run, or with what of it is new.
func (s *Server) view(r *http.Request) (any, error) {
	after := uint64(0)
	if text := r.URL.Query().Get("after"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, refuse(http.StatusBadRequest, codeRefused, "after is not the number of a record: %s", quoted(text))
		}
		after = n
	}
	only := r.URL.Query().Get("records") == "changed"
	var out RunView
	err := s.look(r, func(l *live) error {
		out = l.view(after, s.begun.recently(l.dir.ID, l.dir.BeatAt()))
		out.Records = l.records(out.After, only)
		return nil
	})
	return out, err
}

// records are all that is believed, if any of it changed after a record; or only
// what changed, for a page that puts it together by their ids.
func (l *live) records(after uint64, only bool) []Record {
	if l.track.records <= after {
		return nil
	}
	var out []Record
	for i, b := range l.state.Records {
		if !only || l.track.believed[i] > after {
			out = append(out, belief(b))
		}
	}
	return out
}

// round answers with one round whole.
func (s *Server) round(r *http.Request) (any, error) {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || n < 1 {
		return nil, refuse(http.StatusNotFound, codeNotFound, "%s is not the number of a round", quoted(r.PathValue("n")))
	}
	var out RoundDetail
	err = s.look(r, func(l *live) error {
		if l.state.Round(n) == nil {
			return refuse(http.StatusNotFound, codeNotFound, "there is no round %d; the run has %d", n, len(l.state.Rounds))
		}
		out = l.detail(n)
		return nil
	})
	return out, err
}

// view is what is new after a record. Starting says that a worker was sent off
// a moment ago.
func (l *live) view(after uint64, starting bool) RunView {
	s := l.state
	after = l.since(after)
	out := RunView{
		Run: l.summary(), Seq: s.Seq, After: after, RoundCount: len(s.Rounds), RoundRows: []RoundRow{},
		Budgets: budgets(s), Why: l.why(starting, time.Now().UnixMilli()), Gate: l.gate(), Worker: l.worker(),
		Sealed: Sealed{To: l.track.anchor, Problem: plain(l.wrong())},
		Guard:  s.Host.Guard, GuardWhy: s.Host.Why, Path: l.dir.Path(),
		Stopping: stopping(s), Checkpoints: len(s.Checkpoints),
	}
	if out.Why.Code == "worker_starting" {
		out.Run.Standing = StandingWorking
	}
	for n := range s.Rounds {
		if n < len(l.track.rounds) && l.track.rounds[n].changed > after {
			out.RoundRows = append(out.RoundRows, l.row(n+1))
		}
	}
	if s.Reply != nil && s.Replied {
		out.Reply = clip(plain(s.Reply.Text), mostReply)
		out.ReplyCut = s.Reply.File != "" || len(s.Reply.Text) > mostReply
	}
	if l.track.messages > after {
		for _, m := range s.Messages {
			out.Messages = append(out.Messages, Message{ID: m.ID, Text: plain(m.Text), At: m.At, UsedBy: m.UsedBy})
		}
	}
	return out
}

func belief(b run.Belief) Record {
	return Record{ID: b.ID, Mark: string(b.Mark), Text: plain(b.Text), Round: b.Round, Task: b.FromTask}
}

// stopping reports whether the run was told to end and has not yet.
func stopping(s *run.State) bool {
	return s.Finished == nil && (s.Stop || s.Abort || s.Ended != nil)
}

// summary is the run in short, from the fold.
func (l *live) summary() RunSummary {
	sum := rundir.Summarise(l.state, l.alive)
	sum.Run = l.dir.ID
	sum.CreatedAt = l.spec.CreatedAt
	if l.problem != "" {
		sum.State, sum.Problem = "broken", l.problem
	}
	return short(sum)
}

func budgets(s *run.State) []Budget {
	l, u := s.Limits, s.Used
	known := func(n int64) *int64 {
		if n == 0 {
			return nil // nobody has said
		}
		return &n
	}
	rounds, active := int64(len(s.Rounds)), u.Millis
	out := []Budget{
		{Name: "rounds", Used: &rounds, Limit: int64(l.Rounds), Noted: s.Noted["rounds"]},
		{Name: "active_ms", Used: &active, Limit: l.ActiveMillis, Noted: s.Noted["active"]},
		{Name: "micro_usd", Used: known(u.MicroUSD), Limit: l.MicroUSD, Noted: s.Noted["cost"]},
		{Name: "tokens", Used: known(u.Tokens), Limit: l.Tokens, Noted: s.Noted["tokens"]},
	}
	if l.Deadline > 0 {
		out = append(out, Budget{Name: "deadline", Limit: l.Deadline, Noted: s.Noted["deadline"]})
	}
	return out
}

// mostFailures is how many failed rounds a question shows side by side.
const mostFailures = 3

// gate is the open question, nil if there is none.
func (l *live) gate() *Gate {
	g := l.state.Gate
	if g == nil {
		return nil
	}
	out := &Gate{
		ID: g.Gate, Trigger: string(g.Trigger), Reason: g.Reason, Question: plain(g.Question),
		At: g.At, Round: g.Round, Left: l.state.RoundsLeft(),
	}
	for _, c := range g.Choices {
		out.Choices = append(out.Choices, plain(c))
	}
	for _, d := range g.Details {
		out.Details = append(out.Details, plain(d))
	}
	if g.Trigger == run.GateRepeatedFailure || g.Reason == "manager.blocked" {
		out.Failures = failures(l.state)
	}
	return out
}

// failures are the newest failed rounds, oldest first.
func failures(s *run.State) []GateFailure {
	var out []GateFailure
	for n := len(s.Rounds); n > 0 && len(out) < mostFailures; n-- {
		r := s.Round(n)
		switch r.End {
		case run.EndUnsupported, run.EndRefused, run.EndFailed:
		case run.EndSupported:
			return out
		case run.EndAsked, run.EndWaited, run.EndDone, "":
			continue
		}
		f := GateFailure{N: n, Ended: r.ClosedAt, Why: clip(plain(r.Why()), longestWhy)}
		if a := newest(r); a != nil {
			f.Verdict = verdict(a.Verdict)
		}
		for _, c := range []*run.Checked{r.Checked, r.FinalChecked} {
			if c == nil || f.Check != "" {
				continue
			}
			for _, res := range c.Results {
				if !res.Passed() {
					f.Check, f.Proof = plain(res.Check), plain(res.Proof)
					break
				}
			}
		}
		out = append([]GateFailure{f}, out...)
	}
	return out
}

func (l *live) worker() Worker {
	w := Worker{Alive: l.alive, PID: l.pid, BeatAt: l.dir.BeatAt()}
	if !l.alive && l.state.Finished == nil && l.state.Gate == nil && l.state.Seq > 0 {
		w.Ended = line(l.dir.LastLog(), longestWhy)
	}
	return w
}
