package api

import (
	"strconv"
	"sync"
	"time"

	"longwatch/backend/run"
)

// why says why a run does what it does at a time, unix ms.
func (l *live) why(starting bool, now int64) Why {
	s := l.state
	facts := func(code string, pairs ...string) Why {
		w := Why{Code: code}
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i+1] == "" {
				continue
			}
			if w.Facts == nil {
				w.Facts = map[string]string{}
			}
			w.Facts[pairs[i]] = pairs[i+1]
		}
		return w
	}
	switch {
	case l.problem != "":
		return facts("broken", "problem", plain(l.problem))
	case s.Unreadable != "":
		return facts("newer_version", "kind", string(s.Unreadable))
	case s.Finished != nil:
		return facts("ended", "outcome", string(s.Finished.Outcome), "reason", plain(s.Finished.Reason))
	case s.Gate != nil && s.Missing != nil && s.Missing.Name == "workspace":
		return facts("workspace_missing", "workspace", s.Created.Workspace, "hint", s.Missing.FixHint, "gate", s.Gate.Gate)
	case s.Gate != nil:
		return facts("gate_open", "gate", s.Gate.Gate, "trigger", string(s.Gate.Trigger), "reason", s.Gate.Reason)
	case !l.alive && (starting || s.Epoch == 0 && now-l.spec.CreatedAt < startWithin.Milliseconds()):
		return facts("worker_starting")
	case !l.alive:
		return facts("worker_gone", "since", millis(l.state.At))
	case stopping(s):
		return facts("stopping", "phase", openPhase(s), "abort", yes(s.Abort))
	case s.Open != nil:
		return facts("phase_runs", "phase", openPhase(s), "round", strconv.Itoa(s.Open.Round), "agent", s.Open.Agent,
			"attempt", strconv.Itoa(s.Open.Attempt), "pausing", yes(s.Paused))
	case s.Paused:
		return facts("paused")
	case s.RetryAt > now:
		return facts("throttled", "until", millis(s.RetryAt))
	case s.Waiting != nil:
		return facts("probe", "until", plain(s.Waiting.Until), "next_at", millis(s.Waiting.NextAt),
			"expires_at", millis(s.Waiting.Expires), "looked", strconv.Itoa(s.Waiting.Looked))
	}
	return facts("between_phases")
}

func openPhase(s *run.State) string {
	if s.Open == nil {
		return ""
	}
	return string(s.Open.Phase)
}

func millis(at int64) string { return strconv.FormatInt(at, 10) }

func yes(b bool) string {
	if b {
		return "true"
	}
	return ""
}

// startWithin is how long a worker that was sent off may take to appear before
// it counts as gone.
const startWithin = 3 * time.Second

// beginnings remembers for which runs a worker was sent off a moment ago.
type beginnings struct {
	mu sync.Mutex
	at map[string]time.Time
}

func (b *beginnings) note(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.at == nil {
		b.at = map[string]time.Time{}
	}
	for known, at := range b.at {
		if time.Since(at) > startWithin {
			delete(b.at, known)
		}
	}
	b.at[id] = time.Now()
}

// recently reports whether a worker was sent off that has left no sign of life,
// the last of which was at beat, unix ms.
func (b *beginnings) recently(id string, beat int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	at, there := b.at[id]
	return there && time.Since(at) < startWithin && beat < at.UnixMilli()
}

// sentOff notes that a worker was sent off, and has windows look again when it
// should be there.
func (s *Server) sentOff(id string) {
	s.begun.note(id)
	time.AfterFunc(startWithin+poll, func() { s.hub.again(id) })
}
