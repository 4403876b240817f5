package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"longwatch/backend/ledger"
	"longwatch/backend/operator"
	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// lookEvery is how often a follower looks whether the worker is alive while
// nothing is written.
const lookEvery = 300 * time.Millisecond

// abortWithin is how long after a first Ctrl-C a second one aborts the run.
const abortWithin = 2 * time.Second

// follower shows a run as it happens and asks what its gates ask.
type follower struct {
	*app
	operator.Attendant
	ledger *ledger.Follower
	state  *run.State
	from   uint64 // records up to here are history
	over   bool   // the run ended after those
	view   *view
	lines  chan string // what the person types; nil without a terminal
	asked  string      // the gate already put to the person
}

// follow shows a run until it ends or waits for somebody who is not here, and
// sets the exit code.
func (a *app) follow(at operator.Attendant, from uint64) error {
	led, err := at.Run.Follow()
	if err != nil {
		return err
	}
	defer led.Close()
	f := &follower{app: a, Attendant: at, ledger: led, state: &run.State{}, from: from}
	f.view = newView(a.out, isTerminalWriter(a.out))
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(interrupts)
	code, err := f.loop(ctx, interrupts)
	a.code = code
	if err == nil && a.json {
		return json.NewEncoder(a.out).Encode(map[string]any{
			"run": f.Run.ID, "outcome": f.state.Outcome(), "exit": code,
		})
	}
	return err
}

func (f *follower) loop(ctx context.Context, interrupts <-chan os.Signal) (int, error) {
	for {
		if err := f.catchUp(); err != nil {
			return 0, err
		}
		if over, code, err := f.settled(); over || err != nil {
			return code, err
		}
		over, code, err := f.wait(ctx, interrupts)
		if over || err != nil {
			return code, err
		}
	}
}

// settled reports whether there is nothing to follow any more.
func (f *follower) settled() (over bool, code int, err error) {
	if f.over {
		f.waitForWorker()
		return true, f.finished(), nil
	}
	if over, err := f.gate(); over || err != nil {
		return over, ExitNeedsYou, err
	}
	if !f.Gone() {
		return false, 0, nil
	}
	if err := f.catchUp(); err != nil {
		return true, 0, err
	}
	if f.over {
		return true, f.finished(), nil
	}
	if letters, err := f.Run.Inbox(); err == nil && len(letters) > 0 {
		return false, 0, f.Attend(f.state.Finished != nil)
	}
	switch {
	case !f.Gone(): // another one came
		return false, 0, nil
	case f.state.Gate != nil:
		return true, ExitNeedsYou, nil
	}
	return true, 0, f.Ended()
}

// wait returns when something is new: in the ledger, from the person, or a
// signal. A follower of a ledger is for one goroutine, so the waiting one has
// ended before wait returns.
func (f *follower) wait(ctx context.Context, interrupts <-chan os.Signal) (over bool, code int, err error) {
	waiting, cancel := context.WithTimeout(ctx, lookEvery)
	news := make(chan struct{})
	go func() {
		defer close(news)
		_ = f.ledger.Wait(waiting)
	}()
	interrupt, line, typed := false, "", false
	select {
	case <-news:
	case <-interrupts:
		interrupt = true
	case l, ok := <-f.lines:
		if line, typed = l, ok; !ok {
			f.lines = nil // nobody is there any more
		}
	}
	cancel()
	<-news
	switch {
	case interrupt:
		return f.interrupted(ctx, interrupts)
	case typed:
		if err := f.answered(line); err != nil {
			fmt.Fprintf(f.err, "%s\n> ", err)
		}
	}
	return false, 0, nil
}

// catchUp folds and shows what is new.
func (f *follower) catchUp() error {
	for {
		recs, err := f.ledger.Next()
		if err != nil {
			return err
		}
		if len(recs) == 0 {
			return nil
		}
		for _, rec := range recs {
			e, err := rundir.Entry(rec)
			if err != nil {
				return err
			}
			if err := f.state.Apply(e); err != nil {
				return err
			}
			if rec.Seq > f.from {
				f.over = f.state.Finished != nil && (f.over || ends(e.Event))
			}
			if err := f.show(rec, e); err != nil {
				return err
			}
		}
	}
}

func ends(e run.Event) bool {
	_, is := e.(run.Finished)
	return is
}

