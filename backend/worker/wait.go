package worker

import (
	"context"
	"time"
)

// now is the worker's clock in unix ms. It may jump both ways.
func (w *worker) now() int64 { return w.Now().UnixMilli() }

// lookAgain is how long a wait trusts that the clock and the folders stay as
// they are.
const lookAgain = time.Second

// wait returns when a command came, at the time until (unix ms, 0 for never),
// when the clock went back, when a missing workspace is back, or when ctx ends;
// with an error when no command can come any more. A wait for a person alone
// looks at nothing and costs nothing.
func (w *worker) wait(ctx context.Context, until int64) error {
	began := w.now()
	missing := w.workspaceMissing()
	for {
		var again <-chan time.Time
		if until > 0 || missing {
			again = time.After(w.pause(until))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-w.wake:
			return nil
		case err := <-w.lost:
			return err
		case <-again:
		}
		now := w.now()
		if until > 0 && now >= until || now < began || missing && w.ws.back() {
			return nil
		}
		began = now
	}
}

// pause is how long to sleep before the next look at the clock.
func (w *worker) pause(until int64) time.Duration {
	if until == 0 {
		return lookAgain
	}
	left := max(until-w.now(), 0)
	return time.Duration(min(left, lookAgain.Milliseconds())) * time.Millisecond
}
