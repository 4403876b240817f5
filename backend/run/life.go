package run

// Limits bound a run. Zero means no limit, except Rounds and Fails, which a run
// always has.
type Limits struct {
	Rounds       int   `json:"rounds"`
	Fails        int   `json:"fails"` // failures in a row before the person is asked
	ActiveMillis int64 `json:"active_ms,omitempty"`
	Deadline     int64 `json:"deadline,omitempty"` // unix ms
	Tokens       int64 `json:"tokens,omitempty"`
	MicroUSD     int64 `json:"micro_usd,omitempty"`
}

// Requirement is one thing the task itself asks for, quoted.
type Requirement struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Created is record 1: who the run is, and what it was told. It never changes.
type Created struct {
	Run          string        `json:"run"`
	Title        string        `json:"title"`
	TaskDigest   string        `json:"task_digest"` // sha256 of task.md
	SpecDigest   string        `json:"spec_digest"` // sha256 of run.json
	Workspace    string        `json:"workspace"`
	Language     string        `json:"language"`
	Unattended   bool          `json:"unattended,omitempty"`
	Limits       Limits        `json:"limits"`
	Requirements []Requirement `json:"requirements,omitempty"`
	FinalAudit   bool          `json:"final_audit"`
	Checks       int           `json:"checks,omitempty"`      // machine checks of the task, hidden ones included
	Steps        int           `json:"steps,omitempty"`       // of the playbook
	MayRestore   bool          `json:"may_restore,omitempty"` // what changed during an audit
	UndoWorse    bool          `json:"undo_worse,omitempty"`  // what a step made worse
	Version      string        `json:"version"`
}

// Epoch opens one worker's stretch of the ledger: the key that signs it and
// the record it continues from.
type Epoch struct {
	Epoch     int    `json:"epoch"`
	PublicKey string `json:"public_key"`
	PrevHead  string `json:"prev_head"`
}

// Started is the first worker at work.
type Started struct {
	Epoch
	Host
}

// Host is what a worker found where it runs.
type Host struct {
	Version string `json:"version"`
	Binary  string `json:"binary,omitempty"` // sha256 of our executable
	BootID  string `json:"boot_id,omitempty"`
	PID     int    `json:"pid"`
	Guard   string `json:"guard"`             // level of protection
	Why     string `json:"why"`               // why no better level
	Tree    string `json:"tree,omitempty"`    // digest of the workspace as it was found
	Reopens bool   `json:"reopens,omitempty"` // an ended run goes on
}

// Resumed is a later worker going on.
type Resumed struct {
	Epoch
	Host
}

// TailCut is written by the ledger when it cut an unterminated last line.
type TailCut struct {
	Offset int64  `json:"offset"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Anchored is written by the ledger: the signed head.
type Anchored struct {
	Seq uint64 `json:"seq"`
	Sum string `json:"sum"`
	Sig string `json:"sig"`
}

// Receipt ties an event to the command that caused it, so that a command has
// one effect however often it is read.
type Receipt struct {
	Command string `json:"command,omitempty"`
	Channel string `json:"channel,omitempty"` // terminal, window, browser
}

// StopRequested asks the run to end: after the running phase, or now.
type StopRequested struct {
	Receipt
	Abort bool `json:"abort,omitempty"`
}

// PauseSet holds or releases the run.
type PauseSet struct {
	Receipt
	Paused bool `json:"paused"`
}

// LimitsChanged adds to the limits: each field is an increment.
type LimitsChanged struct {
	Receipt
	Add Limits `json:"add"`
}

// Rebound gives a role another agent or model.
type Rebound struct {
	Receipt
	Role  string `json:"role"`
	Agent string `json:"agent"`
	Model string `json:"model,omitempty"`
}

// Consented is the person's leave for something outside the sandbox.
type Consented struct {
	Receipt
	To string `json:"to"`
}

// Outcome is how a run ended.
type Outcome string

const (
	Complete   Outcome = "completed"  // accepted under the done rule
	Incomplete Outcome = "incomplete" // ended at a limit, or by the person
	Stopped    Outcome = "stopped"    // stop was requested
	Aborted    Outcome = "aborted"    // killed by the person
)

// Finished ends a run. Every way to end writes it.
type Finished struct {
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason"`
}