func (f *follower) show(rec ledger.Record, e run.Entry) error {
	if f.json {
		if rec.Seq <= f.from {
			return nil
		}
		return json.NewEncoder(f.out).Encode(rec)
	}
	f.view.show(f.state, e, rec.Seq <= f.from)
	return nil
}

// gate puts an open gate to the person, or reports that nobody is here for it.
func (f *follower) gate() (nobody bool, err error) {
	g := f.state.Gate
	if g == nil {
		f.asked = ""
		return false, nil
	}
	if f.state.Created.Unattended || !f.terminal {
		return f.unanswered(g.Gate)
	}
	if f.asked != g.Gate {
		f.asked = g.Gate
		fmt.Fprint(f.err, prompt(g.GateOpened))
		f.listen()
	}
	return false, nil
}

// unanswered reports whether a gate stays open because no answer is on its way.
// The inbox is looked at before the ledger: a command leaves it only once its
// effect is recorded.
func (f *follower) unanswered(gate string) (bool, error) {
	letters, err := f.Run.Inbox()
	if err != nil || len(letters) > 0 {
		return false, err
	}
	if err := f.catchUp(); err != nil {
		return false, err
	}
	if moved, err := f.moves(gate); moved || err != nil {
		return false, err
	}
	f.notice("it waits for you: `longwatch answer %s continue` or `longwatch answer %s end`", f.Run.ID, f.Run.ID)
	return true, nil
}

// moves reports whether the run leaves a gate by itself. A worker that was just
// started may find that what was missing is back; of a run that nobody attends
// it ends otherwise.
func (f *follower) moves(gate string) (bool, error) {
	within := time.Duration(0)
	switch {
	case f.Started() == nil:
	case f.state.Created.Unattended:
		within = 5 * time.Second
	case f.state.Gate != nil && f.state.Gate.Reason == "capability.missing":
		within = time.Second
	}
	for end := time.Now().Add(within); ; time.Sleep(10 * time.Millisecond) {
		over := f.Gone() || time.Now().After(end)
		if err := f.catchUp(); err != nil {
			return false, err
		}
		if f.state.Gate == nil || f.state.Gate.Gate != gate {
			return true, nil
		}
		if over {
			return false, nil
		}
	}
}

// listen reads the person's lines; one reader for the life of the command.
func (f *follower) listen() {
	if f.lines != nil {
		return
	}
	lines := make(chan string)
	f.lines = lines
	go func() {
		defer close(lines)
		sc := bufio.NewScanner(f.in)
		for sc.Scan() {
			lines <- sc.Text()
		}
	}()
}

func (f *follower) answered(line string) error {
	g := f.state.Gate
	if g == nil {
		return nil
	}
	c, err := parseAnswer(g.GateOpened, strings.TrimSpace(line))
	if err != nil {
		return err
	}
	return f.post(f.Run, c)
}

// waitForWorker gives the worker a moment to let go of its leases, so that the
// next command finds them free.
func (f *follower) waitForWorker() {
	if f.Started() == nil {
		return
	}
	select {
	case <-f.Started().Done():
	case <-time.After(5 * time.Second):
	}
}

// interrupted is a Ctrl-C: the first leaves the run at work, a second soon
// after aborts it.
func (f *follower) interrupted(ctx context.Context, interrupts <-chan os.Signal) (over bool, code int, err error) {
	f.notice("the run goes on by itself; `longwatch resume %s` follows it again. Ctrl-C once more aborts it", f.Run.ID)
	select {
	case <-interrupts:
	case <-ctx.Done():
		return true, ExitComplete, nil
	case <-time.After(abortWithin):
		return true, ExitComplete, nil
	}
	f.notice("aborting")
	return false, 0, f.post(f.Run, rundir.Command{Kind: rundir.CommandAbort})
}

func (f *follower) finished() int {
	if !f.json {
		f.view.end(f.state, f.Run)
	}
	return exitOf(f.state.Outcome())
}

// exitOf is the exit code of an outcome.
func exitOf(o run.Outcome) int {
	switch o {
	case run.Complete:
		return ExitComplete
	case run.Aborted:
		return ExitAborted
	case run.Incomplete, run.Stopped:
		return ExitIncomplete
	}
	return ExitInternal
}

func (f *follower) notice(format string, args ...any) {
	fmt.Fprintf(f.err, format+"\n", args...)
}
