package window

import (
	"context"
	"time"

	"longwatch/backend/api"
)

// apart is the least time between two notices to the page: ten a second, over
// all runs.
const apart = 100 * time.Millisecond

// Forward passes notices on to the page, at most ten a second, until the feed
// or ctx ends. The feed keeps the newest of each run for a slow reader, so
// nothing is lost by that.
func Forward(ctx context.Context, feed <-chan api.Changed, emit func(api.Changed)) {
	pause := time.NewTicker(apart)
	defer pause.Stop()
	for {
		select {
		case c, more := <-feed:
			if !more {
				return
			}
			emit(c)
		case <-ctx.Done():
			return
		}
		pause.Reset(apart)
		select {
		case <-pause.C:
		case <-ctx.Done():
			return
		}
	}
}
