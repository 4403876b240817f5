// Package cli is the command line: it starts runs, shows them, and leaves
// commands for their workers. It never runs a round itself.
//
// What it prints: results to stdout, everything else to stderr; one line an
// event; no capitals or full stops in errors; a hint on its own line. With
// --json, stdout holds JSON only. Exit codes are part of the interface and
// listed in docs/format.md.
package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"longwatch/backend/config"
	"longwatch/backend/ledger"
	"longwatch/backend/operator"
	"longwatch/backend/rundir"
)

// Exit codes.
const (
	ExitComplete   = 0   // completed, or the command did what it says
	ExitInternal   = 1   // something that should not happen
	ExitUsage      = 2   // usage or bad input
	ExitIncomplete = 3   // the run ended and is not complete
	ExitNeedsYou   = 4   // a person is needed
	ExitBroken     = 5   // the ledger is broken
	ExitAborted    = 130 // aborted
)

// failure is an error with its exit code and a hint of what to do.
type failure struct {
	code int
	err  error
	hint string
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func usage(err error) error            { return &failure{code: ExitUsage, err: err} }
func usagef(f string, a ...any) error  { return usage(fmt.Errorf(f, a...)) }
func hinted(err error, h string) error { return &failure{code: ExitUsage, err: err, hint: h} }

// Assets are the files that were built into the program.
type Assets struct {
	Page   fs.FS // of the window and the browser
	Sample fs.FS // folder of the sample task
}

// app is what the commands share.
type app struct {
	version  string
	assets   Assets
	in       io.Reader
	out, err io.Writer
	terminal bool // a person is at stdin
	json     bool
	code     int // exit code of a command that worked
}

// Main runs one command line and returns its exit code.
func Main(version string, assets Assets, args []string) int {
	a := &app{version: version, assets: assets, in: os.Stdin, out: os.Stdout, err: os.Stderr, terminal: isTerminal(os.Stdin)}
	root := a.root()
	root.SetArgs(args)
	if err := root.Execute(); err != nil {
		return a.explain(err)
	}
	return a.code
}

// explain prints one error line and, where there is one, one hint line.
func (a *app) explain(err error) int {
	code, hint := ExitInternal, ""
	var f *failure
	var broken *ledger.BrokenError
	var ended *operator.EndedError
	switch {
	case errors.As(err, &f):
		code, hint = f.code, f.hint
	case errors.As(err, &ended):
		code, hint = ended.Code, ended.Hint()
	case errors.As(err, &broken):
		code, hint = ExitBroken, "`longwatch verify RUN` says more; nothing was changed"
	case errors.Is(err, rundir.ErrNoRun), errors.Is(err, rundir.ErrWorkspace), errors.Is(err, rundir.ErrCannotStart),
		errors.Is(err, rundir.ErrBundle), errors.Is(err, rundir.ErrForeign):
		code = ExitUsage
	case isCobraUsage(err):
		code, hint = ExitUsage, "`longwatch --help` lists the commands"
	}
	if err.Error() != "" {
		fmt.Fprintf(a.err, "longwatch: %s\n", err)
	}
	if hint != "" {
		fmt.Fprintf(a.err, "  %s\n", hint)
	}
	return code
}

// isCobraUsage knows the errors cobra makes of a wrong command line; it has no
// type for them.
func isCobraUsage(err error) bool {
	for _, p := range []string{"unknown command", "unknown flag", "unknown shorthand", "accepts ", "requires ", "flag needs", "if any flags", "invalid argument"} {
		if strings.HasPrefix(err.Error(), p) {
			return true
		}
	}
	return false
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "longwatch",
		Short: "Keeps agents working on a task for hours or days, and shows what is verified",
		Long: `Longwatch works on a task file in rounds: a manager plans one step, an executor
does it, an auditor checks it in the real environment. Only audited facts count.
Everything is in an append-only ledger, so a crash or a closed window loses nothing.`,
		Example: `  longwatch init                      write a task file to start from
  longwatch check task.md             say what was understood
  longwatch run task.md               work on it, and follow
  longwatch show last                 what is verified, and why it waits
  longwatch answer last continue      answer the question it asks`,
		Version: a.version, SilenceUsage: true, SilenceErrors: true,
	}
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON")
	root.CompletionOptions.HiddenDefaultCmd = false
	root.AddCommand(
		a.runCommand(), a.resumeCommand(), a.runsCommand(), a.showCommand(), a.answerCommand(),
		a.sendCommand(), a.stopCommand(), a.abortCommand(), a.pauseCommand(), a.deleteCommand(),
		a.checkpointsCommand(), a.diffCommand(), a.restoreCommand(),
		a.purgeCommand(), a.exportCommand(), a.importCommand(),
		a.verifyCommand(), a.checkCommand(), a.doctorCommand(), a.initCommand(), a.serveCommand(),
	)
	return root
}

// home opens the state folder.
func (a *app) home() (*rundir.Home, error) {
	path, err := rundir.DefaultPath()
	if err != nil {
		return nil, err
	}
	return rundir.OpenHome(path)
}

// withRun opens the run a person named and closes it afterwards.
func (a *app) withRun(name string, do func(h *rundir.Home, r *rundir.Run) error) error {
	h, err := a.home()
	if err != nil {
		return err
	}
	defer h.Close()
	id, err := h.Resolve(name)
	if err != nil {
		return usage(err)
	}
	r, err := h.Open(id)
	if err != nil {
		return err
	}
	defer r.Close()
	return do(h, r)
}

// settings reads the settings; problems are told with their line.
func (a *app) settings(h *rundir.Home) (config.Settings, error) {
	s, err := h.Own()
	var refused *config.RefusedError
	if errors.As(err, &refused) {
		return s, usage(err)
	}
	return s, err
}

// runArg completes run ids.
func (a *app) runArg(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	h, err := a.home()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	defer h.Close()
	ids, err := h.IDs()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return append(ids, "last"), cobra.ShellCompDirectiveNoFileComp
}
