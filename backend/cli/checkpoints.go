package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"longwatch/backend/guard"
	"longwatch/backend/guard/checkpoint"
	"longwatch/backend/run"
	"longwatch/backend/rundir"
	"longwatch/backend/safefs"
	"longwatch/backend/worker"
)

func (a *app) checkpointsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "checkpoints RUN", Short: "List the kept states of the workspace",
		Long: `Lists the states of the workspace that were kept: before each executor and at each
supporting verdict. diff compares them, restore puts one back.`,
		Example: "  longwatch checkpoints last",
		Args:    cobra.ExactArgs(1), ValidArgsFunction: a.runArg,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.withRun(args[0], func(_ *rundir.Home, r *rundir.Run) error { return a.checkpoints(r) })
		},
	}
}

func (a *app) checkpoints(r *rundir.Run) error {
	s, err := r.Fold()
	if err != nil {
		return err
	}
	if a.json {
		list := s.Checkpoints
		if list == nil {
			list = []run.Kept{}
		}
		return printJSON(a.out, list)
	}
	if len(s.Checkpoints) == 0 {
		fmt.Fprintln(a.err, "there are no checkpoints yet; the first is made before the first executor")
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "CHECKPOINT\tROUND\tSTATE\tADDED\tKEPT")
	for i, k := range s.Checkpoints {
		if i+1 < len(s.Checkpoints) && s.Checkpoints[i+1].ID == k.ID {
			continue // the same state, recorded again when a verdict supported it
		}
		state := k.Label
		if k.Supported {
			state = "verified"
		}
		if k.Left > 0 {
			state += fmt.Sprintf(", %d entries not stored", k.Left)
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", k.ID, k.Round, state, kib(k.Bytes), ago(k.At))
	}
	return w.Flush()
}

func kib(n int64) string {
	if n < 10<<20 {
		return fmt.Sprintf("%d KiB", (n+1023)>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

// named finds the checkpoint a person means: an id or the beginning of one, or
// a round, at whose end it was the newest.
func named(s *run.State, name string) (run.Kept, error) {
	round, err := strconv.Atoi(strings.TrimPrefix(name, "round_"))
	isRound := err == nil && round > 0 && round <= len(s.Rounds)
	var found []run.Kept
	for i := len(s.Checkpoints) - 1; i >= 0; i-- {
		k := s.Checkpoints[i]
		switch {
		case k.ID == name, isRound && k.Round <= round:
			return k, nil
		case strings.HasPrefix(k.ID, name) && (len(found) == 0 || found[0].ID != k.ID):
			found = append(found, k)
		}
	}
	switch len(found) {
	case 0:
		return run.Kept{}, usagef("there is no checkpoint %q; `longwatch checkpoints RUN` lists them", name)
	case 1:
		return found[0], nil
	}
	return run.Kept{}, usagef("%q could be %s or %s: give more of the id", name, found[0].ID, found[1].ID)
}

func (a *app) diffCommand() *cobra.Command {
	all := false
	c := &cobra.Command{
		Use: "diff RUN A [B]", Short: "List what differs between two checkpoints, or one and the present",
		Long: "A and B are checkpoint ids or rounds. Without B the workspace as it is now is compared. Entries of\nwhich only times, links or attributes differ are left out without --all.",
		Example: `  longwatch diff last 3
  longwatch diff last 2 5`,
		Args: cobra.RangeArgs(2, 3), ValidArgsFunction: a.runArg,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.withRun(args[0], func(_ *rundir.Home, r *rundir.Run) error { return a.diff(r, args[1:], all) })
		},
	}
	c.Flags().BoolVar(&all, "all", false, "times, links and attributes too")
	return c
}

func (a *app) diff(r *rundir.Run, names []string, all bool) error {
	s, err := r.Fold()
	if err != nil {
		return err
	}
	changes, err := differences(r, s, names)
	if err != nil {
		return err
	}
	if !all {
		changes = slices.DeleteFunc(changes, aside)
	}
	if a.json {
		if changes == nil {
			changes = []guard.Change{}
		}
		return printJSON(a.out, changes)
	}
	for _, c := range changes {
		fmt.Fprintln(a.out, plainChange(c))
	}
	if len(changes) == 0 {
		fmt.Fprintln(a.err, "nothing differs")
	}
	return nil
}

func differences(r *rundir.Run, s *run.State, names []string) ([]guard.Change, error) {
	var ids []string
	for _, n := range names {
		k, err := named(s, n)
		if err != nil {
			return nil, err
		}
		ids = append(ids, k.ID)
	}
	store, err := r.Checkpoints(checkpoint.Options{})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	if len(ids) == 2 {
		return store.Diff(ids[0], ids[1])
	}
	kept, err := store.Manifest(ids[0])
	if err != nil {
		return nil, err
	}
	now, err := guard.Scan(context.Background(), s.Created.Workspace, guard.ScanOptions{Base: kept})
	if err != nil {
		return nil, usage(err)
	}
	return guard.Diff(kept, now), nil
}

// aside reports whether the content of an entry is the same.
func aside(c guard.Change) bool {
	switch c.What {
	case guard.Replaced, guard.Times, guard.Links, guard.Meta:
		return true
	}
	return false
}

func plainChange(c guard.Change) string {
	return run.Change{Path: c.Path, What: string(c.What)}.String()
}

func (a *app) restoreCommand() *cobra.Command {
	var dry, yes bool
	c := &cobra.Command{
		Use: "restore RUN CHECKPOINT", Short: "Put the workspace back to a checkpoint",
		Long: `Puts the workspace back to a kept state. The present is kept first, so a restore
can itself be undone. --dry-run says what would change and changes nothing. The
run must not be at work; it can be resumed afterwards.`,
		Example: `  longwatch restore last 3 --dry-run
  longwatch restore last 3 --yes`,
		Args: cobra.ExactArgs(2), ValidArgsFunction: a.runArg,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.withRun(args[0], func(h *rundir.Home, r *rundir.Run) error {
				s, err := r.Fold()
				if err != nil {
					return err
				}
				k, err := named(s, args[1])
				if err != nil {
					return err
				}
				if dry {
					return a.planned(r, s, k)
				}
				return a.restore(h, r, s, k, yes)
			})
		},
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "say what would change")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

// planned says what a restore would do.
func (a *app) planned(r *rundir.Run, s *run.State, k run.Kept) error {
	store, err := r.Checkpoints(checkpoint.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	p, err := store.Plan(context.Background(), s.Created.Workspace, k.ID, checkpoint.RestoreOptions{})
	if err != nil {
		return usage(err)
	}
	if a.json {
		return printJSON(a.out, p)
	}
	for _, c := range p.Changes {
		fmt.Fprintln(a.out, plainChange(c))
	}
	for _, l := range p.Left {
		fmt.Fprintf(a.out, "left as it is: %s (%s)\n", run.Change{Path: l.Path}.Quoted(), l.Why)
	}
	fmt.Fprintf(a.err, "%d entries would change, %s written; nothing was changed\n", len(p.Changes), kib(p.Write))
	return nil
}

func (a *app) restore(h *rundir.Home, r *rundir.Run, s *run.State, k run.Kept, yes bool) error {
	question := fmt.Sprintf("Put %s back to checkpoint %s of round %d? The present is kept first. [y/N] ", s.Created.Workspace, k.ID, k.Round)
	if !yes && !a.confirm(question) {
		return hinted(errors.New("nothing was changed"), "--yes restores without asking")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := worker.Run(ctx, worker.Options{
		Home: h, Run: r.ID, Restore: k.ID, Version: a.version, Log: slog.New(slog.DiscardHandler),
	})
	if errors.Is(err, safefs.ErrHeld) {
		return hinted(fmt.Errorf("run %s is at work, or its workspace is", r.ID), fmt.Sprintf("`longwatch stop %s` first; nothing was changed", r.ID))
	}
	if err != nil {
		return usage(err)
	}
	return a.restored(r)
}

// restored tells what the newest restore did, from its record.
func (a *app) restored(r *rundir.Run) error {
	done, err := lastRestored(r)
	if err != nil {
		return err
	}
	if a.json {
		return json.NewEncoder(a.out).Encode(done)
	}
	for _, c := range done.First {
		fmt.Fprintln(a.out, c)
	}
	if n := done.Count - len(done.First); n > 0 {
		fmt.Fprintf(a.out, "and %d more\n", n)
	}
	for _, l := range done.Left {
		fmt.Fprintf(a.out, "left as it is: %s\n", l)
	}
	fmt.Fprintf(a.err, "%d entries were put back; `longwatch restore %s %s` undoes it\n", done.Count, r.ID, done.Before)
	return nil
}

func lastRestored(r *rundir.Run) (run.Restored, error) {
	var last run.Restored
	led, err := r.Follow()
	if err != nil {
		return last, err
	}
	defer led.Close()
	for {
		recs, err := led.Next()
		if err != nil || len(recs) == 0 {
			return last, err
		}
		for _, rec := range recs {
			e, err := rundir.Entry(rec)
			if err != nil {
				return last, err
			}
			if ev, ok := e.Event.(run.Restored); ok {
				last = ev
			}
		}
	}
}
