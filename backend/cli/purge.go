package cli

import (
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"longwatch/backend/rundir"
)

func (a *app) deleteCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "delete RUN", Short: "Delete a run's records; the workspace stays as it is",
		Example: "  longwatch delete 20261130-203100-7f3a --yes",
		Args:    cobra.ExactArgs(1), ValidArgsFunction: a.runArg,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.withRun(args[0], func(h *rundir.Home, r *rundir.Run) error {
				if !yes && !a.confirm(fmt.Sprintf("Delete run %s and all its evidence? The workspace stays. [y/N] ", r.ID)) {
					return hinted(errors.New("nothing was deleted"), "--yes deletes without asking")
				}
				if err := h.Delete(r.ID); err != nil {
					return usage(err)
				}
				fmt.Fprintf(a.err, "deleted run %s\n", r.ID)
				return nil
			})
		},
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

type purgeFlags struct {
	keepDays int
	all, yes bool
}

func (a *app) purgeCommand() *cobra.Command {
	var f purgeFlags
	c := &cobra.Command{
		Use:   "purge [RUN...]",
		Short: "Delete the records of runs that ended long ago",
		Long: `Deletes runs that ended more than storage.keep_days ago, after it has said which
and how much that frees. A run that is at work is never deleted, and one that
waits for you or was interrupted only when you name it. Workspaces stay.`,
		Example: `  longwatch purge                     what is older than the settings say
  longwatch purge --keep-days 30      what ended more than 30 days ago
  longwatch purge --all --yes         everything that has ended, without asking
  longwatch purge --all --json        say what it would be, as JSON`,
		ValidArgsFunction: func(c *cobra.Command, _ []string, to string) ([]string, cobra.ShellCompDirective) {
			return a.runArg(c, nil, to)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if !c.Flags().Changed("keep-days") {
				f.keepDays = -1
			} else if f.keepDays < 0 {
				return usagef("--keep-days cannot be %d", f.keepDays)
			}
			return a.purge(args, f)
		},
	}
	c.Flags().IntVar(&f.keepDays, "keep-days", 0, "keep what ended in the last days (default: storage.keep_days)")
	c.Flags().BoolVar(&f.all, "all", false, "everything that has ended, however recently")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	c.MarkFlagsMutuallyExclusive("keep-days", "all")
	return c
}

// purged is `purge --json`.
type purged struct {
	Runs    []rundir.Purgeable `json:"runs"`
	Bytes   int64              `json:"bytes"`
	Deleted bool               `json:"deleted"`
}

func (a *app) purge(names []string, f purgeFlags) error {
	h, err := a.home()
	if err != nil {
		return err
	}
	defer h.Close()
	wish, err := a.purgeWish(h, names, f)
	if err != nil {
		return err
	}
	plan, err := h.PurgePlan(wish)
	if err != nil {
		return usage(err)
	}
	out := purged{Runs: plan}
	for _, p := range plan {
		out.Bytes += p.Bytes
	}
	if !a.json {
		if len(plan) == 0 {
			fmt.Fprintln(a.err, "there is nothing to purge; `longwatch runs --size` shows what there is")
			return h.Leftovers()
		}
		if err := a.purgePlan(out); err != nil {
			return err
		}
	}
	sure := f.yes || !a.json && a.confirm(fmt.Sprintf("Delete these %d and all their evidence? The workspaces stay. [y/N] ", len(plan)))
	switch {
	case sure:
		err = a.purgeAll(h, plan)
		out.Deleted = err == nil
	case !a.json:
		return hinted(errors.New("nothing was deleted"), "--yes deletes without asking")
	}
	if a.json {
		return errors.Join(err, printJSON(a.out, out))
	}
	return err
}

func (a *app) purgeWish(h *rundir.Home, names []string, f purgeFlags) (rundir.PurgeWish, error) {
	var w rundir.PurgeWish
	seen := map[string]bool{}
	for _, n := range names {
		id, err := h.Resolve(n)
		if err != nil {
			return w, usage(err)
		}
		if !seen[id] {
			w.Runs = append(w.Runs, id)
		}
		seen[id] = true
	}
	now := time.Now()
	switch {
	case len(names) > 0 && (f.all || f.keepDays >= 0):
		return w, usagef("name runs, or say which by --keep-days or --all, not both")
	case len(names) > 0:
		return w, nil
	case f.all:
		w.Before = rundir.DaysAgo(now, -1)
		return w, nil
	}
	s, err := a.settings(h)
	if err != nil {
		return w, err
	}
	days := f.keepDays
	if days < 0 {
		if days = s.Storage.KeepDays; days == 0 {
			return w, hinted(errors.New("storage.keep_days is 0: runs are kept for ever"), "--keep-days N or --all says what to delete now")
		}
	}
	w.Before = rundir.DaysAgo(now, days)
	return w, nil
}

func (a *app) purgePlan(out purged) error {
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "RUN\tSTATE\tCHANGED\tSIZE\tTITLE")
	for _, p := range out.Runs {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", p.Run, p.State, ago(p.ChangedAt), bytesWords(p.Bytes), p.Title)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%d to delete, %s to free\n", len(out.Runs), bytesWords(out.Bytes))
	return nil
}

// purgeAll goes on after a run that cannot be deleted.
func (a *app) purgeAll(h *rundir.Home, plan []rundir.Purgeable) error {
	var errs []error
	var freed int64
	for _, p := range plan {
		if err := h.Purge(p); err != nil {
			errs = append(errs, err)
			continue
		}
		freed += p.Bytes
	}
	errs = append(errs, h.Leftovers())
	if !a.json {
		fmt.Fprintf(a.err, "freed %s\n", bytesWords(freed))
	}
	if err := errors.Join(errs...); err != nil {
		return usage(err)
	}
	return nil
}

// bytesWords is a size for people.
func bytesWords(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, u := float64(n), 0
	for v >= 1024 && u < len(units)-1 {
		v, u = v/1024, u+1
	}
	if u == 0 || v >= 10 {
		return fmt.Sprintf("%.0f %s", v, units[u])
	}
	return fmt.Sprintf("%.1f %s", v, units[u])
}
