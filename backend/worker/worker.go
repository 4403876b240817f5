package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"longwatch/backend/config"
	"longwatch/backend/guard"
	"longwatch/backend/ledger"
	"longwatch/backend/loop"
	"longwatch/backend/run"
	"longwatch/backend/rundir"
	"longwatch/backend/safefs"
	"longwatch/backend/task"
)

// Options say which run to keep going.
type Options struct {
	Home    *rundir.Home
	Run     string
	Reopen  bool   // an ended run goes on
	Restore string // put this checkpoint back and do nothing else
	Version string
	Log     *slog.Logger
	Now     func() time.Time // nil is time.Now; it may jump
}

// worker is one life of a run's worker.
type worker struct {
	Options
	dir     *rundir.Run
	spec    rundir.Spec
	task    task.Task
	j       *journal
	ws      *workspace
	engine  *loop.Engine
	wake    chan struct{}
	lost    chan error
	summary time.Time
	asked   bool // the person was asked to bring something back

	mu     sync.Mutex
	cancel context.CancelFunc // of the running step
}

// Run keeps a run going until it ends, until nobody but a person could go on
// and nobody attends, or until ctx ends. Whatever happens the run can be
// resumed from the ledger. [safefs.ErrHeld] when another worker has it.
func Run(ctx context.Context, o Options) (err error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	w := &worker{Options: o, wake: make(chan struct{}, 1), lost: make(chan error, 1)}
	if w.dir, err = o.Home.Open(o.Run); err != nil {
		return err
	}
	defer w.dir.Close()
	lease, err := w.dir.Lease()
	if err != nil {
		return fmt.Errorf("run %s: %w", o.Run, err)
	}
	defer func() {
		if free := lease.Release(); err == nil {
			err = free
		}
	}()
	if err := w.sign(lease); err != nil {
		return err
	}
	w.tidy()
	lw, err := w.dir.Writer(ledger.Options{BootID: guard.BootID(), Now: w.Now})
	if err != nil {
		return err
	}
	defer func() { err = closing(lw, err) }()
	if w.j, err = openJournal(lw); err != nil {
		return err
	}
	return w.live(ctx)
}

