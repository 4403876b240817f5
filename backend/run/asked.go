package run

// Trigger is why a gate opened. There are five.
type Trigger string

const (
	GateCompleted       Trigger = "completed"
	GateMaxRounds       Trigger = "max_rounds" // any budget
	GateNeedsInput      Trigger = "needs_input"
	GateNeedsHuman      Trigger = "needs_human"
	GateRepeatedFailure Trigger = "repeated_failure"
)

// GateOpened stops the run for the person. Reason is a stable code; Question
// is what the dialog shows.
type GateOpened struct {
	Gate     string   `json:"gate"` // id, unique in the run
	Trigger  Trigger  `json:"trigger"`
	Reason   string   `json:"reason"`
	Question string   `json:"question"`
	Choices  []string `json:"choices,omitempty"`
	Details  []string `json:"details,omitempty"` // reasons side by side, the diff, what is open
	Round    int      `json:"round"`
}

// GateAnswered is the person's answer. The first one for a gate wins.
type GateAnswered struct {
	Receipt
	Gate   string `json:"gate"`
	End    bool   `json:"end,omitempty"` // end the run; otherwise it goes on
	Text   string `json:"text,omitempty"`
	Rounds int    `json:"rounds,omitempty"` // added to the limit
}

// MessageReceived amends the task with the person's words.
type MessageReceived struct {
	Receipt
	ID   string `json:"id"`
	Text string `json:"text"`
}

// MessageUsed says that an accepted plan has read the messages up to ID.
type MessageUsed struct {
	Round int      `json:"round"`
	IDs   []string `json:"ids"`
}

// CommandRefused is the receipt of a command that had no effect, and why.
type CommandRefused struct {
	Receipt
	Reason string `json:"reason"`
}
