package api

// The words on the wire. The page's types are generated from this file, so it
// uses only what JSON has: names in snake_case, times in unix ms, money in
// millionths of a dollar, and an absent field for what is not known. What a
// person reads comes as a code with parameters; sentences are only what the
// ledger or a role said.

// Standing is what a run does now.
type Standing string

const (
	StandingNew         Standing = "new"         // made, never worked on
	StandingWorking     Standing = "working"     //
	StandingWaiting     Standing = "waiting"     // for a probe; costs nothing
	StandingPaused      Standing = "paused"      //
	StandingNeedsYou    Standing = "needs_you"   // a gate is open
	StandingInterrupted Standing = "interrupted" // its worker is gone
	StandingEnded       Standing = "ended"       //
	StandingBroken      Standing = "broken"      // its records cannot be read
)

// RunList is what the list of runs shows.
type RunList struct {
	Runs []RunSummary `json:"runs"` // newest first
}

// RunSummary is one run in short. It is made from a cache of the run's ledger.
type RunSummary struct {
	ID         string   `json:"id"`
	Title      string   `json:"title"`
	Standing   Standing `json:"standing"`
	Outcome    string   `json:"outcome,omitempty"` // completed, incomplete, stopped, aborted
	Reason     string   `json:"reason,omitempty"`  // why it ended, what it asks or what it waits for, as recorded
	Gate       string   `json:"gate,omitempty"`    // trigger of the open gate
	AskedAt    int64    `json:"asked_at,omitempty"`
	Round      int      `json:"round"`
	Rounds     int      `json:"rounds"`            // limit
	Phase      string   `json:"phase,omitempty"`   // that runs
	Surface    string   `json:"surface,omitempty"` // gui or cli, of the running step
	Verdict    *Verdict `json:"verdict,omitempty"` // the newest
	ActiveMS   int64    `json:"active_ms"`
	MicroUSD   int64    `json:"micro_usd,omitempty"` // absent: unknown
	CreatedAt  int64    `json:"created_at"`
	ChangedAt  int64    `json:"changed_at"`
	Workspace  string   `json:"workspace"`
	Unattended bool     `json:"unattended,omitempty"`
	Problem    string   `json:"problem,omitempty"` // why it cannot be read
}

// Verdict is the three words of an audit.
type Verdict struct {
	Status    string `json:"status"`    // complete, incomplete, blocked
	Integrity string `json:"integrity"` // clean, suspect, violation
	Contract  string `json:"contract"`  // aligned, needs_revision, invalid, unknown
	Supports  bool   `json:"supports"`
}

// RunView is a run as the live screen shows it. With a sequence number asked
// for it holds only the rounds and the parts that changed after it: a part that
// is absent is as it was.
type RunView struct {
	Run         RunSummary `json:"run"`
	Seq         uint64     `json:"seq"`             // of the newest record in it
	After       uint64     `json:"after,omitempty"` // what was asked for; 0: everything is here
	RoundCount  int        `json:"round_count"`     //
	RoundRows   []RoundRow `json:"round_rows"`      // changed after After, oldest first
	Budgets     []Budget   `json:"budgets"`         //
	Why         Why        `json:"why"`             // why it does or waits for what it does
	Gate        *Gate      `json:"gate,omitempty"`  // absent: none is open
	Worker      Worker     `json:"worker"`          //
	Sealed      Sealed     `json:"sealed"`          //
	Guard       string     `json:"guard"`           // level of protection
	GuardWhy    string     `json:"guard_why"`       // why no better level, as recorded
	Reply       string     `json:"reply,omitempty"` // the reporter's answer
	ReplyCut    bool       `json:"reply_cut,omitempty"`
	Path        string     `json:"path"` // of the run's folder
	Stopping    bool       `json:"stopping,omitempty"`
	Records     []Record   `json:"records,omitempty"`  // what is believed; whole when present, unless ?records=changed was asked
	Messages    []Message  `json:"messages,omitempty"` // whole when present
	Checkpoints int        `json:"checkpoints"`
}

