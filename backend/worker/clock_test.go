package worker

import (
	"context"
	"sync"
	"testing"
	"time"

	"longwatch/backend/ledger"
	"longwatch/backend/run"
)

// jumpy is a clock that jumps a day back or forth whenever it is read.
type jumpy struct {
	mu sync.Mutex
	n  int
}

func (j *jumpy) now() time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.n++
	return time.Now().Add(time.Duration(j.n%3-1) * 24 * time.Hour)
}

func TestAClockThatJumpsHurtsNoRun(t *testing.T) {
	t.Parallel()
	home, r := newRun(t, `---
title: Two
steps:
  - name: One
    run: echo x > one.txt
    expect: file one.txt exists
  - name: Two
    run: echo x > two.txt
    expect: file two.txt exists
---
`)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	must(t, Run(ctx, Options{Home: home, Run: r.ID, Version: "test", Log: quiet(), Now: (&jumpy{}).now}))
	s, err := r.Fold()
	must(t, err)
	if s.Outcome() != run.Complete || s.Streak != 0 || len(s.Rounds) != 3 {
		t.Errorf("%q after %d rounds, streak %d", s.Outcome(), len(s.Rounds), s.Streak)
	}
	if rep, err := r.Verify(); err != nil || rep.Broken != nil || rep.End != ledger.EndAttested {
		t.Errorf("the ledger: %v, %+v", err, rep)
	}
}

func TestAWaitEndsWhenTheClockJumps(t *testing.T) {
	t.Parallel()
	start := time.Now()
	for name, jump := range map[string]time.Duration{"forth": 48 * time.Hour, "back": -48 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			looks := 0
			w := &worker{wake: make(chan struct{}, 1), lost: make(chan error, 1), j: &journal{state: &run.State{}}}
			w.Now = func() time.Time {
				mu.Lock()
				defer mu.Unlock()
				if looks++; looks > 3 {
					return start.Add(jump)
				}
				return start
			}
			ended := make(chan error, 1)
			go func() { ended <- w.wait(context.Background(), start.Add(24*time.Hour).UnixMilli()) }()
			select {
			case err := <-ended:
				must(t, err)
			case <-time.After(20 * time.Second):
				t.Fatal("it waits for a time that has passed, or that never comes")
			}
		})
	}
}

func TestAWaitForAPersonEndsWithTheInbox(t *testing.T) {
	t.Parallel()
	w := &worker{wake: make(chan struct{}, 1), lost: make(chan error, 1), j: &journal{state: &run.State{}}}
	w.Now = time.Now
	w.lost <- errUnwritten
	if err := w.wait(context.Background(), 0); err == nil {
		t.Error("it goes on waiting for commands that cannot come")
	}
}
