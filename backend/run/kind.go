package run

// Each event knows its kind; the table in event.go is the other half.

func (Created) Kind() Kind           { return "created" }
func (Started) Kind() Kind           { return "started" }
func (Resumed) Kind() Kind           { return "resumed" }
func (TailCut) Kind() Kind           { return "tail_cut" }
func (Anchored) Kind() Kind          { return "anchored" }
func (StopRequested) Kind() Kind     { return "stop_requested" }
func (PauseSet) Kind() Kind          { return "pause_set" }
func (LimitsChanged) Kind() Kind     { return "limits_changed" }
func (Rebound) Kind() Kind           { return "rebound" }
func (Consented) Kind() Kind         { return "consented" }
func (PhaseStarted) Kind() Kind      { return "phase_started" }
func (PhaseFailed) Kind() Kind       { return "phase_failed" }
func (Interrupted) Kind() Kind       { return "interrupted" }
func (Planned) Kind() Kind           { return "planned" }
func (PlanRefused) Kind() Kind       { return "plan_refused" }
func (DoneRefused) Kind() Kind       { return "done_refused" }
func (Executed) Kind() Kind          { return "executed" }
func (WorkspaceChanged) Kind() Kind  { return "workspace_changed" }
func (Checked) Kind() Kind           { return "checked" }
func (Audited) Kind() Kind           { return "audited" }
func (Violated) Kind() Kind          { return "violated" }
func (Restored) Kind() Kind          { return "restored" }
func (Checkpointed) Kind() Kind      { return "checkpointed" }
func (RoundClosed) Kind() Kind       { return "round_closed" }
func (Captured) Kind() Kind          { return "captured" }
func (ServiceStarted) Kind() Kind    { return "service_started" }
func (ServiceStopped) Kind() Kind    { return "service_stopped" }
func (MessageReceived) Kind() Kind   { return "message_received" }
func (MessageUsed) Kind() Kind       { return "message_used" }
func (GateOpened) Kind() Kind        { return "gate_opened" }
func (GateAnswered) Kind() Kind      { return "gate_answered" }
func (CommandRefused) Kind() Kind    { return "command_refused" }
func (ProbeResult) Kind() Kind       { return "probe_result" }
func (CapabilityMissing) Kind() Kind { return "capability_missing" }
func (BudgetNoted) Kind() Kind       { return "budget_noted" }
func (FinalReply) Kind() Kind        { return "final_reply" }
func (Finished) Kind() Kind          { return "finished" }
