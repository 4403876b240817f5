package ledger

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// collect waits until a follower has returned n records.
func collect(t *testing.T, f *Follower, n int) []Record {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var got []Record
	for len(got) < n {
		records, err := f.Next()
		must(t, err)
		got = append(got, records...)
		if len(records) == 0 {
			must(t, f.Wait(ctx))
		}
	}
	return got
}

func follow(t *testing.T, b *book) *Follower {
	t.Helper()
	f, err := Follow(b.dir, b.name)
	must(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestFollowerReturnsNoLineThatIsNotTerminated(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	f := follow(t, b)
	data := b.bytes(t)
	line := forge(data)
	for cut := range line {
		b.put(t, append(data, line[:cut]...))
		if records, err := f.Next(); err != nil || len(records) > 1 || cut > 0 && len(records) > 0 {
			t.Fatalf("%d bytes: %d records, %v", cut, len(records), err)
		}
	}
	// The torn line goes and another comes, as after a crash.
	b.put(t, data)
	w := b.begin(t)
	must(t, w.Close())
	if got := collect(t, f, 2); got[0].Kind != "resumed" {
		t.Errorf("got %+v", got)
	}
}

func TestFollowerReturnsMuchInParts(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	b.grow(t, 2*followBatch)
	f := follow(t, b)
	var sizes []int
	for {
		records, err := f.Next()
		must(t, err)
		if len(records) == 0 {
			break
		}
		sizes = append(sizes, len(records))
	}
	if diff := cmp.Diff([]int{1000, 1000, 22}, sizes); diff != "" {
		t.Errorf("sizes (-want +got):\n%s", diff)
	}
}

func TestFollowerNoticesACutAndASwap(t *testing.T) {
	t.Parallel()
	for what, attack := range map[string]func(b *book, data []byte){
		"cut":  func(b *book, data []byte) { b.put(t, data[:len(data)-1]) },
		"gone": func(b *book, _ []byte) { must(t, os.Remove(b.path())) },
		"swap": func(b *book, data []byte) { must(t, b.dir.WriteFile(b.name, data)) },
		"edit": func(b *book, data []byte) { b.put(t, append(data, "{}\n"...)) },
	} {
		b := newBook(t)
		f := follow(t, b)
		_ = collect(t, f, 1)
		_, err := f.Next()
		must(t, err)
		attack(b, b.bytes(t))
		must(t, f.Wait(t.Context()))
		for range 2 {
			var broken *BrokenError
			if _, err := f.Next(); !errors.As(err, &broken) {
				t.Errorf("%s: got %v", what, err)
			}
		}
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	f := follow(t, newBook(t))
	_, err := f.Next()
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
