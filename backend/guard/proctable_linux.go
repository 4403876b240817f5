package guard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// BootID names the time since this machine started; empty if unknown.
func BootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// processes lists every process that can be seen, and shows each the moment
// it is read, the youngest first.
func processes(each func(proc)) ([]proc, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	pids := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	table := make([]proc, 0, len(pids))
	buf := make([]byte, 4096)
	for _, pid := range slices.Backward(pids) {
		if p, err := readStat(pid, buf); err == nil {
			each(p)
			table = append(table, p)
		}
	}
	return table, nil
}

// lookUp reads one process.
func lookUp(pid int) (proc, error) { return readStat(pid, make([]byte, 4096)) }

func readStat(pid int, buf []byte) (proc, error) {
	fd, err := retryInt(func() (int, error) {
		return unix.Open("/proc/"+strconv.Itoa(pid)+"/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return proc{}, err
	}
	n, err := retryInt(func() (int, error) { return unix.Read(fd, buf) })
	_ = unix.Close(fd)
	if err != nil {
		return proc{}, err
	}
	return parseStat(buf[:n])
}

// parseStat reads "pid (name) state ppid pgrp session …"; the name may hold
// anything, parentheses and spaces included.
func parseStat(b []byte) (proc, error) {
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 1 || end < open {
		return proc{}, errors.New("process status: no name in it")
	}
	f := strings.Fields(string(b[end+1:]))
	if len(f) < 20 {
		return proc{}, errors.New("process status: too short")
	}
	p := proc{}
	threads := 0
	for _, v := range []struct {
		text string
		to   *int
	}{{strings.TrimSpace(string(b[:open])), &p.pid}, {f[1], &p.ppid}, {f[2], &p.pgrp}, {f[3], &p.session}, {f[17], &threads}} {
		n, err := strconv.Atoi(v.text)
		if err != nil {
			return proc{}, fmt.Errorf("process status: %w", err)
		}
		*v.to = n
	}
	// The first thread may be dead while others run on.
	p.zombie = (f[0] == "Z" || f[0] == "X") && threads <= 1
	start, err := strconv.ParseUint(f[19], 10, 64)
	if err != nil {
		return proc{}, fmt.Errorf("process status: %w", err)
	}
	p.start = start
	return p, nil
}

// carries reports whether the process was started with this environment
// entry. What cannot be read carries nothing.
func (p proc) carries(entry string) bool {
	f, err := os.Open("/proc/" + strconv.Itoa(p.pid) + "/environ")
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, maxSpec))
	return err == nil && environHas(b, entry)
}

// signal reaches exactly the process that was listed: the descriptor pins the
// process, and only then is it compared.
func (p proc) signal(sig unix.Signal) error {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		return p.signalByPID(sig)
	}
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	if now, err := lookUp(p.pid); err != nil || now.start != p.start {
		return unix.ESRCH
	}
	return unix.PidfdSendSignal(fd, sig, nil, 0)
}

// inSession reports whether p is of the session the launcher made. The number
// cannot be given away again while the session has members.
func (p proc) inSession(id Ident) bool { return p.session == id.PID && p.start >= id.StartTicks }
