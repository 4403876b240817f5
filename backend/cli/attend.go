package cli

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

// attendant sees to it that a run with something to do has a worker. The one
// that is there may be about to end without having seen the last command, so
// it is asked again and again.
type attendant struct {
	h      *rundir.Home
	r      *rundir.Run
	ours   *worker.Started // nil when the worker is not our child
	failed int
}

// attend starts a worker when there is none.
func (at *attendant) attend(reopen bool) (err error) {
	if at.ours != nil && !at.gone() {
		return nil
	}
	if at.ours != nil && at.ours.ExitCode() != 0 {
		if at.failed++; at.failed == mostFailures {
			return at.ended()
		}
	}
	at.ours = nil
	if _, alive := at.r.Worker(); !alive {
		at.ours, err = worker.Start(at.h, at.r, reopen)
	}
	return err
}

// gone reports whether nobody is at work on the run.
func (at *attendant) gone() bool {
	if at.ours != nil {
		select {
		case <-at.ours.Done():
		default:
			return false
		}
	}
	_, alive := at.r.Worker()
	return !alive
}

// ended says why the worker ended.
func (at *attendant) ended() error {
	code := ExitInternal
	if at.ours != nil && at.ours.ExitCode() > 0 {
		code = at.ours.ExitCode()
	}
	return &failure{
		code: code, err: fmt.Errorf("the worker ended: %s", at.r.LastLog()),
		hint: fmt.Sprintf("nothing is lost; when the cause is gone, `longwatch resume %s` goes on", at.r.ID),
	}
}

// waitUntilGone gives the worker of an ended run the time to let go of it.
func (at *attendant) waitUntilGone() {
	for end := time.Now().Add(leaveWithin); !at.gone() && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}
