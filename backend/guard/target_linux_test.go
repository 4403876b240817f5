package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func linuxTarget(name string, args []string) int {
	switch name {
	case "watch-limit":
		return limitedWatch(args[0])
	case "stubborn":
		signal.Ignore(unix.SIGTERM, unix.SIGHUP, unix.SIGINT)
		writePID(args[0])
		time.Sleep(time.Hour)
	case "polite":
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, unix.SIGTERM)
		writePID(args[0])
		<-asked
		fmt.Print("bye")
		return 7
	case "die":
		n, err := strconv.Atoi(args[0])
		must(err)
		must(unix.Kill(os.Getpid(), unix.Signal(n)))
		time.Sleep(time.Hour)
	case "child": // leaves a child in the background, and ends
		startChild(false, "stubborn", args[0])
		waitPID(args[0])
	case "daemon": // two forks, a session and an environment of its own
		must(startChild(true, "child", args[0]).Wait())
	case "hydra": // replaces its child as soon as it dies
		signal.Ignore(unix.SIGTERM)
		writePID(args[0])
		for {
			_ = startChild(true, "stubborn", args[0]+".head").Wait()
		}
	case "kill-launcher": // with an orphan that only its session gives away
		must(startChild(false, "child", args[0]).Wait())
		must(unix.Kill(os.Getppid(), unix.SIGKILL))
		time.Sleep(time.Hour)
	case "stop-launcher":
		must(unix.Kill(os.Getppid(), unix.SIGSTOP))
	case "status":
		return status()
	case "worker":
		return worker(args[0])
	case "scan":
		return scanLimited(args[0])
	default:
		return 98
	}
	return 0
}

func startChild(session bool, name, pidFile string) *exec.Cmd {
	c := exec.Command("/proc/self/exe", "target", name, pidFile)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	c.Env = []string{"LONGWATCH_TREE="} // without the mark
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: session}
	must(c.Start())
	return c
}

func waitPID(path string) {
	for {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// status tells what the program was given beside its arguments.
func status() int {
	got := map[string]string{}
	for fd := range 256 {
		path, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
		flags, ferr := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		if err != nil || ferr != nil || flags&unix.O_CLOEXEC != 0 {
			continue
		}
		if cloexec, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); cloexec&unix.FD_CLOEXEC != 0 {
			continue // opened by our own runtime
		}
		got["fd"+strconv.Itoa(fd)] = fmt.Sprintf("%.4s nonblock=%t", path, flags&unix.O_NONBLOCK != 0)
	}
	nnp, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	must(err)
	got["no_new_privs"] = strconv.Itoa(nnp)
	got["umask"] = fmt.Sprintf("%03o", unix.Umask(0))
	_, err = os.OpenFile("/dev/tty", os.O_RDWR, 0)
	got["tty"] = fmt.Sprint(err == nil)
	sid, err := unix.Getsid(0)
	must(err)
	got["in_launcher_session"] = fmt.Sprint(sid == os.Getppid())
	got["leads_group"] = fmt.Sprint(unix.Getpgrp() == os.Getpid())
	got["dir"], err = os.Getwd()
	must(err)
	fd, err := os.Open(fmt.Sprintf("/proc/%d/fd/2", os.Getppid()))
	if got["report_pipe"] = "hidden"; err == nil && os.Getuid() != 0 {
		got["report_pipe"] = "open to the program"
		_ = fd.Close()
	}
	must(json.NewEncoder(os.Stdout).Encode(got))
	return 0
}

// worker starts a tree and records its identity, to be killed itself.
func worker(dir string) int {
	exe, err := os.Executable()
	must(err)
	p, err := (&Launcher{Self: exe}).Start(context.Background(), Command{
		Argv: []string{exe, "target", "stubborn", dir + "/pid"}, Dir: dir,
		Profile: Executor, Level: LevelDetect,
	})
	must(err)
	b, err := json.Marshal(p.Ident())
	must(err)
	must(os.WriteFile(dir+"/ident.tmp", b, 0o666))
	must(os.Rename(dir+"/ident.tmp", dir+"/ident"))
	if os.Getenv("HOLD") == "" {
		must(p.Release())
	}
	time.Sleep(time.Hour)
	return 0
}

// scanLimited prints the read errors of a scan done with few descriptors.
func scanLimited(dir string) int {
	must(unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 160, Max: 160}))
	m, err := Scan(context.Background(), dir, ScanOptions{})
	must(err)
	got := map[string]string{"": fmt.Sprint(m.Files, len(m.Entries))}
	for _, e := range m.Entries {
		if e.Err != "" {
			got[e.Path] = e.Err
		}
	}
	must(json.NewEncoder(os.Stdout).Encode(got))
	return 0
}
