package run

import (
	"longwatch/backend/protocol"
)

// State is everything that is true of a run after some record. It is made only
// by [State.Apply]; everybody else reads it.
type State struct {
	Seq uint64 `json:"seq"`
	At  int64  `json:"at"` // unix ms of that record
	// Decided is the sequence number of the newest decision or state record. A
	// brief rendered before it is out of date.
	Decided uint64 `json:"decided"`

	Created  Created   `json:"created"`
	Epoch    int       `json:"epoch"`
	Host     Host      `json:"host"` // of the newest worker
	Finished *Finished `json:"finished,omitempty"`
	Stop     bool      `json:"stop,omitempty"`
	Abort    bool      `json:"abort,omitempty"`
	Replied  bool      `json:"replied,omitempty"` // the reporter has answered
	Paused   bool      `json:"paused,omitempty"`
	Ended    *Answer   `json:"ended,omitempty"` // the answer that asks the run to end
	// Unreadable names a decision or state record this version does not know. A
	// worker does not go on over it.
	Unreadable Kind `json:"unreadable,omitempty"`

	Limits Limits          `json:"limits"`
	Used   Usage           `json:"used"`
	Noted  map[string]bool `json:"noted,omitempty"` // budgets said to be at 80 %

	Open     *PhaseStarted             `json:"open,omitempty"`     // a phase started and not ended
	OpenSeq  uint64                    `json:"open_seq,omitempty"` // of the newest start
	Rounds   []*Round                  `json:"rounds,omitempty"`
	Records  []Belief                  `json:"records,omitempty"`
	Contract string                    `json:"contract,omitempty"`
	Notes    []string                  `json:"notes,omitempty"` // what the fold did not believe, for the manager
	Rebound  map[string]Rebound        `json:"rebound,omitempty"`
	Services map[string]ServiceStarted `json:"services,omitempty"`

	Tree    string `json:"tree,omitempty"`    // digest of the workspace when it was last looked at
	Judged  string `json:"judged,omitempty"`  // digest of what the audit that was violated began with
	Changed uint64 `json:"changed,omitempty"` // seq of the newest change that makes verdicts stale
	Spoken  uint64 `json:"spoken,omitempty"`  // seq of the newest message or continue answer

	Done     *Claim             `json:"done,omitempty"`
	Waiting  *Waiting           `json:"waiting,omitempty"`
	Violated *Violated          `json:"violated,omitempty"` // not handled yet
	Asked    *Asked             `json:"asked,omitempty"`    // manager asked or said blocked, not put to the person yet
	Gate     *OpenGate          `json:"gate,omitempty"`
	Gates    int                `json:"gates,omitempty"`
	Messages []*Message         `json:"messages,omitempty"`
	Answers  []Answer           `json:"answers,omitempty"`
	Refusal  string             `json:"refusal,omitempty"` // why the last plan or done was refused
	Missing  *CapabilityMissing `json:"missing,omitempty"`
	RetryAt  int64              `json:"retry_at,omitempty"` // throttled until

	Streak       int      `json:"streak,omitempty"` // failures in a row
	Failures     []string `json:"failures,omitempty"`
	Fingerprints []string `json:"fingerprints,omitempty"` // newest run of equal ones
	Voids        int      `json:"voids,omitempty"`        // stale or void audits running

	// Worse is the round whose audit says that it made things worse, until that
	// is undone; 0 if there is none or the run does not undo. Undoing is set
	// once the present is kept for it.
	Worse   int     `json:"worse,omitempty"`
	Undoing bool    `json:"undoing,omitempty"`
	Undone  *Undone `json:"undone,omitempty"` // not told to a manager yet
	// Foreign is the seq of the newest change that was nobody's of the run.
	Foreign uint64 `json:"foreign,omitempty"`

	// Checkpoints are the kept states of the workspace, oldest first.
	Checkpoints []Kept `json:"checkpoints,omitempty"`

	// Commands holds the ids of commands that had their effect, newest last,
	// at most [KeptCommands].
	Commands []string `json:"commands,omitempty"`
	Reply    *Text    `json:"reply,omitempty"`
}

// KeptCommands is how many command ids are remembered. A command file is
// removed right after its receipt is on disk, so only the newest can return.
const KeptCommands = 256

