package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"

	"longwatch/backend/safefs"
)

// faultEnv carries a plan to a worker of the tests; the product knows nothing
// of it.
const faultEnv = "LONGWATCH_TEST_FAULT"

// faults is what happens to a worker's file calls. Calls are counted from 1;
// those whose name does not end in Of are not counted.
type faults struct {
	Trace string        `json:"trace,omitempty"` // note each call in this file
	Of    string        `json:"of,omitempty"`
	At    int           `json:"at,omitempty"`    // the call it happens at, 0 for none
	On    bool          `json:"on,omitempty"`    // and at each one after it
	Errno syscall.Errno `json:"errno,omitempty"` // the call fails with it
	Tear  bool          `json:"tear,omitempty"`  // a write leaves a part before it fails
	Lines int           `json:"lines,omitempty"` // that part: so many lines, and half of the next
	Kill  bool          `json:"kill,omitempty"`  // kill -9 instead of an error, after a tear
	After bool          `json:"after,omitempty"` // kill once the call was made
	Files uint64        `json:"files,omitempty"` // descriptors left to use, from the start
	Procs uint64        `json:"procs,omitempty"` // most processes of this user
}

func (f faults) env() string {
	b, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	return faultEnv + "=" + string(b)
}

// plant puts the faults of a plan into this process.
func plant(plan string) {
	if plan == "" {
		return
	}
	var f faults
	if err := json.Unmarshal([]byte(plan), &f); err != nil {
		panic(err)
	}
	if f.Files > 0 {
		limit(syscall.RLIMIT_NOFILE, 66)
		leaveFiles(int(f.Files))
	}
	limit(rlimitProcs, f.Procs)
	p := &planted{faults: f}
	if f.Trace != "" {
		var err error
		if p.trace, err = os.OpenFile(f.Trace, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
			panic(err)
		}
	}
	safefs.Inject(p.call)
}

func limit(what int, most uint64) {
	if most == 0 {
		return
	}
	if err := syscall.Setrlimit(what, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
		panic(err)
	}
}

// leaveFiles takes all descriptors but n, and the one above them all that the
// worker keeps its own program in.
func leaveFiles(n int) {
	var taken []int
	for {
		fd, err := syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err != nil {
			break
		}
		taken = append(taken, fd)
	}
	for i, fd := range taken {
		if i < n || fd >= 64 {
			_ = syscall.Close(fd)
		}
	}
}

type planted struct {
	faults
	mu    sync.Mutex
	trace *os.File
	n     int
	dying bool
}

func (p *planted) call(op, name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dying {
		die()
	}
	if p.trace != nil {
		fmt.Fprintln(p.trace, op, name)
	}
	if !strings.HasSuffix(name, p.Of) {
		return nil
	}
	p.n++
	if p.At == 0 || p.n != p.At && !(p.On && p.n > p.At) {
		return nil
	}
	if p.Kill && !p.Tear && !p.After {
		die()
	}
	p.dying = p.Kill
	if p.After {
		return nil
	}
	if op == "open" { // what is only read knows no full disk
		return syscall.EIO
	}
	if p.Tear {
		return &safefs.Tear{Keep: p.keep, Err: p.Errno}
	}
	return p.Errno
}

// keep is how much of a torn write reaches the file.
func (p *planted) keep(b []byte) int {
	n := 0
	for range p.Lines {
		end := bytes.IndexByte(b[n:], '\n')
		if end < 0 {
			return len(b)
		}
		n += end + 1
	}
	end := bytes.IndexByte(b[n:], '\n')
	if end < 0 {
		end = len(b) - n
	}
	return n + end/2
}

func die() {
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		panic(errors.New("not even that"))
	}
	select {}
}
