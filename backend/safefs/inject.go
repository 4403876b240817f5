package safefs

import (
	"errors"
	"sync/atomic"
)

// This file is for tests, also of other packages: it puts faults where every
// call that creates, changes, syncs or removes a file passes. Nothing that
// ships calls Inject; the check of the house holds that.

// Fault is asked before each call, by any goroutine, with the operation and
// the name it is about. The call then returns the error it gives, and is not
// made; with nil it is made. A *Tear lets part of a write through.
type Fault func(op, name string) error

// Tear is a write that stops in the middle: Keep says how many of its bytes
// reach the file, Err what the call then returns.
type Tear struct {
	Keep func(p []byte) int
	Err  error
}

func (t *Tear) Error() string { return "torn: " + t.Err.Error() }

// Unwrap makes a torn call that is no write fail with Err like any other.
func (t *Tear) Unwrap() error { return t.Err }

// injected is the one fault of this process, nil outside of tests.
var injected atomic.Pointer[Fault]

// Inject asks f before every call of this process from now on, until undo.
func Inject(f Fault) (undo func()) {
	injected.Store(&f)
	return func() { injected.CompareAndSwap(&f, nil) }
}

// fault is what stands in the way of a call.
func fault(op, name string) error {
	if f := injected.Load(); f != nil {
		return (*f)(op, name)
	}
	return nil
}

// tear writes what a torn write lets through.
func tear(err error, p []byte, write func(p []byte) (int, error)) (int, error) {
	var t *Tear
	if !errors.As(err, &t) {
		return 0, err
	}
	n, failed := write(p[:min(max(t.Keep(p), 0), len(p))])
	if failed != nil {
		return n, failed
	}
	return n, t.Err
}
