package worker

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os/signal"
	"syscall"

	"longwatch/backend/ledger"
	"longwatch/backend/rundir"
	"longwatch/backend/safefs"
)

// Main is the worker's face: `longwatch worker [--reopen] RUN`. It returns an
// exit code as documented in docs/format.md; the log goes to w.
func Main(version string, args []string, w io.Writer) int {
	fs := flag.NewFlagSet("worker", flag.ContinueOnError)
	fs.SetOutput(w)
	reopen := fs.Bool("reopen", false, "let an ended run go on")
	if err := fs.Parse(args); err != nil || fs.NArg() != 1 {
		fmt.Fprintln(w, "usage: longwatch worker [--reopen] RUN")
		return 2
	}
	letGo()
	log := slog.New(slog.NewTextHandler(w, nil)).With("run", fs.Arg(0))
	// A closed terminal must not end a run; a logout or shutdown may, and the
	// run can then be resumed.
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	err := keep(ctx, version, fs.Arg(0), *reopen, log)
	var broken *ledger.BrokenError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &broken):
		log.Error("Ledger is broken", "err", err)
		return 5
	case errors.Is(err, safefs.ErrHeld):
		log.Error("Run or workspace is taken", "err", err)
		return 2
	}
	log.Error("Worker ended", "err", err)
	return 1
}

func keep(ctx context.Context, version, id string, reopen bool, log *slog.Logger) error {
	path, err := rundir.DefaultPath()
	if err != nil {
		return err
	}
	home, err := rundir.OpenHome(path)
	if err != nil {
		return err
	}
	defer home.Close()
	return Run(ctx, Options{Home: home, Run: id, Reopen: reopen, Version: version, Log: log})
}