// Why says why a run does what it does: a code the page has words for, and what
// belongs into them.
type Why struct {
	Code  string            `json:"code"` // phase_runs, between_phases, gate_open, probe, throttled, paused, stopping, ended, worker_gone, worker_starting, workspace_missing, broken, newer_version
	Facts map[string]string `json:"facts,omitempty"`
}

// Budget is one limit and how much of it is used. Used is absent where nobody
// knows.
type Budget struct {
	Name  string `json:"name"` // rounds, active_ms, micro_usd, tokens, deadline
	Used  *int64 `json:"used,omitempty"`
	Limit int64  `json:"limit,omitempty"` // 0: none
	Noted bool   `json:"noted,omitempty"` // 80 % has been passed
}

// Worker is the process at work on a run.
type Worker struct {
	Alive  bool   `json:"alive"`
	PID    int    `json:"pid,omitempty"`
	BeatAt int64  `json:"beat_at,omitempty"`
	Ended  string `json:"ended,omitempty"` // last line of its log, when it ended badly
}

// Sealed is how far the ledger is signed.
type Sealed struct {
	To      uint64 `json:"to"`                // newest anchor
	Problem string `json:"problem,omitempty"` // the first record that is not as written
}

// Stage is one phase of a round.
type Stage struct {
	Phase    string `json:"phase"` // plan, execute, check, audit, final_check, final_audit, report, probe
	State    string `json:"state"` // running, done, failed, interrupted
	Attempt  int    `json:"attempt"`
	Agent    string `json:"agent,omitempty"`
	Began    int64  `json:"began"`
	Ended    int64  `json:"ended,omitempty"`
	Fail     string `json:"fail,omitempty"`   // kind of failure
	Detail   string `json:"detail,omitempty"` // as recorded, one line
	Passed   int    `json:"passed,omitempty"` // machine checks
	Failed   int    `json:"failed,omitempty"` // machine checks, hidden ones included
	MicroUSD int64  `json:"micro_usd,omitempty"`
}

// RoundRow is a round in the timeline.
type RoundRow struct {
	N          int      `json:"n"`
	Changed    uint64   `json:"changed"` // seq of the newest record about it
	Step       string   `json:"step"`    // first line of the task, bounded
	Route      string   `json:"route,omitempty"`
	End        string   `json:"end,omitempty"` // supported, unsupported, refused, failed, asked, waited, done
	Began      int64    `json:"began"`
	Closed     int64    `json:"closed,omitempty"`
	Stages     []Stage  `json:"stages"`
	Verdict    *Verdict `json:"verdict,omitempty"` // after downgrades
	Said       *Verdict `json:"said,omitempty"`    // what the auditor said, where that differs
	Lowered    []string `json:"lowered,omitempty"` // reasons, as recorded
	Why        string   `json:"why,omitempty"`     // why it is not supported, as recorded
	Changes    int      `json:"changes"`           // entries the executor changed
	Violations int      `json:"violations,omitempty"`
}

// RoundDetail is one round whole.
type RoundDetail struct {
	Row         RoundRow     `json:"row"`
	Task        string       `json:"task,omitempty"`
	Criteria    []string     `json:"criteria,omitempty"`
	Serves      []string     `json:"serves,omitempty"` // requirement ids
	Boundaries  string       `json:"boundaries,omitempty"`
	Question    string       `json:"question,omitempty"`
	Until       string       `json:"until,omitempty"` // check text of a wait
	Missing     []string     `json:"missing,omitempty"`
	PlanSaid    *Said        `json:"plan_said,omitempty"`
	Executor    *Said        `json:"executor,omitempty"`
	Exit        int          `json:"exit,omitempty"`
	Checks      []Check      `json:"checks,omitempty"`
	Hidden      int          `json:"hidden_failed,omitempty"`
	Audit       *Said        `json:"audit,omitempty"`
	FinalChecks []Check      `json:"final_checks,omitempty"`
	FinalHidden int          `json:"final_hidden_failed,omitempty"`
	FinalAudit  *Said        `json:"final_audit,omitempty"`
	Final       *Verdict     `json:"final,omitempty"`
	Changed     []ChangeList `json:"changed,omitempty"`
	Violated    []ChangeList `json:"violated,omitempty"`
}

