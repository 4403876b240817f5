package operator

import (
	"fmt"
	"time"

	"longwatch/backend/rundir"
	"longwatch/backend/worker"
)

// mostFailures is how many workers of ours may fail in a row. The first may
// only have found that somebody else's was quicker.
const mostFailures = 2

// leaveWithin bounds the wait for the worker of an ended run to let go of it.
const leaveWithin = 10 * time.Second

// Attendant sees to it that a run with something to do has a worker. The one
// that is there may be about to end without having seen the last command, so
// it is asked again and again. It is for one goroutine.
type Attendant struct {
	Home    *rundir.Home
	Run     *rundir.Run
	Program string // what a worker is started from; empty: this binary

	ours   *worker.Started // nil when the worker is not our child
	failed int
}

// EndedError is a worker that ended without having done what it was there for.
type EndedError struct {
	Run  string
	Code int // its exit code, 1 where that says nothing
	Why  string
}

func (e *EndedError) Error() string { return "the worker ended: " + e.Why }

// Hint says what can be done about it.
func (e *EndedError) Hint() string {
	return fmt.Sprintf("nothing is lost; when the cause is gone, `longwatch resume %s` goes on", e.Run)
}

// Attend starts a worker when there is none. After two of ours that failed it
// is an *EndedError.
func (at *Attendant) Attend(reopen bool) (err error) {
	if at.ours != nil && !at.Gone() {
		return nil
	}
	if at.ours != nil && at.ours.ExitCode() != 0 {
		if at.failed++; at.failed == mostFailures {
			return at.Ended()
		}
	}
	at.ours = nil
	if _, alive := at.Run.Worker(); !alive {
		at.ours, err = worker.Start(at.Home, at.Run, worker.Launch{Program: at.Program, Reopen: reopen})
	}
	return err
}

// Started is the worker that this attendant started and that is not known to
// have ended, nil if there is none.
func (at *Attendant) Started() *worker.Started { return at.ours }

// Gone reports whether nobody is at work on the run.
func (at *Attendant) Gone() bool {
	if at.ours != nil {
		select {
		case <-at.ours.Done():
		default:
			return false
		}
	}
	_, alive := at.Run.Worker()
	return !alive
}

// Ended says why the worker ended.
func (at *Attendant) Ended() error {
	e := &EndedError{Run: at.Run.ID, Code: 1, Why: at.Run.LastLog()}
	if at.ours != nil && at.ours.ExitCode() > 0 {
		e.Code = at.ours.ExitCode()
	}
	return e
}

// WaitUntilGone gives the worker of an ended run the time to let go of it.
func (at *Attendant) WaitUntilGone() {
	for end := time.Now().Add(leaveWithin); !at.Gone() && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}
