package worker

import (
	"context"
	"errors"

	"longwatch/backend/agent"
	"longwatch/backend/guard"
	"longwatch/backend/loop"
	"longwatch/backend/run"
)

// mostWatched bounds the folders that are watched for the sake of one audit: to
// begin takes a look at each.
const mostWatched = 20_000

// disturbance is why an episode was ended: something was seen to happen.
type disturbance struct{ path string }

func (d *disturbance) Error() string {
	return "something was seen to happen in the workspace, so the audit was ended: " + run.Change{Path: d.path}.Quoted()
}

// run plays an episode. One that wants to be alone is ended, with its whole
// tree, at the first thing that is seen in the workspace.
func (c *crew) run(ctx context.Context, a agent.Adapter, ep loop.Episode, e *episode) loop.Answer {
	if !ep.Alone {
		return a.Run(ctx, ep, e)
	}
	eye, err := guard.Watch(ctx, c.workspace, guard.WatchOptions{Ignored: c.ignored, Folders: mostWatched})
	if err != nil {
		c.log.Warn("An audit cannot be ended early", "round", ep.Round, "err", err)
		return a.Run(ctx, ep, e)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	looking, watched := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.look(looking, eye, ep, cancel)
	}()
	ans := a.Run(ctx, ep, e)
	watched()
	<-done
	if err := eye.Close(); err != nil {
		c.log.Warn("The watch of the workspace was not closed", "err", err)
	}
	var seen *disturbance
	if ans.Fail == run.FailCanceled && errors.As(context.Cause(ctx), &seen) {
		ans.Fail, ans.Detail = run.FailDisturbed, seen.Error()
	}
	cancel(nil)
	return ans
}

// look waits for something to happen in the workspace and ends the episode.
func (c *crew) look(ctx context.Context, eye *guard.Watcher, ep loop.Episode, end context.CancelCauseFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-eye.News():
		}
		s := eye.Take()
		if len(s.Seen) > 0 {
			end(&disturbance{s.Seen[0].Path})
			return
		}
		if s.Missed != "" {
			c.log.Warn("Not everything is seen during an audit", "round", ep.Round, "why", s.Missed)
		}
	}
}