// Said is what a role said. Cut means that Text is its beginning; the whole is
// at /api/runs/ID/texts/DIGEST.
type Said struct {
	Text   string `json:"text"`
	Cut    bool   `json:"cut,omitempty"`
	Digest string `json:"digest,omitempty"`
	Size   int    `json:"size,omitempty"`
}

// Check is one machine check and what was found.
type Check struct {
	Check  string `json:"check"`
	Status string `json:"status"` // pass, fail, error
	Proof  string `json:"proof"`
	MS     int64  `json:"ms"`
}

// ChangeList is a bounded account of what changed in the workspace.
type ChangeList struct {
	During string   `json:"during"` // a phase, between, away
	Count  int      `json:"count"`
	First  []Change `json:"first"`
}

// Change is one entry of the workspace. Path is quoted where it has odd bytes.
type Change struct {
	Path    string `json:"path"`
	What    string `json:"what"`
	Kind    string `json:"kind"`
	Ignored bool   `json:"ignored,omitempty"`
}

// Record is one belief of the run.
type Record struct {
	ID    string `json:"id"`
	Mark  string `json:"mark"` // completed, pending, blocked, untrusted
	Text  string `json:"text"`
	Round int    `json:"round,omitempty"` // whose audit stands behind it
	Task  bool   `json:"task,omitempty"`  // quoted from the task
}

// Message is what the person said to the run.
type Message struct {
	ID     string `json:"id"`
	Text   string `json:"text"`
	At     int64  `json:"at"`
	UsedBy int    `json:"used_by,omitempty"` // round; 0: not read yet
}

// Gate is a question to the person.
type Gate struct {
	ID       string        `json:"id"`
	Trigger  string        `json:"trigger"` // completed, max_rounds, needs_input, needs_human, repeated_failure
	Reason   string        `json:"reason"`  // stable code
	Question string        `json:"question"`
	Choices  []string      `json:"choices,omitempty"`
	Details  []string      `json:"details,omitempty"`
	Failures []GateFailure `json:"failures,omitempty"` // the newest failed rounds, side by side
	At       int64         `json:"at"`
	Round    int           `json:"round"`
	Left     int           `json:"left"` // rounds that may still start
}

// GateFailure is one failed round in the dialog.
type GateFailure struct {
	N       int      `json:"n"`
	Ended   int64    `json:"ended"`
	Verdict *Verdict `json:"verdict,omitempty"`
	Why     string   `json:"why"`
	Check   string   `json:"check,omitempty"` // first that failed
	Proof   string   `json:"proof,omitempty"`
}

