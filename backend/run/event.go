package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// Kind names what happened. The set is closed: see [Kinds].
type Kind string

// Class says what a record means to a reader that does not know its kind: a
// worker refuses to go on over a decision or state record it cannot read and
// skips the others.
type Class string

const (
	Accounting Class = "accounting" // keeps the books: starts, ends, budgets
	Decision   Class = "decision"   // somebody decided: plan, gate, stop
	Evidence   Class = "evidence"   // something was observed by Longwatch
	Fact       Class = "state"      // changes what is believed
	Work       Class = "work"       // a role did something
)

// Event is one thing that can happen to a run.
type Event interface{ Kind() Kind }

// Entry is an event with its place in the ledger.
type Entry struct {
	Seq   uint64
	Epoch int
	At    int64 // unix ms
	Event Event
}

// Unknown stands for a record of a kind this version does not have.
type Unknown struct {
	Name Kind
	Of   Class
}

// Kind returns the kind as it was read.
func (u Unknown) Kind() Kind { return u.Name }

type vocabulary struct {
	class Class
	event Event // zero value, the shape of the body
}

// kinds is the closed vocabulary. Anchored and TailCut are written by the
// ledger itself; they are listed so that a reader knows them.
var kinds = map[Kind]vocabulary{
	"created":            {Decision, Created{}},
	"started":            {Accounting, Started{}},
	"resumed":            {Accounting, Resumed{}},
	"tail_cut":           {Accounting, TailCut{}},
	"anchored":           {Accounting, Anchored{}},
	"stop_requested":     {Decision, StopRequested{}},
	"pause_set":          {Decision, PauseSet{}},
	"limits_changed":     {Decision, LimitsChanged{}},
	"rebound":            {Decision, Rebound{}},
	"consented":          {Decision, Consented{}},
	"phase_started":      {Accounting, PhaseStarted{}},
	"phase_failed":       {Work, PhaseFailed{}},
	"interrupted":        {Accounting, Interrupted{}},
	"planned":            {Decision, Planned{}},
	"plan_refused":       {Decision, PlanRefused{}},
	"done_refused":       {Decision, DoneRefused{}},
	"executed":           {Work, Executed{}},
	"workspace_changed":  {Evidence, WorkspaceChanged{}},
	"checked":            {Evidence, Checked{}},
	"audited":            {Fact, Audited{}},
	"violated":           {Fact, Violated{}},
	"restored":           {Fact, Restored{}},
	"checkpointed":       {Evidence, Checkpointed{}},
	"round_closed":       {Accounting, RoundClosed{}},
	"captured":           {Evidence, Captured{}},
	"service_started":    {Work, ServiceStarted{}},
	"service_stopped":    {Work, ServiceStopped{}},
	"message_received":   {Decision, MessageReceived{}},
	"message_used":       {Accounting, MessageUsed{}},
	"gate_opened":        {Decision, GateOpened{}},
	"gate_answered":      {Decision, GateAnswered{}},
	"command_refused":    {Accounting, CommandRefused{}},
	"probe_result":       {Evidence, ProbeResult{}},
	"capability_missing": {Evidence, CapabilityMissing{}},
	"budget_noted":       {Accounting, BudgetNoted{}},
	"final_reply":        {Work, FinalReply{}},
	"finished":           {Decision, Finished{}},
}

// Kinds lists the closed vocabulary with each kind's class.
func Kinds() map[Kind]Class {
	out := make(map[Kind]Class, len(kinds))
	for k, v := range kinds {
		out[k] = v.class
	}
	return out
}

// ClassOf returns the class of an event.
func ClassOf(e Event) Class {
	if u, ok := e.(Unknown); ok {
		return u.Of
	}
	return kinds[e.Kind()].class
}

// Encode renders the body of an event for the ledger.
func Encode(e Event) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	// Markup in what a role said would come to six times its size.
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, fmt.Errorf("event %s: %w", e.Kind(), err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// Decode reads the body of a record. A kind outside the vocabulary comes back
// as [Unknown]; a body that does not fit its kind is an error.
func Decode(kind Kind, class Class, body json.RawMessage) (Event, error) {
	v, ok := kinds[kind]
	if !ok {
		return Unknown{kind, class}, nil
	}
	p := reflect.New(reflect.TypeOf(v.event))
	if err := json.Unmarshal(body, p.Interface()); err != nil {
		return nil, fmt.Errorf("record %s: %w", kind, err)
	}
	return p.Elem().Interface().(Event), nil
}
