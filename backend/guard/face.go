package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// LaunchMain is the launcher process, `longwatch launch`. main must call it
// before it sets anything else up, and end with its result. It takes no
// arguments: everything comes over the control pipe. It runs nothing until the
// worker says so, outlives the program until the whole tree is dead, and
// reports on its standard error.
func LaunchMain(args []string) int {
	// Privileges are given up per thread; the program is forked from this one.
	runtime.LockOSThread()
	if len(args) != 0 {
		fmt.Fprintln(os.Stderr, "launch: started by the worker only, takes no arguments")
		return 2
	}
	control := os.NewFile(fdControl, "control")
	s, err := readSpec(control)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return 0
	}
	f := &face{spec: s, exited: make(chan struct{}), empty: make(chan struct{})}
	if err != nil {
		return f.fail(err)
	}
	order := make([]byte, 1)
	if _, err := control.Read(order); err != nil || order[0] != orderRelease {
		return 0
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	if err := f.start(); err != nil {
		return f.fail(err)
	}
	f.supervise(readOrders(control), asked)
	return f.say()
}

// face is the state of the launcher process: a tiny init for one program.
type face struct {
	spec   spec
	report report
	began  time.Time
	exited chan struct{} // closed when the program has been reaped
	empty  chan struct{} // closed when no descendant is left

	mu     sync.Mutex // held to reap, and to signal the group before that
	pid    int
	reaped bool
	alone  bool // no child was left when the program was reaped
}

func (f *face) fail(err error) int {
	f.report = report{Code: -1, StartErr: err.Error()}
	return f.say()
}

func (f *face) say() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	b, err := json.Marshal(f.report)
	if err != nil {
		return 1
	}
	_, _ = os.Stderr.Write(append(b, '\n'))
	return 0
}

func readOrders(r io.Reader) <-chan byte {
	orders := make(chan byte)
	go func() {
		defer close(orders)
		b := make([]byte, 1)
		for {
			if _, err := r.Read(b); err != nil {
				return
			}
			orders <- b[0]
		}
	}()
	return orders
}

// start runs the program in a process group of its own.
func (f *face) start() error {
	if err := f.spec.Level.validate(); err != nil {
		return err
	}
	argv, env, dir := textLists(f.spec.Argv), textLists(f.spec.Env), string(f.spec.Dir)
	if fi, err := os.Stat(dir); err != nil {
		return fmt.Errorf("working folder: %w", err)
	} else if !fi.IsDir() {
		return fmt.Errorf("working folder %q: not a folder", dir)
	}
	path, err := lookPath(argv[0], env)
	if err != nil {
		return err
	}
	if err := harden(); err != nil {
		return err
	}
	if f.spec.Profile == Thinker {
		unix.Umask(0o077)
	}
	f.report.Code = -1
	f.began = time.Now()
	f.pid, err = syscall.ForkExec(path, argv, &syscall.ProcAttr{
		Dir: dir, Env: env, Files: []uintptr{fdStdin, fdStdout, fdStderr},
		Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		return fmt.Errorf("start %q: %w", path, err)
	}
	for _, fd := range []int{fdStdin, fdStdout, fdStderr} {
		_ = unix.Close(fd)
	}
	go f.reap()
	return nil
}

// supervise returns when the tree is dead, or will not die.
func (f *face) supervise(orders <-chan byte, asked <-chan os.Signal) {
	var deadline, grace <-chan time.Time
	if f.spec.Deadline > 0 {
		deadline = time.After(f.spec.Deadline)
	}
	h := newHunt(f.descendant)
	exited := f.exited
	for {
		terminate := false
		select {
		case <-f.empty:
			f.count(h)
			return
		case <-exited:
			exited, deadline = nil, nil
			terminate = f.strays(h)
		case <-deadline:
			f.report.TimedOut, terminate = true, true
		case <-asked:
			terminate = true
		case o := <-orders:
			if o != orderTerminate {
				f.finish(h)
				return
			}
			terminate = true
		case <-grace:
			f.finish(h)
			return
		}
		if terminate {
			f.signalGroup(unix.SIGTERM)
			if grace == nil {
				grace = time.After(f.spec.Grace)
			}
		}
	}
}

// strays asks what is alive after the program to end, and reports whether
// there was any.
func (f *face) strays(h *hunt) bool {
	if f.alone {
		return false
	}
	list, err := h.live()
	for _, p := range list {
		_ = p.signal(unix.SIGTERM)
		_ = p.signal(unix.SIGCONT)
	}
	return err != nil || len(list) > 0
}

// finish kills everything until the kernel says that no child is left. A look
// at the table is not enough: it can miss what is moving fast.
func (f *face) finish(h *hunt) {
	defer f.count(h)
	for end := time.Now().Add(sweepBudget); ; {
		left := h.sweep(time.Until(end))
		select {
		case <-f.empty:
			return
		case <-time.After(sweepPause):
		}
		if time.Now().After(end) {
			f.report.Survivors = max(left, 1)
			return
		}
	}
}

// count is all that was seen alive beside the program.
func (f *face) count(h *hunt) {
	for id := range h.seen {
		if id.pid != f.pid {
			f.report.Stragglers++
		}
	}
}

// signalGroup reaches the program's group while its number is certainly its
// own: until the program is reaped.
func (f *face) signalGroup(sig unix.Signal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.reaped {
		_ = unix.Kill(-f.pid, sig)
		_ = unix.Kill(-f.pid, unix.SIGCONT)
	}
}

// ended notes how the program ended; the caller holds mu.
func (f *face) ended(st unix.WaitStatus) {
	f.reaped = true
	f.report.RanFor = time.Since(f.began)
	f.report.Code = st.ExitStatus()
	if st.Signaled() {
		f.report.Code, f.report.Signal = -1, unix.SignalName(st.Signal())
	}
}
