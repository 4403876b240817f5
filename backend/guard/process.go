package guard

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// After its own deadline, grace and sweep the launcher gets this long
	// before it counts as stuck: the program may have stopped it.
	launcherSlack = 5 * time.Second
	drainTimeout  = 2 * time.Second
)

// Process is an episode's tree, seen from the worker.
type Process struct {
	command  Command
	launcher *os.Process
	pipes    pipes
	ident    Ident
	orders   chan byte     // from Kill, capacity 1
	done     chan struct{} // closed when exit is set
	exit     Exit

	mu       sync.Mutex
	released time.Time // zero before Release
	closed   bool      // Release is refused
}

// Ident names the launcher process, to be recorded before Release so that
// Reap can end the tree after a crash of this process.
func (p *Process) Ident() Ident { return p.ident }

// Release lets the program start. It may be called once, and returns an error
// if the tree has already ended or was killed.
func (p *Process) Release() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errors.New("release: the tree has ended")
	}
	if !p.released.IsZero() {
		return errors.New("release: released before")
	}
	p.released = time.Now()
	_ = p.pipes.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	if _, err := p.pipes.control.Write([]byte{orderRelease}); err != nil {
		p.closed = true
		return errors.New("release: the launcher is gone")
	}
	return nil
}

// Kill ends the tree: SIGTERM, then SIGKILL after the grace. It does not wait.
func (p *Process) Kill() {
	select {
	case p.orders <- orderTerminate:
	default: // asked before
	}
}

// Wait returns when the tree is dead and its output read. It may be called
// any number of times. It returns even if the launcher was killed or stopped,
// at the latest some 20 seconds after deadline and grace, or after Kill.
func (p *Process) Wait() Exit {
	<-p.done
	return p.exit
}

// supervise owns every goroutine and descriptor of the process.
func (p *Process) supervise(ctx context.Context) {
	defer close(p.done)
	var report bytes.Buffer
	stdout := &capture{limit: p.command.StdoutCap}
	stderr := &capture{limit: p.command.StderrCap}
	flood := newFlood(p.command.FloodCap)
	var wg sync.WaitGroup
	wg.Go(func() { flood.drain(p.pipes.stdout, stdout) })
	wg.Go(func() { flood.drain(p.pipes.stderr, stderr) })
	wg.Go(func() {
		_, _ = io.Copy(&report, io.LimitReader(p.pipes.report, maxReport))
		_, _ = io.Copy(io.Discard, p.pipes.report)
	})
	wg.Go(func() {
		_, _ = p.pipes.stdin.Write(p.command.Stdin)
		_ = p.pipes.stdin.Close()
	})
	gone := make(chan *os.ProcessState, 1)
	go func() {
		st, _ := p.launcher.Wait()
		gone <- st
	}()
	st := p.watch(ctx, flood.over, gone)
	released := p.refuseRelease()
	p.afterLauncher(st, released)
	p.finishReading(&wg)
	p.readReport(st, report.Bytes(), released)
	p.exit.Stdout, p.exit.StdoutCut = stdout.result()
	p.exit.Stderr, p.exit.StderrCut = stderr.result()
	if !released.IsZero() {
		p.exit.Wall = time.Since(released)
	}
}

// watch passes orders on until the launcher has ended. It gives nil if not
// even SIGKILL ended it: then the goroutine that waits for it is left behind,
// as nothing else can be done about a process stuck in the kernel.
func (p *Process) watch(ctx context.Context, over <-chan struct{}, gone <-chan *os.ProcessState) *os.ProcessState {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var stuck, hopeless time.Time
	canceled := ctx.Done()
	limit := p.command.Grace + sweepBudget + launcherSlack
	for {
		select {
		case st := <-gone:
			return st
		case <-canceled:
			canceled = nil
			p.Kill()
		case <-p.orders:
			p.exit.Canceled = true
			p.order(orderTerminate)
			stuck = earlier(stuck, time.Now().Add(limit))
		case <-over:
			p.exit.Flooded = true
			p.order(orderKill)
			stuck = earlier(stuck, time.Now().Add(sweepBudget+launcherSlack))
		case now := <-tick.C:
			// The program may have stopped its launcher: it has our user id.
			_ = p.launcher.Signal(unix.SIGCONT)
			if due := p.deadline(); !due.IsZero() {
				stuck = earlier(stuck, due.Add(limit))
			}
			switch {
			case !hopeless.IsZero() && now.After(hopeless):
				return nil
			case hopeless.IsZero() && !stuck.IsZero() && now.After(stuck):
				p.exit.TimedOut = p.exit.TimedOut || !p.exit.Canceled && !p.exit.Flooded
				_ = p.launcher.Kill()
				hopeless = now.Add(sweepBudget)
			}
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// order sends one byte, or closes the pipe if the program was never released:
// a launcher that has nothing to run just leaves.
func (p *Process) order(o byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.released.IsZero() {
		p.closed = true
		_ = p.pipes.control.Close()
		return
	}
	_ = p.pipes.control.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = p.pipes.control.Write([]byte{o})
}

// deadline is when the launcher must have acted, zero if it need not.
func (p *Process) deadline() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.released.IsZero() || p.command.Deadline == 0 {
		return time.Time{}
	}
	return p.released.Add(p.command.Deadline)
}

// refuseRelease closes the control pipe for good and gives the time of the
// release, zero if there was none.
func (p *Process) refuseRelease() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	_ = p.pipes.control.Close()
	return p.released
}

// afterLauncher ends what a launcher that did not end by itself left behind.
func (p *Process) afterLauncher(st *os.ProcessState, released time.Time) {
	switch {
	case st == nil:
		p.exit.LauncherLost, p.exit.Survivors = true, 1
	case !st.Success():
		p.exit.LauncherLost = true
		if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			p.exit.Signal = unix.SignalName(ws.Signal())
		}
	default:
		return
	}
	if !released.IsZero() {
		killed, left := sweepLost(p.ident)
		p.exit.Stragglers += killed
		p.exit.Survivors += left
	}
}

// finishReading waits for the ends of the streams. Nothing of the tree holds
// them any more; a survivor might, and must not hold us.
func (p *Process) finishReading(wg *sync.WaitGroup) {
	_ = p.pipes.stdin.Close()
	end := time.Now().Add(drainTimeout)
	for _, f := range []*os.File{p.pipes.stdout, p.pipes.stderr, p.pipes.report} {
		_ = f.SetReadDeadline(end)
	}
	wg.Wait()
	p.pipes.close()
}

// readReport takes over what the launcher said about the program.
func (p *Process) readReport(st *os.ProcessState, b []byte, released time.Time) {
	p.exit.Code = -1
	if len(b) == 0 && (released.IsZero() || p.exit.LauncherLost) {
		return // it had nothing to say
	}
	r, err := parseReport(b)
	if err != nil {
		p.exit.StartErr = err.Error()
		return
	}
	if st == nil {
		return
	}
	p.exit.Code, p.exit.StartErr = r.Code, r.StartErr
	if !p.exit.LauncherLost {
		p.exit.Signal = r.Signal
	}
	p.exit.TimedOut = p.exit.TimedOut || r.TimedOut
	p.exit.Stragglers += r.Stragglers
	p.exit.Survivors += r.Survivors
	p.exit.RanFor = r.RanFor
}
