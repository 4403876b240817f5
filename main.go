// Longwatch keeps agents working on a task for hours or days and shows what is
// verified. One binary has several faces; which one this process is, is decided
// here and nowhere else.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"longwatch/backend/agent"
	"longwatch/backend/cli"
	"longwatch/backend/guard"
	"longwatch/backend/worker"
)

// version is set by the build.
var version = "dev"

func main() { os.Exit(face(os.Args[1:])) }

func face(args []string) int {
	if len(args) == 0 {
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
