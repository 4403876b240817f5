package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"longwatch/backend/run"
)

func sumOf(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

// patience bounds every wait.
const patience = 20 * time.Second

// A run that writes without pause is told ten times a second, and its end is not
// missed.
func TestARunIsToldAtMostTenTimesASecond(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	b := s.book("20260101-000000-0000")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	feed := s.s.Changes(ctx)
	began := time.Now()
	written := make(chan uint64, 1)
	go func() {
		defer func() { written <- b.w.Seq() }()
		for i := range 400 {
			b.add(run.MessageReceived{Receipt: run.Receipt{Command: fmt.Sprint(i)}, ID: fmt.Sprint(i), Text: "x"})
		}
	}()
	told, last, end := 0, uint64(0), uint64(0)
	for limit := time.After(patience); end == 0 || last < end; {
		select {
		case end = <-written:
		case c := <-feed:
			told++
			if c.Run != b.id || c.Seq < last {
				t.Errorf("told %+v after %d", c, last)
			}
			last = c.Seq
		case <-limit:
			t.Fatalf("told up to record %d of %d", last, end)
		}
	}
	if most := 2 + int(time.Since(began)/apart); told > most {
		t.Errorf("told %d times in %s", told, time.Since(began))
	}
}

func TestComingAndGoingIsTold(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	feed := s.s.Changes(ctx)
	hears := func(want Changed) {
		t.Helper()
		for limit := time.After(patience); ; {
			select {
			case c := <-feed:
				if c == want {
					return
				}
			case <-limit:
				t.Fatalf("did not hear %+v", want)
			}
		}
	}
	b := s.book("20260101-000000-0000")
	hears(Changed{Run: b.id})
	must(t, b.w.Close())
	must(t, s.home.Delete(b.id))
	hears(Changed{Run: b.id})
}

// A reader that does not read misses what is in between, and gets the newest.
func TestASlowReaderGetsTheNewest(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	b := s.book("20260101-000000-0000")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	slow, quick := s.s.Changes(ctx), s.s.Changes(ctx)
	for i := range 3 {
		b.add(run.MessageReceived{Receipt: run.Receipt{Command: fmt.Sprint(i)}, ID: fmt.Sprint(i), Text: "x"})
		for c := range quick {
			if c.Seq == uint64(3+i) {
				break
			}
		}
	}
	// The newest may just be on its way when the first is read.
	read := 1
	for c := <-slow; c.Seq != 5; c = <-slow {
		if read++; read > 2 {
			t.Fatalf("notice %d is of record %d, want 5", read, c.Seq)
		}
	}
}

func TestTheFeedEndsWithItsReaderAndItsServer(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	ctx, stop := context.WithCancel(t.Context())
	left := s.s.Changes(ctx)
	stays := s.s.Changes(t.Context())
	stop()
	if _, more := <-left; more {
		t.Error("it goes on without its reader")
	}
	must(t, s.s.Close())
	if _, more := <-stays; more {
		t.Error("it goes on without its server")
	}
	if _, more := <-s.s.Changes(t.Context()); more {
		t.Error("it begins without its server")
	}
}
