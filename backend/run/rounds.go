package run

import (
	"longwatch/backend/check"
	"longwatch/backend/protocol"
)

// Phase is one stretch of a round, done by one role or by Longwatch itself.
type Phase string

const (
	Plan       Phase = "plan"
	Execute    Phase = "execute"
	Check      Phase = "check"       // the step's machine checks
	Audit      Phase = "audit"       // of the step
	FinalCheck Phase = "final_check" // the task's machine checks
	FinalAudit Phase = "final_audit" // against the original task
	Report     Phase = "report"
	Probe      Phase = "probe" // of a wait
)

// Phases lists all phases.
var Phases = []Phase{Plan, Execute, Check, Audit, FinalCheck, FinalAudit, Report, Probe}

// Role is who plays a phase.
type Role string

const (
	Manager   Role = "manager"
	Executor  Role = "executor"
	Auditor   Role = "auditor"
	Reporter  Role = "reporter"
	Longwatch Role = "longwatch"
)

// Role returns who plays the phase.
func (p Phase) Role() Role {
	switch p {
	case Plan:
		return Manager
	case Execute:
		return Executor
	case Audit, FinalAudit:
		return Auditor
	case Report:
		return Reporter
	case Check, FinalCheck, Probe:
		return Longwatch
	}
	return ""
}

// Process identifies a process tree beyond reuse of its pid.
type Process struct {
	BootID string `json:"boot_id,omitempty"`
	PID    int    `json:"pid,omitempty"`
	Start  uint64 `json:"start,omitempty"` // clock ticks since boot
}

// Usage is what an episode cost. Estimated marks a charge at the reservation
// because the agent reported nothing.
type Usage struct {
	Millis    int64 `json:"ms"` // active time
	Tokens    int64 `json:"tokens,omitempty"`
	MicroUSD  int64 `json:"micro_usd,omitempty"`
	Estimated bool  `json:"estimated,omitempty"`
}

// Text is what a role said: the beginning of it here, the whole in a file of
// the run directory when it is longer.
type Text struct {
	Text   string `json:"text"`
	SHA256 string `json:"sha256,omitempty"` // of the whole, when it was cut
	Size   int    `json:"size,omitempty"`   // bytes of the whole, when it was cut
	File   string `json:"file,omitempty"`   // under the run directory, when it was cut
}

// PhaseStarted is on disk before the phase's process may run.
type PhaseStarted struct {
	Round   int    `json:"round"`
	Phase   Phase  `json:"phase"`
	Attempt int    `json:"attempt"` // from 1
	Agent   string `json:"agent,omitempty"`
	Brief   string `json:"brief,omitempty"` // sha256 of the prompt
	Process
}

// FailKind says how a phase failed.
type FailKind string

const (
	FailStart      FailKind = "start"      // the agent could not be started
	FailExit       FailKind = "exit"       // it ended with an error
	FailTimeout    FailKind = "timeout"    // it was ended at its time limit
	FailFlood      FailKind = "flood"      // it was ended at its output limit
	FailCanceled   FailKind = "canceled"   // the person ended it
	FailUnreadable FailKind = "unreadable" // its answer could not be read
	FailThrottled  FailKind = "throttled"  // the provider asks to wait
	FailDisturbed  FailKind = "disturbed"  // something was seen to happen in the workspace, so Longwatch ended the audit
)

// PhaseFailed ends a phase without a result.
type PhaseFailed struct {
	Round   int      `json:"round"`
	Phase   Phase    `json:"phase"`
	Fail    FailKind `json:"fail"`
	Detail  string   `json:"detail"`
	Said    *Text    `json:"said,omitempty"` // what was unreadable, for the repair
	RetryAt int64    `json:"retry_at,omitempty"`
	Usage   Usage    `json:"usage"`
}

// Interrupted ends a phase whose worker died.
type Interrupted struct {
	Round  int   `json:"round"`
	Phase  Phase `json:"phase"`
	Reaped bool  `json:"reaped,omitempty"` // its process was still alive
}

// Planned is an accepted plan.
type Planned struct {
	Round int           `json:"round"`
	Plan  protocol.Plan `json:"plan"`
	Said  Text          `json:"said"`
	Usage Usage         `json:"usage"`
}

// PlanRefused ends a round whose plan could not be accepted.
type PlanRefused struct {
	Round  int    `json:"round"`
	Reason string `json:"reason"`
	Said   Text   `json:"said"`
	Usage  Usage  `json:"usage"`
}

// DoneRefused names what a `done` lacks.
type DoneRefused struct {
	Round   int      `json:"round"`
	Missing []string `json:"missing"`
}

// Executed is the executor's own account, and how its process ended.
type Executed struct {
	Round  int      `json:"round"`
	Exit   int      `json:"exit"`
	Fail   FailKind `json:"fail,omitempty"` // timeout, flood, exit, start
	Detail string   `json:"detail,omitempty"`
	Said   Text     `json:"said"`
	Usage  Usage    `json:"usage"`
	// RetryAt is when the provider wants to be asked again, unix ms.
	RetryAt int64 `json:"retry_at,omitempty"`
}

// Checked is what the machine checks found.
type Checked struct {
	Round   int            `json:"round"`
	Phase   Phase          `json:"phase"` // check or final_check
	Results []check.Result `json:"results,omitempty"`
	Hidden  int            `json:"hidden_failed,omitempty"` // hidden checks that failed: only the number
	Tree    string         `json:"tree,omitempty"`
	Usage   Usage          `json:"usage"`
}

// Audited is a verdict, after the downgrades that facts force on it.
type Audited struct {
	Round    int              `json:"round"`
	Phase    Phase            `json:"phase"` // audit or final_audit
	Verdict  protocol.Verdict `json:"verdict"`
	Said     protocol.Verdict `json:"said"`               // before downgrades
	Effect   protocol.Effect  `json:"effect,omitempty"`   // empty: not said
	Reasons  []string         `json:"reasons,omitempty"`  // of each downgrade
	Blocking []string         `json:"blocking,omitempty"` //
	Update   string           `json:"update,omitempty"`   // state update for the manager
	Report   Text             `json:"report"`
	Tree     string           `json:"tree,omitempty"` // digest of the workspace that was audited
	Usage    Usage            `json:"usage"`
}

// End is how a round ended.
type End string

const (
	EndSupported   End = "supported"
	EndUnsupported End = "unsupported"
	EndRefused     End = "refused" // plan or done refused
	EndFailed      End = "failed"  // a phase failed twice
	EndAsked       End = "asked"
	EndWaited      End = "waited"
	EndDone        End = "done"
)

// RoundClosed settles a round.
type RoundClosed struct {
	Round int `json:"round"`
	End   End `json:"end"`
}

// FinalReply is the reporter's answer to the person.
type FinalReply struct {
	Round int   `json:"round"`
	Said  Text  `json:"said"`
	Usage Usage `json:"usage"`
}

// ProbeResult is one look at what a wait waits for.
type ProbeResult struct {
	Round  int          `json:"round"`
	Result check.Result `json:"result"`
	Usage  Usage        `json:"usage"`
}
