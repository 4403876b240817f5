package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"longwatch/backend/operator"
	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

func (a *app) resumeCommand() *cobra.Command {
	var text string
	var rounds int
	c := &cobra.Command{
		Use:   "resume RUN",
		Short: "Let a run go on, and follow it",
		Long: `Goes on with a run whose worker was killed, that was stopped or paused, or that
ended; follows one that is at work. With -m it says what to do next; a completed
run needs that. At an open question -m and --rounds are the answer.`,
		Example: `  longwatch resume last
  longwatch resume last -m "add a chart for the last quarter"
  longwatch resume 20261130 --rounds 10`,
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.runArg,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.withRun(args[0], func(h *rundir.Home, r *rundir.Run) error { return a.resume(h, r, text, rounds) })
		},
	}
	c.Flags().StringVarP(&text, "message", "m", "", "what to do next")
	c.Flags().IntVar(&rounds, "rounds", 0, "rounds to add")
	return c
}

func (a *app) resume(h *rundir.Home, r *rundir.Run, text string, rounds int) error {
	s, err := r.Fold()
	if err != nil {
		return err
	}
	commands, err := operator.Resume(s, text, rounds)
	if errors.Is(err, operator.ErrComplete) {
		return hinted(fmt.Errorf("run %s is complete", r.ID), "say what to do next with -m")
	}
	if err == nil {
		err = a.here(h, r, s)
	}
	if err != nil {
		return err
	}
	for _, c := range commands {
		if err := a.post(r, c); err != nil {
			return err
		}
	}
	at := operator.Attendant{Home: h, Run: r}
	if s.Finished != nil {
		at.WaitUntilGone()
	}
	if err := at.Attend(s.Finished != nil); err != nil {
		return err
	}
	return a.follow(at, s.Seq)
}

// here refuses to go on with an imported run where it cannot.
func (a *app) here(h *rundir.Home, r *rundir.Run, s *run.State) error {
	err := operator.Here(h, r, s)
	if errors.Is(err, rundir.ErrForeign) {
		return hinted(err, fmt.Sprintf("it can be looked at: `longwatch show %s`, `longwatch verify %s`", r.ID, r.ID))
	}
	return err
}

// post leaves a command in the inbox.
func (a *app) post(r *rundir.Run, c rundir.Command) error {
	if c.ID == "" {
		c.ID = rundir.NewCommandID()
	}
	c.At, c.Channel = time.Now().UnixMilli(), "terminal"
	if err := r.Send(c); err != nil {
		return usage(err)
	}
	return nil
}