// Command is one wish of the person's. Its id is made by the page: the same id
// has one effect, however often it arrives.
type Command struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`             // answer, send, stop, abort, pause, resume
	Gate   string `json:"gate,omitempty"`   // the gate that answer is for
	End    bool   `json:"end,omitempty"`    // answer: end the run, or accept the result
	Text   string `json:"text,omitempty"`   //
	Rounds int    `json:"rounds,omitempty"` // to add
}

// Receipt says what became of a command.
type Receipt struct {
	ID      string `json:"id"`
	Seq     uint64 `json:"seq,omitempty"`     // of the record; absent for resume without one
	Refused string `json:"refused,omitempty"` // why it had no effect, as recorded
}

// TaskDraft is a task file as the person gives it: its text, or one that was
// dropped on the window, or a path on this machine.
type TaskDraft struct {
	Name      string `json:"name,omitempty"`
	Text      string `json:"text,omitempty"`
	Offer     string `json:"offer,omitempty"` // of a dropped file; see Offer
	Path      string `json:"path,omitempty"`
	Workspace string `json:"workspace,omitempty"` // overrides the task's
	Agent     string `json:"agent,omitempty"`     // overrides all roles
	Rounds    int    `json:"rounds,omitempty"`    // overrides the limit
}

// Inspection is what a draft is understood to ask for, before anything starts.
type Inspection struct {
	Name         string    `json:"name"`
	Text         string    `json:"text"`
	Size         int       `json:"size"`
	Digest       string    `json:"digest"`
	Title        string    `json:"title"`
	Problems     []Problem `json:"problems"`
	Requirements []Record  `json:"requirements,omitempty"`
	Checks       []string  `json:"checks,omitempty"`
	Hidden       int       `json:"hidden,omitempty"`
	Steps        int       `json:"steps,omitempty"`
	Workspace    Folder    `json:"workspace"`
	Roles        []Role    `json:"roles"`
	Agents       []string  `json:"agents"` // that can be chosen
	Limits       []Budget  `json:"limits"`
	Guard        string    `json:"guard"`
	Restores     bool      `json:"restores,omitempty"` // Longwatch may put the workspace back by itself
	Asks         []string  `json:"asks,omitempty"`     // what it wants outside the workspace, as written
	Blockers     []Blocker `json:"blockers"`           // why it cannot start; empty: it can
}

// Problem is one thing that is wrong with a task file, at its line.
type Problem struct {
	Line     int    `json:"line,omitempty"`
	Col      int    `json:"col,omitempty"`
	Severity string `json:"severity"` // error, warning, note
	Code     string `json:"code"`
	Text     string `json:"text"`
	Fix      string `json:"fix,omitempty"`
}

// Folder is where a run will work.
type Folder struct {
	Path   string `json:"path"`
	Exists bool   `json:"exists"`
	Made   bool   `json:"made,omitempty"` // it will be made at the start
	Files  int    `json:"files,omitempty"`
	Many   bool   `json:"many,omitempty"` // more than Files, nobody counted on
}

// Role is who plays one role, and whether that can be done here.
type Role struct {
	Role   string `json:"role"` // manager, executor, auditor, reporter
	Agent  string `json:"agent"`
	Model  string `json:"model,omitempty"`
	Effort string `json:"effort,omitempty"`
	Usable bool   `json:"usable"`
	Reason string `json:"reason,omitempty"`
}

// Blocker is one reason why a draft cannot start.
type Blocker struct {
	Code string `json:"code"` // task_problems, no_agent, agent_missing, needs_steps, workspace, workspace_busy, guard, deadline, other
	Text string `json:"text"`
	Line int    `json:"line,omitempty"`
}

// Start asks for a run of a draft. The same id starts one run.
type Start struct {
	ID    string    `json:"id"`
	Draft TaskDraft `json:"draft"`
}

// Begun is the run that was started.
type Begun struct {
	Run string `json:"run"`
}

// Offer is a file that was dropped on the window, or why it cannot be a task.
type Offer struct {
	Offer   string `json:"offer,omitempty"`
	Name    string `json:"name"` // for people; odd bytes are quoted
	Folder  bool   `json:"folder,omitempty"`
	Problem string `json:"problem,omitempty"`
}

// About is what the page has to know of this Longwatch.
type About struct {
	Version string `json:"version"`
	Home    string `json:"home"`   // state folder
	Face    string `json:"face"`   // window or browser
	Sample  bool   `json:"sample"` // a sample task can be loaded
}

// SignIn is the single-use code that `longwatch serve` shows.
type SignIn struct {
	Code string `json:"code"`
}

// Probe is one line of the doctor's list.
type Probe struct {
	Name  string `json:"name"`
	State string `json:"state"` // ok, warning, missing, later
	Text  string `json:"text"`
	Fix   string `json:"fix,omitempty"`
}

// Changed says that a run has new records, or came or went: then Seq is 0.
type Changed struct {
	Run string `json:"run"`
	Seq uint64 `json:"seq"`
}

// Failure is the body of every answer that is not a success.
type Failure struct {
	Code    string `json:"code"` // stable: not_found, busy, refused, unreadable, too_large, signed_out, gate_stale, no_worker, disk_full, internal
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}
