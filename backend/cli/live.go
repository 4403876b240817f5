package cli

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"longwatch/backend/guard"
	"longwatch/backend/operator"
	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

const (
	// aloneFor is how long a run may be without a worker before nobody is
	// said to be at work: one may just be starting.
	aloneFor = 2 * time.Second
	// together is how long changes are gathered into one line.
	together = 200 * time.Millisecond
	// mostSeen is how many paths such a line names.
	mostSeen = 4
)

// live shows what happens in a run and in its workspace until the run ends,
// nobody is at work on it, or Ctrl-C. It only looks: it starts no worker, and
// watches the workspace by itself.
func (a *app) live(r *rundir.Run, s *run.State) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	led, err := r.Follow()
	if err != nil {
		return err
	}
	defer led.Close()
	f := &follower{app: a, Attendant: operator.Attendant{Run: r}, ledger: led, state: &run.State{}, from: s.Seq}
	f.view = newView(a.out, isTerminalWriter(a.out))
	var news <-chan struct{}
	eye, err := a.eye(ctx, r, s)
	if err != nil {
		f.notice("changes of the workspace are not shown as they happen: %s", err)
	} else {
		defer eye.Close()
		news = eye.News()
	}
	for alone := time.Now(); ; {
		if err := f.catchUp(); err != nil {
			return err
		}
		if _, alive := r.Worker(); alive {
			alone = time.Now()
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case f.state.Finished != nil:
			f.finished()
			return nil
		case time.Since(alone) > aloneFor:
			f.notice("nobody is at work on it; `longwatch resume %s` goes on", r.ID)
			return nil
		}
		if f.stir(ctx, news) {
			if err := f.sighted(eye.Take()); err != nil {
				return err
			}
		}
	}
}

// eye watches the workspace, without what means nothing to a verdict.
func (a *app) eye(ctx context.Context, r *rundir.Run, s *run.State) (*guard.Watcher, error) {
	spec, err := r.Spec(s.Created)
	if err != nil {
		return nil, err
	}
	ignored, err := guard.Ignored(slices.Concat(guard.DefaultIgnored, spec.Settings.Ignore, spec.Settings.Build))
	if err != nil {
		return nil, err
	}
	return guard.Watch(ctx, s.Created.Workspace, guard.WatchOptions{Ignored: ignored})
}

// stir waits for something new and reports whether it is in the workspace. A
// follower of a ledger is for one goroutine, so the waiting one has ended
// before stir returns.
func (f *follower) stir(ctx context.Context, news <-chan struct{}) (seen bool) {
	waiting, cancel := context.WithTimeout(ctx, lookEvery)
	defer cancel()
	written := make(chan struct{})
	go func() {
		defer close(written)
		_ = f.ledger.Wait(waiting)
	}()
	select {
	case <-written:
	case <-news:
		seen = true
		select {
		case <-time.After(together):
		case <-ctx.Done():
		}
	}
	cancel()
	<-written
	return seen
}

// sightLine is a sighting as `show --follow --json` prints it.
type sightLine struct {
	Seen   []sightPath `json:"seen"`
	Missed string      `json:"missed,omitempty"`
	Blind  string      `json:"blind,omitempty"`
}

type sightPath struct {
	Path    string     `json:"path,omitempty"`
	PathB64 string     `json:"path_b64,omitempty"` // of a name that is not UTF-8
	What    guard.What `json:"what"`
	At      int64      `json:"at"`
}

// sighted prints what was seen. It is said to be a look: the records tell what
// really changed.
func (f *follower) sighted(s guard.Sighting) error {
	if f.json {
		line := sightLine{Seen: []sightPath{}, Missed: s.Missed, Blind: s.Blind}
		for _, e := range s.Seen {
			p := sightPath{Path: e.Path, What: e.What, At: e.At.UnixMilli()}
			if !utf8.ValidString(e.Path) {
				p.Path, p.PathB64 = "", base64.StdEncoding.EncodeToString([]byte(e.Path))
			}
			line.Seen = append(line.Seen, p)
		}
		return json.NewEncoder(f.out).Encode(line)
	}
	var parts []string
	for _, e := range s.Seen[:min(mostSeen, len(s.Seen))] {
		parts = append(parts, fmt.Sprintf("%s %s", e.What, plain(e.Path)))
	}
	if n := len(s.Seen) - len(parts); n > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", n))
	}
	if len(parts) > 0 {
		f.view.say("seen", strings.Join(parts, ", "))
	}
	if s.Missed != "" {
		f.view.say("unseen", "something may have been missed: "+s.Missed)
	}
	return nil
}

// plain is a path as a terminal may get it: a name can hold what would steer
// the terminal.
func plain(path string) string {
	if utf8.ValidString(path) && !strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return path
	}
	return strconv.Quote(path)
}
