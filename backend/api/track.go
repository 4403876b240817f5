package api

import (
	"fmt"
	"slices"

	"longwatch/backend/ledger"
	"longwatch/backend/run"
)

// track is what a window wants to know beside the state: the phases of each
// round as they came and went, and which record changed what.
type track struct {
	rounds   []rounds
	beliefs  []run.Belief // as they were at the newest plan
	believed []uint64     // seq of the newest change of each
	records  uint64       // seq of the newest of those
	messages uint64       // seq of the newest change of them
	anchor   uint64       // newest
	sums     [sumsKept]string
	last     uint64
	receipts map[string]run.Entry // newest, by command
	order    []string
	captured map[string]bool // digests
}

// rounds is one round's track.
type rounds struct {
	changed uint64
	stages  []Stage
}

// mostStages bounds the stages of a round. Those in the middle, of a phase that
// is tried again and again, are left out.
const mostStages = 32

// mostReceipts bounds the receipts that are remembered.
const mostReceipts = run.KeptCommands

// note takes in a record that the state has taken already.
func (t *track) note(e run.Entry, sum string, s *run.State) {
	t.sums[e.Seq%sumsKept], t.last = sum, e.Seq
	if id := run.CommandOf(e.Event); id != "" {
		t.receipt(id, e)
	}
	switch ev := e.Event.(type) {
	case run.Anchored:
		t.anchor = ev.Seq
	case run.Captured:
		if t.captured == nil {
			t.captured = map[string]bool{}
		}
		t.captured[ev.SHA256] = true
	case run.MessageReceived, run.MessageUsed, run.GateAnswered:
		t.messages = e.Seq
	case run.Created, run.Planned:
		t.believe(e.Seq, s.Records)
	}
	t.stage(e, s)
}

// believe finds out which records a plan changed. None is ever removed.
func (t *track) believe(seq uint64, now []run.Belief) {
	for i, b := range now {
		switch {
		case i == len(t.beliefs):
			t.beliefs, t.believed = append(t.beliefs, b), append(t.believed, seq)
		case t.beliefs[i] != b:
			t.beliefs[i], t.believed[i] = b, seq
		default:
			continue
		}
		t.records = seq
	}
}

// stage keeps the phases.
func (t *track) stage(e run.Entry, s *run.State) {
	switch ev := e.Event.(type) {
	case run.PhaseStarted:
		t.begin(e, ev)
	case run.PhaseFailed:
		t.end(e, ev.Round, ev.Phase, ended{state: "failed", fail: string(ev.Fail), detail: ev.Detail, usage: ev.Usage})
	case run.Interrupted:
		t.end(e, ev.Round, ev.Phase, ended{state: "interrupted"})
	case run.Planned:
		t.end(e, ev.Round, run.Plan, ended{usage: ev.Usage})
	case run.PlanRefused:
		t.end(e, ev.Round, run.Plan, ended{state: "failed", fail: "refused", detail: ev.Reason, usage: ev.Usage})
	case run.Executed:
		d := ended{fail: string(ev.Fail), detail: ev.Detail, usage: ev.Usage}
		if ev.Fail != "" {
			d.state = "failed"
		}
		t.end(e, ev.Round, run.Execute, d)
	case run.Checked:
		d := ended{failed: ev.Hidden, usage: ev.Usage}
		for _, r := range ev.Results {
			d.count(r.Passed())
		}
		t.end(e, ev.Round, ev.Phase, d)
	case run.Audited:
		t.end(e, ev.Round, ev.Phase, ended{usage: ev.Usage})
	case run.FinalReply:
		t.end(e, ev.Round, run.Report, ended{usage: ev.Usage})
	case run.ProbeResult:
		d := ended{usage: ev.Usage}
		d.count(ev.Result.Passed())
		t.end(e, ev.Round, run.Probe, d)
	case run.WorkspaceChanged:
		t.touch(len(s.Rounds), e.Seq)
	case run.Violated:
		t.touch(ev.Round, e.Seq)
	case run.DoneRefused:
		t.touch(ev.Round, e.Seq)
	case run.RoundClosed:
		t.touch(ev.Round, e.Seq)
	}
}

func (t *track) touch(n int, seq uint64) *rounds {
	if n < 1 {
		return nil
	}
	for len(t.rounds) < n {
		t.rounds = append(t.rounds, rounds{})
	}
	r := &t.rounds[n-1]
	r.changed = seq
	return r
}

func (t *track) begin(e run.Entry, ev run.PhaseStarted) {
	r := t.touch(ev.Round, e.Seq)
	if r == nil {
		return
	}
	st := Stage{Phase: string(ev.Phase), State: "running", Attempt: ev.Attempt, Agent: ev.Agent, Began: e.At}
	// A wait looks again and again; its looks are one stage.
	if n := len(r.stages); ev.Phase == run.Probe && n > 0 && r.stages[n-1].Phase == string(run.Probe) {
		st.Attempt, st.Began = r.stages[n-1].Attempt+1, r.stages[n-1].Began
		r.stages[n-1] = st
		return
	}
	r.stages = append(r.stages, st)
	if len(r.stages) > mostStages {
		r.stages = slices.Delete(r.stages, mostStages/2, mostStages/2+1)
	}
}

// ended is how a phase ended; without a state it is done.
type ended struct {
	state, fail, detail string
	passed, failed      int
	usage               run.Usage
}

func (d *ended) count(passed bool) {
	if passed {
		d.passed++
	} else {
		d.failed++
	}
}

// longestDetail bounds one line in a row, in bytes.
const longestDetail = 300

func (t *track) end(e run.Entry, round int, p run.Phase, d ended) {
	r := t.touch(round, e.Seq)
	if r == nil {
		return
	}
	for i := len(r.stages) - 1; i >= 0; i-- {
		st := &r.stages[i]
		if st.Phase != string(p) || st.State != "running" {
			continue
		}
		if st.State = "done"; d.state != "" {
			st.State = d.state
		}
		st.Ended, st.Fail, st.Detail = e.At, d.fail, line(d.detail, longestDetail)
		st.Passed, st.Failed, st.MicroUSD = d.passed, d.failed, d.usage.MicroUSD
		return
	}
}

func (t *track) receipt(id string, e run.Entry) {
	if t.receipts == nil {
		t.receipts = map[string]run.Entry{}
	}
	if _, there := t.receipts[id]; there {
		return
	}
	t.receipts[id] = e
	t.order = append(t.order, id)
	if len(t.order) > mostReceipts {
		delete(t.receipts, t.order[0])
		t.order = t.order[1:]
	}
}

// sum is the digest of a record that is among the newest; empty if it is not.
func (t *track) sum(seq uint64) string {
	if seq == 0 || seq > t.last || seq+sumsKept <= t.last {
		return ""
	}
	return t.sums[seq%sumsKept]
}

// against says how the records differ from the end that is remembered of them,
// which was read before they were: then all of it must be there.
func (t *track) against(h ledger.Head, last uint64) string {
	switch sum := t.sum(h.Seq); {
	case h.Seq > last:
		return fmt.Sprintf("the ledger ends at record %d, but %d are remembered", last, h.Seq)
	case sum != "" && sum != h.Sum:
		return fmt.Sprintf("record %d is not the one that is remembered", h.Seq)
	}
	return ""
}
