package windowtest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// children are the processes that a process started, and theirs.
func children(pid int) []int {
	tasks, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	var out []int
	for _, t := range tasks {
		data, _ := os.ReadFile(t)
		for _, f := range strings.Fields(string(data)) {
			if child, err := strconv.Atoi(f); err == nil {
				out = append(append(out, child), children(child)...)
			}
		}
	}
	return out
}

// alive reports whether a process runs; one that only waits to be buried does
// not.
func alive(pid int) bool {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

// foreign are the pipes and sockets that two processes both hold.
func foreign(one, other int) []string {
	links := func(pid int) map[string]bool {
		out := map[string]bool{}
		names, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/fd/*")
		for _, n := range names {
			to, err := os.Readlink(n)
			if err == nil && (strings.HasPrefix(to, "pipe:") || strings.HasPrefix(to, "socket:")) {
				out[to] = true
			}
		}
		return out
	}
	theirs := links(other)
	var both []string
	for to := range links(one) {
		if theirs[to] {
			both = append(both, to)
		}
	}
	return both
}