// tidy removes what a killed worker left half made. None of it is missed.
func (w *worker) tidy() {
	old, err := filepath.Glob(filepath.Join(os.TempDir(), privateName(w.Run)+"*"))
	for _, dir := range old {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	if err = errors.Join(err, w.dir.Tidy()); err != nil {
		w.Log.Warn("Leftovers could not be removed", "err", err)
	}
}

// closing closes the ledger after what a worker ended with: one reason is told,
// and a writer that failed fails again.
func closing(lw *ledger.Writer, why error) error {
	err := lw.Close()
	if why == nil && err != nil && !errors.Is(err, ledger.ErrNoEpoch) {
		return fmt.Errorf("close the ledger: %w", err)
	}
	return why
}

func (w *worker) sign(lease *safefs.Lease) error {
	b, err := json.Marshal(rundir.Holder{PID: os.Getpid(), Run: w.Run})
	if err != nil {
		return err
	}
	return lease.Write(b)
}

func (w *worker) live(ctx context.Context) error {
	created := w.j.state.Created
	var err error
	if w.spec, err = w.dir.Spec(created); err != nil {
		return err
	}
	if err := w.mayGoOn(); err != nil {
		return err
	}
	data, err := w.dir.Task(created)
	if err != nil {
		return err
	}
	var problems []config.Problem
	if w.task, problems = task.Parse(w.spec.TaskName, data); config.Refused(problems) {
		return fmt.Errorf("task.md: this version reads it differently: %s", problems[0])
	}
	lease, err := w.Home.LeaseWorkspace(w.spec.Workspace, w.Run)
	if err != nil {
		return err
	}
	defer func() { _ = lease.Release() }()
	program, err := guard.Binary()
	if err != nil {
		return err
	}
	defer program.Close()
	if err := w.equip(ctx, program); err != nil {
		return err
	}
	if w.Restore != "" {
		return w.restore(ctx)
	}
	return w.serve(ctx)
}

// mayGoOn asks whether this machine is one where the run can be worked on.
func (w *worker) mayGoOn() error {
	data, err := w.Home.Settings()
	if err != nil {
		return err
	}
	// What settings that are wrong name does not count.
	own, problems := config.Parse(data)
	if config.Refused(problems) {
		own = config.Default()
	}
	return w.dir.GoOn(w.spec, own)
}

// equip builds everything the loop needs and opens this worker's epoch.
func (w *worker) equip(ctx context.Context, program *guard.Program) error {
	if err := guard.BecomeSubreaper(); err != nil {
		w.Log.Warn("Orphans of a killed launcher cannot be inherited", "err", err)
	}
	s := w.spec.Settings
	ignored, err := guard.Ignored(slices.Concat(guard.DefaultIgnored, s.Ignore, s.Build, w.task.Build))
	if err != nil {
		return fmt.Errorf("build patterns: %w", err)
	}
	w.ws = &workspace{
		root: w.spec.Workspace, dir: w.dir, ignored: ignored, known: w.j.state.Tree,
		round: func() int { return len(w.j.state.Rounds) },
	}
	// One that is gone is asked for when it is needed.
	if err := w.ws.open(ctx); err != nil && !lost(err) {
		return fmt.Errorf("workspace: %w", err)
	}
	w.asked = w.j.state.Missing != nil
	launcher := &guard.Launcher{Self: program.Path}
	c := &crew{
		launcher: launcher, roles: w.spec.Roles, output: s.Output, dir: w.dir, workspace: w.spec.Workspace,
		adapters: Adapters(s), ignored: ignored, log: w.Log,
	}
	resumed := w.j.state.Epoch > 0
	w.engine = &loop.Engine{
		Journal: w.j, Crew: c, Workspace: w.ws, Keeper: w.dir, Task: w.task, Resumed: resumed,
		Checker: &checker{launcher: launcher, run: w.Run, workspace: w.spec.Workspace},
		Bounds:  loop.Bounds{Task: loop.DefaultBounds.Task, Control: s.Brief.ControlKiB << 10, Evidence: s.Brief.EvidenceKiB << 10},
		Now:     w.now,
		Agent:   func(p run.Phase, surface string) string { return c.player(p, surface).Agent },
		Kept:    &checkpoints{dir: w.dir, ws: w.ws, j: w.j},
	}
	return w.begin(resumed, program)
}

func (w *worker) begin(resumed bool, program *guard.Program) error {
	host := run.Host{
		Version: w.Version, Binary: program.Digest, BootID: guard.BootID(), PID: os.Getpid(),
		Guard: string(guard.LevelDetect), Why: "kernel confinement is not built in yet",
		Reopens: w.Reopen, Tree: w.ws.tree(),
	}
	kind := run.Started{}.Kind()
	if resumed {
		kind = run.Resumed{}.Kind()
	}
	return w.j.begin(kind, func(e run.Epoch) run.Event {
		if resumed {
			return run.Resumed{Epoch: e, Host: host}
		}
		return run.Started{Epoch: e, Host: host}
	})
}

// restore puts a checkpoint back for the person. The run is not worked on.
func (w *worker) restore(ctx context.Context) error {
	events, err := w.engine.Kept.Restore(ctx, w.Restore)
	if err != nil {
		return err
	}
	if err := w.j.Append(events...); err != nil {
		return err
	}
	w.j.View(w.forceSummary)
	return nil
}

// serve runs the loop and the inbox side by side.
func (w *worker) serve(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	in := &inbox{dir: w.dir, j: w.j, log: w.Log, wake: w.wake, lost: w.lost, abort: w.abortStep}
	var tasks sync.WaitGroup
	defer tasks.Wait()
	defer end()
	// What is in the inbox already comes before the first decision.
	if err := in.take(); err != nil {
		return err
	}
	w.j.mu.Lock()
	w.j.told = w.saveSummary
	w.saveSummary(w.j.state)
	w.j.mu.Unlock()
	tasks.Go(func() { in.serve(ctx) })
	tasks.Go(func() { w.beat(ctx) })
	err := w.loop(ctx)
	w.j.View(w.forceSummary)
	return err
}

// loop makes one decision after the other until there is none to make.
func (w *worker) loop(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-w.lost:
			return err
		default:
		}
		if err := w.lookForWorkspace(); err != nil {
			return err
		}
		d, err := w.step(ctx)
		switch {
		case errors.Is(err, run.ErrIllegal):
			// A command came between the decision and its record; decide again.
			continue
		case err != nil:
			if err := w.trouble(err); err != nil {
				return w.cause(err)
			}
			continue
		}
		w.Log.Info("Decided", "row", d.Row, "do", d.Step.Do, "phase", d.Step.Phase, "round", d.Step.Round, "reason", d.Reason)
		if d.Step.Do == loop.DoClose {
			if err := w.dir.Pack(d.Step.Round); err != nil {
				w.Log.Warn("Round could not be packed", "round", d.Step.Round, "err", err)
			}
		}
		if d.Step.Do != "" {
			continue
		}
		if d.Disposition == loop.Terminal || w.nobodyAttends(d) {
			return w.packLast()
		}
		if err := w.wait(ctx, d.Until); err != nil {
			return err
		}
	}
}

// cause is why a step failed: the loss of the inbox ends a step too.
func (w *worker) cause(err error) error {
	select {
	case why := <-w.lost:
		return why
	default:
		return err
	}
}

// packLast packs a reply that came after its round was closed.
func (w *worker) packLast() error {
	n := 0
	w.j.View(func(s *run.State) {
		if r := s.Current(); r != nil && r.End != "" {
			n = r.N
		}
	})
	if n == 0 {
		return nil
	}
	return w.dir.Pack(n)
}

func (w *worker) step(ctx context.Context) (loop.Decision, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.mu.Lock()
	w.cancel = cancel
	w.mu.Unlock()
	return w.engine.Step(ctx)
}

func (w *worker) abortStep() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancel != nil {
		w.cancel()
	}
}

// nobodyAttends reports whether an unattended run has come to something only a
// person can answer: it is left there, to be answered later.
func (w *worker) nobodyAttends(d loop.Decision) bool {
	return d.Disposition == loop.AskUser && w.spec.Unattended
}

// beatEvery is how often a worker leaves a sign of life.
const beatEvery = 10 * time.Second

func (w *worker) beat(ctx context.Context) {
	t := time.NewTicker(beatEvery)
	defer t.Stop()
	for {
		if err := w.dir.Beat(time.Now()); err != nil {
			w.Log.Warn("Heartbeat could not be written", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// summaryEvery bounds how often the list's cache is written while nothing
// decisive happens.
const summaryEvery = time.Second

func (w *worker) saveSummary(s *run.State) {
	if s.Gate == nil && s.Finished == nil && time.Since(w.summary) < summaryEvery {
		return
	}
	w.forceSummary(s)
}

func (w *worker) forceSummary(s *run.State) {
	w.summary = time.Now()
	if err := w.dir.SaveSummary(s, w.spec.CreatedAt); err != nil {
		w.Log.Warn("Summary could not be written", "err", err)
	}
}
