// Package protocol holds the words the roles exchange: the manager's plan, the
// auditor's verdict, and the state records that cross from round to round.
//
// Writing is strict (one spelling of everything), reading is lenient: bold
// markers, list dashes, code ticks, full-width colons, English and Chinese
// headings and values are all understood. The one rule reading never bends:
// a header has one meaning or none. Two different values for one header are an
// error, and a quoted older header is not a verdict.
//
// # What is a heading
//
// A line is a heading when, without list markers, #, bold and code ticks, it
// begins with a known name and a colon; a # or bold line may be the name alone.
// A heading holds until the next. Three kinds of lines never are one:
//
//   - quoted lines (>), lines of a code block, and lines indented by four
//     columns or more; only when a code block or an indentation surrounds the
//     whole answer, up to three lines of lead apart, is it read as if it did
//     not;
//   - a name from a closed set (Next, Status, Integrity, Contract audit, Every,
//     Expires, Requirements) with a value nobody can read: `Next: we will see`
//     is text. When no other line gives the value, the error names that line;
//   - a list item in free text that was not begun by a list item itself:
//     `- Boundaries: …` inside a contract belongs to the contract. Closed sets
//     with a readable value count even there, and so does the list of blocking
//     constraints, because to miss one is worse than to refuse a text.
//
// A value is a known word alone or with a remark set off by punctuation: `cli.`
// and `cli (shell is enough)`, but not `ask the user`. A remark may not offer
// another value, and may not take back a favourable verdict (`complete, but`).
// Writing indents free text by four columns where it would be misread.
//
// The package is pure: it touches no file, clock, process or random source.
package protocol

// Mark says how far a state record is believed.
type Mark string

const (
	Completed Mark = "completed" // a supporting audit is cited
	Pending   Mark = "pending"   // not shown yet
	Blocked   Mark = "blocked"   // cannot go on without help
	Untrusted Mark = "untrusted" // claimed, never audited, or no longer sure
)

// StateRecord is one line of what the manager believes: a requirement (R1), an
// artifact (A1) or a fact (F1).
type StateRecord struct {
	ID    string `json:"id"`              // letter R, A or F and a number from 1
	Mark  Mark   `json:"mark"`            //
	Round int    `json:"round,omitempty"` // the audited round it cites, 0 for none
	Text  string `json:"text"`
}

// Requirement reports whether the record is one the task must see completed.
func (r StateRecord) Requirement() bool { return len(r.ID) > 0 && r.ID[0] == 'R' }

// Route is what the manager wants to happen next.
type Route string

const (
	GUI  Route = "gui"     // an executor on the desktop
	CLI  Route = "cli"     // an executor in the shell
	Wait Route = "wait"    // for a machine check to hold
	Ask  Route = "ask"     // the person
	Done Route = "done"    // the manager believes the task is complete
	Stop Route = "blocked" // nothing can go on without a person
)

// Executes reports whether the route sends an executor out.
func (r Route) Executes() bool { return r == GUI || r == CLI }

// Criterion is one acceptance criterion of a step. Check is the text of a
// machine check, in the grammar of package check, or empty.
type Criterion struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Check string `json:"check,omitempty"`
	Line  int    `json:"line,omitempty"` // line in the plan, from 1
}

// Plan is what a manager said, parsed. Only records that change are in it.
type Plan struct {
	Records      []StateRecord `json:"records,omitempty"`
	Contract     string        `json:"contract,omitempty"` // verbatim, may be empty when unchanged
	Route        Route         `json:"route"`
	Task         string        `json:"task,omitempty"`       // one bounded step
	Serves       []string      `json:"serves,omitempty"`     // requirement ids the step works on
	Criteria     []Criterion   `json:"criteria,omitempty"`   //
	Boundaries   string        `json:"boundaries,omitempty"` //
	Related      []int         `json:"related,omitempty"`    // rounds whose audits the executor should see
	Question     string        `json:"question,omitempty"`   // ask, and the reason of blocked
	Choices      []string      `json:"choices,omitempty"`    // ask, at most 6
	Until        string        `json:"until,omitempty"`      // wait: check text
	EveryMillis  int64         `json:"every_ms,omitempty"`   // wait: between probes
	ExpireMillis int64         `json:"expires_ms,omitempty"` // wait: give up after
}

// Status is the first header of a verdict.
type Status string

const (
	StatusComplete   Status = "complete"
	StatusIncomplete Status = "incomplete"
	StatusBlocked    Status = "blocked"
)

// Integrity is the second header of a verdict.
type Integrity string

const (
	IntegrityClean     Integrity = "clean"
	IntegritySuspect   Integrity = "suspect"
	IntegrityViolation Integrity = "violation"
)

// ContractAudit is the third header of a verdict.
type ContractAudit string

const (
	ContractAligned  ContractAudit = "aligned"
	ContractRevision ContractAudit = "needs_revision"
	ContractInvalid  ContractAudit = "invalid"
	ContractUnknown  ContractAudit = "unknown"
)

// Effect is what a step did to the workspace as a whole, as the auditor sees it.
// An audit need not say it.
type Effect string

const (
	EffectBetter Effect = "better"
	EffectSame   Effect = "same"
	EffectWorse  Effect = "worse" // it would be better undone
)

// Verdict is what an audit comes to, in three words.
type Verdict struct {
	Status    Status        `json:"status"`
	Integrity Integrity     `json:"integrity"`
	Contract  ContractAudit `json:"contract"`
}

// Supports reports whether facts of the round may be believed: complete, clean
// and aligned. Nothing less supports.
func (v Verdict) Supports() bool {
	return v.Status == StatusComplete && v.Integrity == IntegrityClean && v.Contract == ContractAligned
}

// String writes the verdict the way people read it.
func (v Verdict) String() string {
	return string(v.Status) + " · " + string(v.Integrity) + " · " + string(v.Contract)
}

// Unreadable is the verdict of an audit that nobody could read, even after the
// repair.
func Unreadable() Verdict {
	return Verdict{StatusBlocked, IntegritySuspect, ContractUnknown}
}

// Audit is what an auditor said, parsed. Text is the whole report.
type Audit struct {
	Verdict  Verdict  `json:"verdict"`
	Effect   Effect   `json:"effect,omitempty"`   // empty: the auditor does not say
	Blocking []string `json:"blocking,omitempty"` // non-empty lines of "Blocking constraints:"
	Evidence []string `json:"evidence,omitempty"` // ids cited as evidence, in order, each once
	Update   string   `json:"update,omitempty"`   // "State update for manager:", verbatim
	Text     string   `json:"-"`
}
