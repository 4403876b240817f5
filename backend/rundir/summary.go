package rundir

import (
	"encoding/json"
	"errors"
	"fmt"

	"longwatch/backend/ledger"
	"longwatch/backend/protocol"
	"longwatch/backend/run"
	"longwatch/backend/safefs"
)

// Summary is what a list of runs shows. summary.json is a cache of it: it can
// be made again from the ledger.
type Summary struct {
	Run        string            `json:"run"`
	Title      string            `json:"title"`
	State      string            `json:"state"` // working, waiting, paused, needs you, ended, interrupted, new
	Outcome    run.Outcome       `json:"outcome"`
	Reason     string            `json:"reason,omitempty"`
	Gate       string            `json:"gate,omitempty"`     // trigger of the open gate
	AskedAt    int64             `json:"asked_at,omitempty"` // when it opened
	Round      int               `json:"round"`
	Rounds     int               `json:"rounds"` // limit
	Phase      run.Phase         `json:"phase,omitempty"`
	Surface    string            `json:"surface,omitempty"` // gui or cli, of the step that runs
	Verdict    string            `json:"verdict,omitempty"`
	Words      *protocol.Verdict `json:"verdict_words,omitempty"` // the same, part by part
	ActiveMS   int64             `json:"active_ms"`
	MicroUSD   int64             `json:"micro_usd,omitempty"` // absent: unknown
	CreatedAt  int64             `json:"created_at"`
	ChangedAt  int64             `json:"changed_at"`
	Workspace  string            `json:"workspace"`
	Unattended bool              `json:"unattended,omitempty"`
	Problem    string            `json:"problem,omitempty"` // the run cannot be read
	Bytes      int64             `json:"bytes,omitempty"`   // on disk, where somebody asked
}

// cached is summary.json: the summary and what it was made of.
type cached struct {
	V       int     `json:"v"`
	Seq     uint64  `json:"seq"`
	Fold    int     `json:"fold"`
	Summary Summary `json:"summary"`
}

const summaryName = "summary.json"

// summaryVersion changes when a summary says more than before, or otherwise.
const summaryVersion = 2

// Summarise says what a list shows of a state. Alive is whether a worker has
// the run: a state cannot know.
func Summarise(s *run.State, alive bool) Summary {
	out := Summary{
		Run: s.Created.Run, Title: s.Created.Title, Outcome: s.Outcome(),
		Round: len(s.Rounds), Rounds: s.Limits.Rounds,
		ActiveMS: s.Used.Millis, MicroUSD: s.Used.MicroUSD,
		ChangedAt: s.At, Workspace: s.Created.Workspace, Unattended: s.Created.Unattended,
	}
	if v, _ := s.LatestVerdict(); v != nil {
		words := v.Verdict
		out.Verdict, out.Words = words.String(), &words
	}
	if s.Open != nil {
		out.Phase = s.Open.Phase
		if r := s.Round(s.Open.Round); r.Plan != nil && r.Plan.Route.Executes() {
			out.Surface = string(r.Plan.Route)
		}
	}
	switch {
	case s.Finished != nil:
		out.State, out.Reason = "ended", s.Finished.Reason
	case s.Gate != nil:
		out.State, out.Gate, out.Reason = "needs you", string(s.Gate.Trigger), s.Gate.Question
		out.AskedAt = s.Gate.At
	case s.Epoch == 0 && !alive:
		out.State = "new"
	case !alive:
		out.State = "interrupted"
	case s.Paused:
		out.State = "paused"
	case s.Waiting != nil:
		out.State, out.Reason = "waiting", "until "+s.Waiting.Until
	default:
		out.State = "working"
	}
	return out
}

// SaveSummary keeps the summary of a state.
func (r *Run) SaveSummary(s *run.State, created int64) error {
	sum := Summarise(s, true)
	sum.CreatedAt = created
	b, err := json.Marshal(cached{V: summaryVersion, Seq: s.Seq, Fold: run.FoldVersion, Summary: sum})
	if err != nil {
		return err
	}
	return r.dir.WriteCache(summaryName, b)
}

// Summary reads the cache, or folds the ledger where that is missing or old.
func (r *Run) Summary() Summary {
	if s, ok := r.Cached(); ok {
		return s
	}
	_, alive := r.Worker()
	s, err := r.Fold()
	if err != nil {
		return Summary{Run: r.ID, State: "broken", Problem: err.Error()}
	}
	out := Summarise(s, alive)
	if spec, err := r.Spec(s.Created); err == nil {
		out.CreatedAt = spec.CreatedAt
	}
	return out
}

// Cached is the summary as the run's worker left it, if that is of the ledger's
// end. It folds nothing.
func (r *Run) Cached() (Summary, bool) {
	_, alive := r.Worker()
	c, ok := r.cached()
	if ok && !alive && c.Summary.State != "ended" && c.Summary.State != "needs you" {
		c.Summary.State = "interrupted"
	}
	return c.Summary, ok
}

// cached returns the cache if it is of this version and of the ledger's end.
func (r *Run) cached() (cached, bool) {
	var c cached
	b, err := r.dir.ReadFile(summaryName, 1<<20)
	if err != nil || json.Unmarshal(b, &c) != nil || c.V != summaryVersion || c.Fold != run.FoldVersion {
		return c, false
	}
	head, ok, err := r.Head().Load()
	return c, err == nil && ok && head.Seq+uint64(len(head.Next)) == c.Seq
}

// List sums up all runs, newest first.
func (h *Home) List() ([]Summary, error) {
	ids, err := h.IDs()
	if err != nil {
		return nil, err
	}
	out := make([]Summary, 0, len(ids))
	for i := len(ids) - 1; i >= 0; i-- {
		r, err := h.Open(ids[i])
		if err != nil {
			out = append(out, Summary{Run: ids[i], State: "broken", Problem: err.Error()})
			continue
		}
		out = append(out, r.Summary())
		_ = r.Close()
	}
	return out, nil
}

// Verify checks the run's ledger against its remembered end.
func (r *Run) Verify() (ledger.Report, error) { return ledger.Verify(r.dir, ledgerName, r.Head()) }

// Delete removes a run that no worker has. It disappears at once; removing
// what it held may take longer.
func (h *Home) Delete(id string) error {
	return h.remove(id, func(*Run) error { return nil })
}

// gone begins the name of a run that is being removed.
const gone = ".deleted-"

// remove deletes a run if it may, asked once no worker can take the run.
func (h *Home) remove(id string, may func(*Run) error) error {
	r, err := h.Open(id)
	if err != nil {
		return err
	}
	defer r.Close()
	lease, err := r.Lease()
	if errors.Is(err, safefs.ErrHeld) {
		return fmt.Errorf("run %s is at work; stop it first: %w", id, err)
	}
	if err != nil {
		return err
	}
	defer func() { _ = lease.Release() }()
	if err := may(r); err != nil {
		return err
	}
	if err := h.runs.RemoveAll(gone + id); err != nil {
		return err
	}
	if err := h.runs.Rename(id, gone+id); err != nil {
		return err
	}
	if err := h.runs.Sync(); err != nil {
		return err
	}
	for _, n := range []string{id + ".json", id + ".json.live"} {
		_ = h.heads.Remove(n)
	}
	return h.runs.RemoveAll(gone + id)
}
