package main

import (
	"flag"
	"fmt"
	"strings"
	"syscall"
	"testing"
)

var everything = flag.Bool("every", false, "try every instant and every call, not a sample")

// fault is one call of a worker that goes wrong.
type fault struct {
	call string
	faults
}

func (f fault) String() string {
	how := f.Errno.Error()
	switch {
	case f.Kill:
		how = "killed"
	case f.Tear:
		how = "torn"
	case f.On:
		how += " from here on"
	}
	return fmt.Sprintf("%d %s %s", f.At, f.call, how)
}

var errnos = []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EROFS, syscall.EDQUOT, syscall.EACCES}

// wrongs lists the calls of a trace with what may happen to each: it fails
// once, or tears, or it and all after it fail, or the worker is killed.
func wrongs(trace string) (all []fault) {
	n := 0
	for line := range strings.Lines(trace) {
		n++
		op, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		call := op + " " + name[strings.LastIndexByte(name, '/')+1:]
		errno := errnos[n%len(errnos)]
		all = append(all, fault{call, faults{At: n, Errno: errno}})
		if op == "write" {
			all = append(all, fault{call, faults{At: n, Errno: errno, Tear: true}})
		}
		all = append(all, fault{call, faults{At: n, Errno: syscall.ENOSPC, On: true}}, fault{call, faults{At: n, Kill: true}})
	}
	return all
}

// TestAfterAnyFailedFileCallARunGoesOn lets each call that a worker makes to
// its run's files go wrong. The worker goes on or ends and says why; without
// the fault the run comes to what it comes to undisturbed.
func TestAfterAnyFailedFileCallARunGoesOn(t *testing.T) {
	t.Parallel()
	d := troubled(t)
	want, trace, _ := d.undisturbed(t)
	points := wrongs(trace)
	switch {
	case *everything:
	case testing.Short() || raceEnabled:
		points = every(points, 41)
	default:
		points = every(points, 11)
	}
	t.Logf("%d faults", len(points))
	each(t, points, func(t *testing.T, f fault) {
		tr := d.start(t)
		defer tr.end()
		switch code := tr.life(f.faults); code {
		case 0, killed:
		case 1:
			if why := tr.run.LastLog(); !strings.Contains(why, f.Errno.Error()) && !strings.Contains(why, syscall.EIO.Error()) || strings.Contains(why, "\n") {
				t.Errorf("it does not say why: %q", why)
			}
		default:
			t.Errorf("the worker ends with %d: %s", code, tr.run.LastLog())
		}
		tr.goesOn(want)
	})
}
