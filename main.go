//go:build !desktop && !bindings

// Longwatch keeps agents working on a task for hours or days and shows what is
// verified. One binary has several faces; which one this process is, is decided
// here and nowhere else.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"longwatch/backend/agent"
	"longwatch/backend/cli"
	"longwatch/backend/guard"
	"longwatch/backend/worker"
)

func main() { os.Exit(face(os.Args[1:])) }

func face(args []string) int {
	if len(args) == 0 {
		openWindow() // does not return if it can
		return cli.Main(version, assets(), args)
	}
	switch args[0] {
	case "launch": // between the worker and an agent: nothing else may be set up
		return guard.LaunchMain(args[1:])
	case "agent":
		return agentFace(args[1:])
	case "worker":
		return worker.Main(version, args[1:], os.Stderr)
	}
	return cli.Main(version, assets(), args)
}

// agentFace is one episode of an agent of ours.
func agentFace(args []string) int {
	if len(args) != 1 || args[0] != "playbook" {
		fmt.Fprintln(os.Stderr, "usage: longwatch agent playbook")
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	return agent.PlaybookMain(ctx, os.Stdin, os.Stdout, os.Stderr)
}

// openWindow becomes the window, where that program is beside this one and
// there is a display to show it on.
func openWindow() {
	if runtime.GOOS != "darwin" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return
	}
	self, err := os.Executable()
	if err != nil {
		return
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	path := filepath.Join(filepath.Dir(self), "longwatch-window")
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return
	}
	if err := syscall.Exec(path, []string{path}, os.Environ()); err != nil {
		fmt.Fprintf(os.Stderr, "longwatch: open the window: %s\n", err)
	}
}
