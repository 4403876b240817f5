package api

import (
	"net/http"
	"sync"

	"longwatch/backend/rundir"
)

// listing remembers the summaries of runs that have ended, and of those that
// nobody is at work on and whose own cache is old: their worker was killed, or
// they are of an earlier version. Those are folded once, not at every look.
type listing struct {
	mu    sync.Mutex
	known map[string]remembered
}

type remembered struct {
	at  stamp // of the ledger
	sum rundir.Summary
}

// runs answers with the list.
func (s *Server) runs(*http.Request) (any, error) {
	ids, err := s.o.Home.IDs()
	if err != nil {
		return nil, err
	}
	out := RunList{Runs: make([]RunSummary, 0, len(ids))}
	for i := len(ids) - 1; i >= 0; i-- {
		sum, err := s.summary(ids[i])
		switch {
		case err != nil && !s.o.Home.Has(ids[i]): // deleted between the two looks
		case err != nil:
			out.Runs = append(out.Runs, RunSummary{ID: ids[i], Standing: StandingBroken, Problem: plain(err.Error())})
		default:
			out.Runs = append(out.Runs, sum)
		}
	}
	s.list.keep(ids)
	return out, nil
}

func (s *Server) summary(id string) (RunSummary, error) {
	r, err := s.o.Home.Open(id)
	if err != nil {
		return RunSummary{}, err
	}
	defer r.Close()
	// One that is looked at anyway is folded, and then a flaw shows too.
	if s.lives.has(id) {
		return s.folded(id)
	}
	info, err := r.LedgerInfo()
	if err != nil {
		return RunSummary{}, err
	}
	at := stamp{info.Size(), info.ModTime()}
	if sum, ok := s.list.find(id, at); ok {
		return short(sum), nil
	}
	sum, fresh := r.Cached()
	switch _, alive := r.Worker(); {
	case fresh && sum.State != "ended":
		return short(sum), nil // what it does depends on its worker, too
	case alive && !fresh:
		return s.folded(id) // it is new again in a moment: add to what is there
	case !fresh:
		sum = r.Summary()
	}
	s.list.put(id, remembered{at: at, sum: sum})
	return short(sum), nil
}

func (s *Server) folded(id string) (out RunSummary, err error) {
	err = s.lives.look(id, func(l *live) error {
		out = l.summary()
		return nil
	})
	return out, err
}

func (l *listing) find(id string, at stamp) (rundir.Summary, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k, there := l.known[id]
	return k.sum, there && k.at == at
}

func (l *listing) put(id string, r remembered) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = map[string]remembered{}
	}
	l.known[id] = r
}

// keep forgets runs that are not there any more.
func (l *listing) keep(ids []string) {
	there := make(map[string]bool, len(ids))
	for _, id := range ids {
		there[id] = true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := range l.known {
		if !there[id] {
			delete(l.known, id)
		}
	}
}

var standings = map[string]Standing{
	"new": StandingNew, "working": StandingWorking, "waiting": StandingWaiting, "paused": StandingPaused,
	"needs you": StandingNeedsYou, "interrupted": StandingInterrupted, "ended": StandingEnded, "broken": StandingBroken,
}

// short is a summary in the words of the wire.
func short(s rundir.Summary) RunSummary {
	out := RunSummary{
		ID: s.Run, Title: plain(s.Title), Standing: standings[s.State], Outcome: string(s.Outcome), Reason: line(s.Reason, longestWhy),
		Gate: s.Gate, AskedAt: s.AskedAt, Round: s.Round, Rounds: s.Rounds, Phase: string(s.Phase), Surface: s.Surface,
		ActiveMS: s.ActiveMS, MicroUSD: s.MicroUSD, CreatedAt: s.CreatedAt, ChangedAt: s.ChangedAt,
		Workspace: s.Workspace, Unattended: s.Unattended, Problem: plain(s.Problem),
	}
	if s.Words != nil {
		out.Verdict = verdict(*s.Words)
	}
	return out
}
