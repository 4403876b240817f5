package loop

import (
	"context"
	"errors"
	"fmt"

	"longwatch/backend/check"
	"longwatch/backend/run"
	"longwatch/backend/task"
)

// Journal is the run's history. Append is all or nothing and durable when it
// returns. View shows the state while nobody appends.
type Journal interface {
	Append(events ...run.Event) error
	View(look func(s *run.State))
}

// Crew plays episodes. Play calls begin exactly once, when the process exists
// and nothing of it has run; if begin fails the process is ended unrun and Play
// returns that error. If the agent cannot even be started Play returns without
// calling begin.
type Crew interface {
	Play(ctx context.Context, ep Episode, begin func(run.Process) error) Answer
	Reap(started run.PhaseStarted) (alive bool, err error)
}

// Workspace watches the folder the roles work in. Observe lists what changed
// since it was last called; a change is seen exactly once. Thorough asks for
// every file to be read again, because a write through a memory map can leave
// all times as they were.
type Workspace interface {
	Observe(ctx context.Context, thorough bool) (run.Changes, error)
}

// Checker runs machine checks.
type Checker interface {
	Check(ctx context.Context, c check.Check) check.Result
}

// Keeper keeps what roles say in the run directory. Durable asks for it to be
// on disk when Keep returns: the record will point to it.
type Keeper interface {
	Keep(round int, name, text string, durable bool) (file string, err error)
}

// Checkpoints keep states of the workspace and put them back. A state that
// cannot be kept is reported in the record, not as an error: the run goes on,
// and says that the round cannot be undone. Restore keeps the present first.
type Checkpoints interface {
	Save(ctx context.Context, round int, at Occasion) run.Checkpointed
	Restore(ctx context.Context, id string) ([]run.Event, error)
}

// Occasion is why a state of the workspace is kept.
type Occasion int

// The occasions. What is kept before a restore is not pruned.
const (
	BeforeExecutor Occasion = iota
	BeforeAudit
	AtVerdict // that supports it
	BeforeRestore
)

// Episode is one call on a role.
type Episode struct {
	Round   int
	Phase   run.Phase
	Attempt int
	Surface string // cli or gui, of executors and auditors
	Brief   Brief
	// Alone asks for it to be ended as run.FailDisturbed as soon as something is
	// seen to happen in the workspace. What is seen proves nothing; where nobody
	// can look the episode goes on.
	Alone bool
}

// Answer is how an episode ended.
type Answer struct {
	Said    string
	Exit    int
	Fail    run.FailKind // empty when the process ended by itself with exit 0
	Detail  string
	RetryAt int64
	Agent   string
	Usage   run.Usage
	Err     error // this machine could not start the process; nobody failed
}

// Engine drives one run. It is used by one goroutine.
type Engine struct {
	Journal   Journal
	Crew      Crew
	Workspace Workspace
	Checker   Checker
	Keeper    Keeper
	Kept      Checkpoints // nil: none are made
	Task      task.Task
	Bounds    Bounds
	Now       func() int64                             // unix ms
	Agent     func(p run.Phase, surface string) string // who plays a phase
	Desktop   bool                                     // a gui step can be executed
	Resumed   bool                                     // an earlier worker was here

	looked   bool // the workspace was looked at since this engine began
	unseen   bool // what an executor changed could not be looked at yet
	restless int  // looks in a row that found a change
}

// ErrUnavailable is returned for a repair this version cannot do.
var ErrUnavailable = errors.New("not available yet")

// errOutdated says that something was decided after a brief was rendered.
var errOutdated = errors.New("the brief is out of date")

// Step carries out one decision and returns it. After a wait, an open gate or
// a terminal decision the caller says when to go on.
func (e *Engine) Step(ctx context.Context) (Decision, error) {
	var d Decision
	var b Brief
	var err error
	e.Journal.View(func(s *run.State) {
		if d, err = Decide(s, e.Now()); err == nil && d.Step.Do == DoPhase {
			b, err = e.brief(s, d)
		}
	})
	if err != nil {
		return d, err
	}
	if err := e.note(d); err != nil {
		return d, err
	}
	return d, e.act(ctx, d, b)
}

func (e *Engine) act(ctx context.Context, d Decision, b Brief) error {
	switch st := d.Step; st.Do {
	case "":
		return nil
	case DoPhase:
		return e.phase(ctx, st, b)
	case DoReap:
		return e.reap(ctx, st)
	case DoGate:
		return e.open(st)
	case DoClose:
		return e.close(ctx, st)
	case DoRefuse:
		return e.Journal.Append(run.DoneRefused{Round: st.Round, Missing: clipAll(st.Missing)})
	case DoGiveUp:
		return e.giveUp(st, d.Reason)
	case DoFinish:
		return e.Journal.Append(run.Finished{Outcome: st.Outcome, Reason: clip(d.Reason, maxLine)})
	case DoRestore:
		return e.restore(ctx)
	case DoUndo:
		return e.undo(ctx, st)
	case DoProbe:
		return fmt.Errorf("%s: %w", st.Do, ErrUnavailable)
	}
	return fmt.Errorf("action %q is not one", d.Step.Do)
}

