package guard

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

const zombieState = 5 // SZOMB in sys/proc.h

// BootID names the time since this machine started; empty if unknown.
func BootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

// processes lists every process of this user, and shows each to the caller.
func processes(each func(proc)) ([]proc, error) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.uid", unix.Getuid())
	if err != nil {
		return nil, err
	}
	table := make([]proc, 0, len(list))
	for i := range list {
		p := fromKinfo(&list[i])
		each(p)
		table = append(table, p)
	}
	return table, nil
}

// lookUp reads one process.
func lookUp(pid int) (proc, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return proc{}, err
	}
	if int(k.Proc.P_pid) != pid {
		return proc{}, unix.ESRCH
	}
	return fromKinfo(k), nil
}

func fromKinfo(k *unix.KinfoProc) proc {
	t := k.Proc.P_starttime
	return proc{
		pid:    int(k.Proc.P_pid),
		ppid:   int(k.Eproc.Ppid),
		pgrp:   int(k.Eproc.Pgid),
		start:  uint64(t.Sec)*1_000_000 + uint64(t.Usec),
		zombie: k.Proc.P_stat == zombieState,
	}
}

// carries reports whether the process was started with this environment
// entry. The kernel hides the environment of Apple's own programs; those carry
// nothing.
func (p proc) carries(entry string) bool {
	b, err := unix.SysctlRaw("kern.procargs2", p.pid)
	return err == nil && environHas(afterArgs(b), entry)
}

// afterArgs skips the count, the program's path with its padding, and the
// arguments of a procargs2 block.
func afterArgs(b []byte) []byte {
	if len(b) < 4 {
		return nil
	}
	args := binary.LittleEndian.Uint32(b)
	b = b[4:]
	b = afterNUL(b)
	for len(b) > 0 && b[0] == 0 {
		b = b[1:]
	}
	for ; args > 0 && len(b) > 0; args-- {
		b = afterNUL(b)
	}
	return b
}

func afterNUL(b []byte) []byte {
	for i, c := range b {
		if c == 0 {
			return b[i+1:]
		}
	}
	return nil
}

// signal compares just before it sends: there is no handle to pin a process.
func (p proc) signal(sig unix.Signal) error { return p.signalByPID(sig) }

// inSession is unknown: the kernel gives a session's address, not its id.
func (p proc) inSession(Ident) bool { return false }
