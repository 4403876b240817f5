package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"longwatch/backend/gate"
	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// pollInbox is how often the inbox is read when no notice comes: notices are a
// hint, the folder is the truth.
const pollInbox = 2 * time.Second

// longestRefusal bounds a refusal, which may quote a question, in bytes.
const longestRefusal = 600

// inbox takes commands as they come, while a phase runs too. Each is recorded,
// and only then removed.
type inbox struct {
	dir   *rundir.Run
	j     *journal
	log   *slog.Logger
	wake  chan struct{} // has one place; the main loop waits on it
	lost  chan error    // has one place: why commands can not be taken any more
	abort func()        // ends the running phase
}

// mostLooks is how often in a row the inbox may be unreadable. A worker that
// cannot be told anything must not stay.
const mostLooks = 3

// errUnwritten is wrapped by the failure to record a command: this worker can
// record nothing any more.
var errUnwritten = errors.New("it could not be recorded")

// serve reads the inbox until ctx ends.
func (b *inbox) serve(ctx context.Context) {
	watch, err := fsnotify.NewWatcher()
	var notices chan fsnotify.Event
	if err == nil {
		defer watch.Close()
		if err = watch.Add(b.dir.InboxPath()); err == nil {
			notices = watch.Events
		}
	}
	if err != nil {
		b.log.Warn("Inbox is polled, not watched", "err", err)
	}
	tick := time.NewTicker(pollInbox)
	defer tick.Stop()
	for bad := 0; ; {
		err := b.take()
		if bad++; err == nil {
			bad = 0
		} else {
			b.log.Error("Inbox could not be emptied", "err", err)
		}
		if bad == mostLooks || errors.Is(err, errUnwritten) {
			b.lost <- err
			b.abort()
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-notices:
		case <-tick.C:
		}
	}
}

// take carries out everything in the inbox. What cannot be removed stays, is
// known by its id, and holds up nothing.
func (b *inbox) take() error {
	letters, left := b.dir.Inbox()
	for _, l := range letters {
		if err := b.j.appendIf(func(s *run.State) []run.Event { return effect(s, l) }); err != nil {
			return fmt.Errorf("command %s: %w: %w", l.ID, errUnwritten, err)
		}
		if l.Bad == "" && l.Kind == rundir.CommandAbort {
			b.abort()
		}
		select {
		case b.wake <- struct{}{}:
		default:
		}
		if err := b.dir.Taken(l.ID); err != nil {
			left = cmp.Or(left, err)
		}
	}
	return left
}

// effect is what a command does in a state: its events, each of which carries
// the command's id as its receipt. A command that had its effect has none.
func effect(s *run.State, l rundir.Letter) []run.Event {
	if s.DidCommand(l.ID) {
		return nil
	}
	rec := run.Receipt{Command: l.ID, Channel: l.Channel}
	refuse := func(why string) []run.Event {
		if len(why) > longestRefusal {
			why = strings.ToValidUTF8(why[:longestRefusal], "") + " …"
		}
		return []run.Event{run.CommandRefused{Receipt: rec, Reason: why}}
	}
	if l.Bad != "" {
		return refuse(l.Bad)
	}
	switch l.Kind {
	case rundir.CommandAnswer:
		return answer(s, l, rec, refuse)
	case rundir.CommandSend:
		if strings.TrimSpace(l.Text) == "" {
			return refuse("the message is empty")
		}
		return []run.Event{run.MessageReceived{Receipt: rec, ID: l.ID, Text: l.Text}}
	case rundir.CommandStop, rundir.CommandAbort:
		if s.Finished != nil {
			return refuse("the run has ended")
		}
		return []run.Event{run.StopRequested{Receipt: rec, Abort: l.Kind == rundir.CommandAbort}}
	case rundir.CommandPause, rundir.CommandGo:
		pause := l.Kind == rundir.CommandPause
		if s.Paused == pause || s.Finished != nil {
			return refuse("it is so already, or the run has ended")
		}
		return []run.Event{run.PauseSet{Receipt: rec, Paused: pause}}
	case rundir.CommandLimits:
		if l.Rounds < 1 || l.Rounds > 10000 {
			return refuse("rounds to add must be between 1 and 10000")
		}
		return []run.Event{run.LimitsChanged{Receipt: rec, Add: run.Limits{Rounds: l.Rounds}}}
	}
	return refuse(fmt.Sprintf("there is no command %q", l.Kind))
}

func answer(s *run.State, l rundir.Letter, rec run.Receipt, refuse func(string) []run.Event) []run.Event {
	a := run.GateAnswered{Receipt: rec, Gate: l.Gate, End: l.End, Text: l.Text, Rounds: l.Rounds}
	if s.Gate == nil {
		return refuse(alreadyAnswered(s, l.Gate))
	}
	if err := gate.Fits(s.Gate.GateOpened, a); err != nil {
		return refuse(err.Error())
	}
	return []run.Event{a}
}

func alreadyAnswered(s *run.State, id string) string {
	for _, a := range s.Answers {
		if a.Gate == id {
			return fmt.Sprintf("gate %s was answered before", id)
		}
	}
	return fmt.Sprintf("gate %q is not open", id)
}