// Belief is a state record and whether an audit stands behind its mark.
type Belief struct {
	protocol.StateRecord
	FromTask bool `json:"from_task,omitempty"` // quoted from the task; its text cannot change
}

// Round is what happened in one round.
type Round struct {
	N         int           `json:"n"`
	StartedAt int64         `json:"started_at"`
	ClosedAt  int64         `json:"closed_at,omitempty"`
	Spoilt    map[Phase]int `json:"spoilt,omitempty"` // attempts that failed or were interrupted
	Failed    []PhaseFailed `json:"failed,omitempty"`

	Plan            *protocol.Plan     `json:"plan,omitempty"`
	PlanSaid        *Text              `json:"plan_said,omitempty"`
	Refused         string             `json:"refused,omitempty"`
	Missing         []string           `json:"missing,omitempty"` // of a refused done
	Executed        *Executed          `json:"executed,omitempty"`
	Interrupted     bool               `json:"interrupted,omitempty"` // its executor was
	ExecutedSeq     uint64             `json:"executed_seq,omitempty"`
	Changes         []WorkspaceChanged `json:"changes,omitempty"`
	Checked         *Checked           `json:"checked,omitempty"`
	CheckedSeq      uint64             `json:"checked_seq,omitempty"`
	Audited         *Audited           `json:"audited,omitempty"`     // of the step
	AuditedSeq      uint64             `json:"audited_seq,omitempty"` // of its start: it has seen nothing later
	Void            bool               `json:"void,omitempty"`        // the newest audit was void
	Final           *Audited           `json:"final,omitempty"`
	FinalSeq        uint64             `json:"final_seq,omitempty"` // of its start
	FinalChecked    *Checked           `json:"final_checked,omitempty"`
	FinalCheckedSeq uint64             `json:"final_checked_seq,omitempty"`
	Violations      []Violated         `json:"violations,omitempty"`
	Undone          *Undone            `json:"undone,omitempty"`
	End             End                `json:"end,omitempty"`
}

// Undone says that what a round did was put back.
type Undone struct {
	Round     int      `json:"round"`     // that made things worse
	To        int      `json:"to"`        // round of the checkpoint
	Supported bool     `json:"supported"` // a verdict stands behind that state
	Count     int      `json:"count"`     // entries put back
	Left      []string `json:"left,omitempty"`
}

// Claim is a `done` being examined.
type Claim struct {
	Round int    `json:"round"`
	Seq   uint64 `json:"seq"`
}

// Waiting is a wait of the manager's: a machine check that costs no tokens.
type Waiting struct {
	Round   int    `json:"round"`
	Until   string `json:"until"` // check text
	Every   int64  `json:"every_ms"`
	NextAt  int64  `json:"next_at"`
	Expires int64  `json:"expires_at"`
	Looked  int    `json:"looked"`
	Span    int64  `json:"span_ms"` // from its start to Expires
}

// over reports whether the wait has lasted as long as it may, by the clock or,
// when that went back, by the looks there were.
func (w *Waiting) over(now int64) bool {
	return now >= w.Expires || (w.Every > 0 && int64(w.Looked-1)*w.Every >= w.Span)
}

// Asked is a question of the manager's for the person.
type Asked struct {
	Round    int      `json:"round"`
	Blocked  bool     `json:"blocked,omitempty"`
	Question string   `json:"question"`
	Choices  []string `json:"choices,omitempty"`
}

// OpenGate is a gate the person has not answered.
type OpenGate struct {
	GateOpened
	Seq uint64 `json:"seq"`
	At  int64  `json:"at"`
}

// Answer is an answered gate.
type Answer struct {
	GateAnswered
	Trigger  Trigger `json:"trigger"`
	Question string  `json:"question"`
	Seq      uint64  `json:"seq"`
}

// Message is the person's words and whether a plan has read them.
type Message struct {
	ID     string `json:"id"`
	Text   string `json:"text"`
	Seq    uint64 `json:"seq"`
	At     int64  `json:"at"`
	UsedBy int    `json:"used_by,omitempty"` // round, 0 while unread
}

// Kept is a state of the workspace that can be put back.
type Kept struct {
	Checkpointed
	Seq uint64 `json:"seq"`
	At  int64  `json:"at"`
}
