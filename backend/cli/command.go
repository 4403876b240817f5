package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"longwatch/backend/ledger"
	"longwatch/backend/operator"
	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

func (a *app) answerCommand() *cobra.Command {
	var text string
	var rounds int
	c := &cobra.Command{
		Use:   "answer RUN continue|end",
		Short: "Answer the question a run asks",
		Long: `Answers the open question of a run. At "accept the result?" end accepts it. The
first answer counts; a later one is told so.`,
		Example: `  longwatch answer last continue -m "use the new figures"
  longwatch answer last continue --rounds 10
  longwatch answer last end`,
		Args: cobra.ExactArgs(2),
		ValidArgsFunction: func(c *cobra.Command, args []string, to string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return []string{"continue", "end"}, cobra.ShellCompDirectiveNoFileComp
			}
			return a.runArg(c, args, to)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if args[1] != "continue" && args[1] != "end" {
				return usagef("%q is not an answer; say continue or end", args[1])
			}
			return a.withRun(args[0], func(h *rundir.Home, r *rundir.Run) error {
				s, err := r.Fold()
				if err != nil {
					return err
				}
				if s.Gate == nil {
					return hinted(fmt.Errorf("run %s asks nothing now", r.ID), fmt.Sprintf("`longwatch show %s` says what it does", r.ID))
				}
				return a.order(h, r, rundir.Command{
					Kind: rundir.CommandAnswer, Gate: s.Gate.Gate, End: args[1] == "end", Text: text, Rounds: rounds,
				})
			})
		},
	}
	c.Flags().StringVarP(&text, "message", "m", "", "what to do, or the answer in words")
	c.Flags().IntVar(&rounds, "rounds", 0, "rounds to add")
	return c
}

func (a *app) sendCommand() *cobra.Command {
	return &cobra.Command{
		Use: "send RUN TEXT", Short: "Tell a run something: it amends the task",
		Long: `Leaves a message for the run. It is in every brief until an accepted plan has
read it. Sent to a run that has ended it lets the run go on.`,
		Example: `  longwatch send last "the logo has changed: use logo-2.svg"`,
		Args:    cobra.ExactArgs(2), ValidArgsFunction: a.runArg,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.withRun(args[0], func(h *rundir.Home, r *rundir.Run) error {
				return a.order(h, r, rundir.Command{Kind: rundir.CommandSend, Text: args[1]})
			})
		},
	}
}

// simple makes a command that leaves one wish without further words.
func (a *app) simple(use, short, long, kind string) *cobra.Command {
	return &cobra.Command{
		Use: use + " RUN", Short: short, Long: long, Args: cobra.ExactArgs(1), ValidArgsFunction: a.runArg,
		Example: "  longwatch " + use + " last",
		RunE: func(_ *cobra.Command, args []string) error {
			return a.withRun(args[0], func(h *rundir.Home, r *rundir.Run) error {
				return a.order(h, r, rundir.Command{Kind: kind})
			})
		},
	}
}

func (a *app) stopCommand() *cobra.Command {
	return a.simple("stop", "Let the running phase finish, then end the run",
		"Finishes the phase that runs, writes the reply and ends the run. `resume` goes on.", rundir.CommandStop)
}

func (a *app) abortCommand() *cobra.Command {
	return a.simple("abort", "Kill what runs and end the run now",
		"Kills the agent at work and ends the run. What was recorded stays; `resume` goes on.", rundir.CommandAbort)
}

func (a *app) pauseCommand() *cobra.Command {
	return a.simple("pause", "Start nothing more until the run is resumed",
		"The phase that runs finishes; nothing more starts until `longwatch resume RUN`.", rundir.CommandPause)
}

// order leaves a command and says what became of it.
func (a *app) order(h *rundir.Home, r *rundir.Run, c rundir.Command) error {
	c.ID = rundir.NewCommandID()
	s, err := r.Fold()
	if err == nil {
		err = a.here(h, r, s)
	}
	if err != nil {
		return err
	}
	if err := a.post(r, c); err != nil {
		return err
	}
	e, err := receipt(h, r, c.ID)
	if err != nil {
		return err
	}
	if refused, ok := e.Event.(run.CommandRefused); ok {
		return usagef("refused: %s", refused.Reason)
	}
	if a.json {
		return printJSON(a.out, map[string]string{"run": r.ID, "command": c.ID, "receipt": string(e.Event.Kind())})
	}
	fmt.Fprintf(a.err, "%s; `longwatch resume %s` follows the run\n", done(c.Kind), r.ID)
	return nil
}

func done(kind string) string {
	return map[string]string{
		rundir.CommandAnswer: "answered", rundir.CommandSend: "the message is recorded",
		rundir.CommandStop: "it stops after the running phase", rundir.CommandAbort: "aborted",
		rundir.CommandPause: "it pauses after the running phase",
	}[kind]
}

// receipt waits for the record that carries a command's id.
func receipt(h *rundir.Home, r *rundir.Run, id string) (run.Entry, error) {
	led, err := r.Follow()
	if err != nil {
		return run.Entry{}, err
	}
	defer led.Close()
	at := operator.Attendant{Home: h, Run: r}
	e, err := at.Await(context.Background(), id, following{led})
	if errors.Is(err, operator.ErrNotTaken) {
		return e, &failure{code: ExitInternal, err: err, hint: "the command stays in the inbox and is taken when one does"}
	}
	return e, err
}

// following looks for receipts in what a follower has not told yet.
type following struct{ led *ledger.Follower }

// Wait implements operator.Receipts.
func (f following) Wait(ctx context.Context) { _ = f.led.Wait(ctx) }

// Find implements operator.Receipts.
func (f following) Find(id string) (run.Entry, bool, error) {
	for {
		recs, err := f.led.Next()
		if err != nil || len(recs) == 0 {
			return run.Entry{}, false, err
		}
		for _, rec := range recs {
			e, err := rundir.Entry(rec)
			if err != nil {
				return run.Entry{}, false, err
			}
			if run.CommandOf(e.Event) == id {
				return e, true, nil
			}
		}
	}
}
