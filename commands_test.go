package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience bounds every wait of a script.
const patience = 30 * time.Second

// commands are what scripts can say beside testscript's own words.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"exits":       exits,
		"wait-for":    waitFor,
		"kill-worker": killWorker,
		"alive":       alive,
		"lines":       lines,
		"bytes":       writeBytes,
		"mkfifo":      mkfifo,
		"capture":     capture,
		"smalldisk":   smallDisk,
		"loopdisk":    loopDisk,
		"jsonlines":   jsonLines,
		"ledger":      tamper,
	}
}

// exits runs a program that must end with exactly one exit code:
//
//	exits 2 longwatch check missing.md
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want := number(ts, neg, args, 2)
	err := ts.Exec(args[1], args[2:]...)
	if got, ok := codeOf(err); !ok || got != want {
		ts.Fatalf("exit %d, want %d (%v)", got, want, err)
	}
	if strings.Contains(ts.ReadFile("stderr"), "DATA RACE") {
		ts.Fatalf("the race detector found something")
	}
}

func codeOf(err error) (int, bool) {
	var x *exec.ExitError
	switch {
	case err == nil:
		return 0, true
	case errors.As(err, &x):
		return x.ExitCode(), true
	}
	return -1, false
}

func number(ts *testscript.TestScript, neg bool, args []string, least int) int {
	if neg || len(args) < least {
		ts.Fatalf("wrong use of a script command: %q", args)
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	return n
}

// waitFor runs a program until what it prints matches, whatever its exit code:
//
//	wait-for 'needs you' longwatch runs
func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: wait-for regexp program [arguments]")
	}
	re := regexp.MustCompile("(?m)" + args[0])
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		out := quietly(ts, args[1:])
		matched := re.Match(out)
		if !matched && time.Now().Before(end) {
			continue
		}
		_, _ = ts.Stdout().Write(out)
		if !matched {
			ts.Fatalf("nothing matched %s within %s", args[0], patience)
		}
		return
	}
}

// quietly runs a program without a line in the script's log.
func quietly(ts *testscript.TestScript, args []string) []byte {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "LONGWATCH_HOME"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	out, _ := cmd.CombinedOutput()
	return out
}

// killWorker kills the only worker of the script's state folder as soon as
// there is one, as a power cut would, and waits until its leases are free.
func killWorker(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: kill-worker")
	}
	home := ts.Getenv("LONGWATCH_HOME")
	var found []process
	until(ts, "a worker", func() bool { found = workersOf(home); return len(found) > 0 })
	if len(found) != 1 {
		ts.Fatalf("%d workers, want one: %v", len(found), found)
	}
	ts.Check(syscall.Kill(found[0].pid, syscall.SIGKILL))
	until(ts, "the end of the worker", func() bool { return len(workersOf(home)) == 0 })
}

func until(ts *testscript.TestScript, what string, done func() bool) {
	for end := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("waited too long for %s", what)
		}
	}
}

// alive is about the process whose number stands in a file. `! alive` waits
// for its end.
func alive(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] alive file")
	}
	pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(args[0])))
	ts.Check(err)
	there := func() bool { return syscall.Kill(pid, 0) == nil }
	if neg {
		until(ts, fmt.Sprintf("the end of process %d", pid), func() bool { return !there() })
	} else if !there() {
		ts.Fatalf("process %d is not there", pid)
	}
}

// lines counts the lines of a file: how often a step had its side effect.
func lines(ts *testscript.TestScript, neg bool, args []string) {
	want := number(ts, neg, args, 2)
	if got := strings.Count(ts.ReadFile(args[1]), "\n"); got != want {
		ts.Fatalf("%s has %d lines, want %d", args[1], got, want)
	}
}

// writeBytes writes quoted text, repeated, as a file:
//
//	bytes task.md '\xff\xfet\x00'
//	bytes task.md 'line\n' 40000
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: bytes file text [times]")
	}
	text, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	times := 1
	if len(args) > 2 {
		times, err = strconv.Atoi(args[2])
		ts.Check(err)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat(text, times)), 0o644))
}

func mkfifo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: mkfifo file")
	}
	ts.Check(syscall.Mkfifo(ts.MkAbs(args[0]), 0o600))
}

// smallDisk makes a folder a disk of its own of so many KiB, until the script
// ends.
func smallDisk(ts *testscript.TestScript, neg bool, args []string) {
	kib := number(ts, neg, args, 2)
	dir := ts.MkAbs(args[1])
	ts.Check(mountSmall(dir, kib))
	ts.Defer(func() { _ = unmount(dir) })
}

// loopDisk makes a folder a disk of its own of so many MiB, with a file system
// that keeps books, in an image file; until the script ends.
func loopDisk(ts *testscript.TestScript, neg bool, args []string) {
	mib := number(ts, neg, args, 3)
	image, dir := ts.MkAbs(args[1]), ts.MkAbs(args[2])
	ts.Check(os.WriteFile(image, nil, 0o600))
	ts.Check(os.Truncate(image, int64(mib)<<20))
	ts.Check(os.MkdirAll(dir, 0o700))
	ts.Check(ts.Exec("mkfs.ext4", "-q", "-F", image))
	ts.Check(ts.Exec("mount", "-o", "loop", image, dir))
	ts.Defer(func() { _ = unmount(dir) })
}

// capture keeps what the last program printed in a variable.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: capture name")
	}
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}

// jsonLines holds that every line of the last output is a JSON object.
func jsonLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: jsonlines")
	}
	n := 0
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			ts.Fatalf("line %q: %v", line, err)
		}
		n++
	}
	if n == 0 {
		ts.Fatalf("nothing was printed")
	}
}

// tamper does to the ledger of the only run what somebody could do to it. The
// untouched one is kept aside for `ledger restore`.
func tamper(ts *testscript.TestScript, neg bool, args []string) {
	found, err := filepath.Glob(filepath.Join(ts.Getenv("LONGWATCH_HOME"), "runs", "*", "ledger.jsonl"))
	if neg || err != nil || len(found) != 1 || len(args) != 1 {
		ts.Fatalf("usage: ledger flip|cut|torn|hardlink|symlink|fifo|restore (there are %d ledgers)", len(found))
	}
	path, aside := found[0], ts.MkAbs("ledger.aside")
	if args[0] == "restore" {
		_ = os.Remove(ts.MkAbs("ledger.link"))
		ts.Check(os.Rename(aside, path))
		return
	}
	data, err := os.ReadFile(path)
	ts.Check(err)
	ts.Check(os.Rename(path, aside))
	switch args[0] {
	case "flip":
		ts.Check(os.WriteFile(path, edited(data), 0o600))
	case "cut":
		cut := strings.LastIndexByte(strings.TrimRight(string(data), "\n"), '\n') + 1
		ts.Check(os.WriteFile(path, data[:cut], 0o600))
	case "torn":
		ts.Check(os.WriteFile(path, append(data, `{"v":1,"seq":`...), 0o600))
	case "hardlink":
		ts.Check(os.WriteFile(path, data, 0o600))
		ts.Check(os.Link(path, ts.MkAbs("ledger.link")))
	case "symlink":
		ts.Check(os.Symlink(aside, path))
	case "fifo":
		ts.Check(syscall.Mkfifo(path, 0o600))
	default:
		ts.Fatalf("nothing can be done %q", args[0])
	}
}

// edited changes one letter of a task's name in the first record, which keeps
// the line JSON.
func edited(data []byte) []byte {
	return []byte(strings.Replace(string(data), `"title":"`, `"title":"X`, 1))
}