// phase looks at the workspace first: what happened while no role was at work
// is nobody's, and may change what is to be done.
func (e *Engine) phase(ctx context.Context, st Step, b Brief) error {
	moved, err := e.lookAround(ctx, st.Round)
	if err != nil || moved {
		return err
	}
	if err := e.checkpointBefore(ctx, st); err != nil {
		return err
	}
	switch st.Phase {
	case run.Check, run.FinalCheck:
		return e.check(ctx, st, b)
	case run.Probe:
		return e.probe(ctx, st, b)
	case run.Plan, run.Execute, run.Audit, run.FinalAudit, run.Report:
		return e.episode(ctx, st, b)
	}
	return fmt.Errorf("phase %q is not one", st.Phase)
}

// lookAround records a change of the workspace that no role made and reports
// whether that calls for another decision. In a workspace that never rests the
// phase goes ahead after two looks; what is audited there is void, and the
// person is asked.
func (e *Engine) lookAround(ctx context.Context, round int) (bool, error) {
	c, err := e.Workspace.Observe(ctx, false)
	if err != nil {
		return false, err
	}
	during := run.Between
	switch {
	case e.unseen:
		during = run.Execute
	case e.Resumed && !e.looked:
		during = run.Away
	}
	e.looked, e.unseen = true, false
	if c.Count == 0 {
		e.restless = 0
		return false, nil
	}
	e.restless++
	moved := c.Counts && e.restless <= Attempts
	return moved, e.Journal.Append(run.WorkspaceChanged{Round: round, During: during, Changes: c})
}

func (e *Engine) reap(ctx context.Context, st Step) error {
	var started run.PhaseStarted
	e.Journal.View(func(s *run.State) {
		if s.Open != nil {
			started = *s.Open
		}
	})
	alive, err := e.Crew.Reap(started)
	if err != nil {
		return err
	}
	c, err := e.observe(ctx, st, alive, false)
	if err != nil {
		// The phase has ended all the same; the next look tells the rest.
		return e.Journal.Append(run.Interrupted{Round: st.Round, Phase: st.Phase, Reaped: alive})
	}
	e.looked = true
	var events []run.Event
	if c.Count > 0 {
		during := run.Away
		if st.Phase == run.Execute {
			during = run.Execute
		}
		events = append(events, run.WorkspaceChanged{Round: st.Round, During: during, Changes: c})
	}
	return e.Journal.Append(append(events, run.Interrupted{Round: st.Round, Phase: st.Phase, Reaped: alive})...)
}

// observe looks at the workspace at the end of a phase. When that cannot be, the
// phase was interrupted: what its role did is not known, and is found out when
// the workspace can be looked at again.
func (e *Engine) observe(ctx context.Context, st Step, reaped, thorough bool) (run.Changes, error) {
	c, err := e.Workspace.Observe(context.WithoutCancel(ctx), thorough)
	if err == nil {
		return c, nil
	}
	e.unseen = e.unseen || st.Phase == run.Execute
	if failed := e.Journal.Append(run.Interrupted{Round: st.Round, Phase: st.Phase, Reaped: reaped}); failed != nil {
		return c, failed
	}
	return c, err
}

func (e *Engine) open(st Step) error {
	var g run.GateOpened
	e.Journal.View(func(s *run.State) { g = st.Gate.Opened(s) })
	g.Question = clip(g.Question, maxQuestion)
	g.Choices, g.Details = clipAll(g.Choices), clipAll(g.Details)
	return e.Journal.Append(g)
}

// note records the budgets that have just passed 80 %.
func (e *Engine) note(d Decision) error {
	if d.Notice == "" {
		return nil
	}
	var events []run.Event
	e.Journal.View(func(s *run.State) {
		for _, b := range passed(s) {
			events = append(events, b)
		}
	})
	return e.Journal.Append(events...)
}

// begin records the start of a phase. It refuses when something was decided
// since the brief was rendered; the caller then decides again.
func (e *Engine) begin(st Step, b Brief, agent string) func(run.Process) error {
	return func(p run.Process) error {
		outdated := false
		e.Journal.View(func(s *run.State) { outdated = s.Decided != b.Decided })
		if outdated {
			return errOutdated
		}
		return e.Journal.Append(run.PhaseStarted{
			Round: st.Round, Phase: st.Phase, Attempt: st.Attempt,
			Agent: agent, Brief: b.Digest, Process: p,
		})
	}
}
