package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"longwatch/backend/rundir"
)

// purged is `purge --json`.
type purged struct {
	Runs    []string `json:"runs"`
	Bytes   int64    `json:"bytes"`
	Deleted bool     `json:"deleted"`
}

func (a *app) purgeCommand() *cobra.Command {
	var days int
	var all, yes bool
	c := &cobra.Command{
		Use: "purge", Short: "Delete the records of runs that ended long ago",
		Long: `Deletes ended runs older than storage.keep_days of the settings, or --keep-days,
after saying which and how much they hold. A run that is at work, waits for you or
was interrupted is never deleted. Workspaces stay as they are.`,
		Example: `  longwatch purge --keep-days 30
  longwatch purge --all --yes`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			h, err := a.home()
			if err != nil {
				return err
			}
			defer h.Close()
			s, err := a.settings(h)
			if err != nil {
				return err
			}
			if !c.Flags().Changed("keep-days") {
				days = s.Storage.KeepDays
			}
			switch {
			case all:
				days = 0
			case days <= 0:
				return hinted(errors.New("runs are kept for ever"), "say --keep-days N or --all, or set storage.keep_days in the settings")
			}
			return a.purge(h, time.Now().AddDate(0, 0, -days), yes)
		},
	}
	c.Flags().IntVar(&days, "keep-days", 0, "keep what ended within this many days")
	c.Flags().BoolVar(&all, "all", false, "every run that has ended")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

func (a *app) purge(h *rundir.Home, before time.Time, yes bool) error {
	p, err := old(h, before)
	if err != nil {
		return err
	}
	if len(p.Runs) > 0 && (yes || a.confirm(fmt.Sprintf("Delete %d runs, %s? Workspaces stay. [y/N] ", len(p.Runs), kib(p.Bytes)))) {
		for _, id := range p.Runs {
			if err := h.Delete(id); err != nil {
				return usage(err)
			}
		}
		p.Deleted = true
	}
	if a.json {
		return printJSON(a.out, p)
	}
	for _, id := range p.Runs {
		fmt.Fprintln(a.out, id)
	}
	switch {
	case len(p.Runs) == 0:
		fmt.Fprintln(a.err, "nothing is that old")
	case !p.Deleted:
		return hinted(fmt.Errorf("nothing was deleted; %d runs hold %s", len(p.Runs), kib(p.Bytes)), "--yes deletes without asking")
	default:
		fmt.Fprintf(a.err, "deleted %d runs, %s\n", len(p.Runs), kib(p.Bytes))
	}
	return nil
}

// old lists the runs that ended before a time, and what they hold.
func old(h *rundir.Home, before time.Time) (purged, error) {
	p := purged{Runs: []string{}}
	list, err := h.List()
	if err != nil {
		return p, err
	}
	for _, s := range list {
		if s.State != "ended" || s.ChangedAt > before.UnixMilli() {
			continue
		}
		r, err := h.Open(s.Run)
		if err != nil {
			return p, err
		}
		n, err := r.Size()
		if err := errors.Join(err, r.Close()); err != nil {
			return p, err
		}
		p.Runs = append(p.Runs, s.Run)
		p.Bytes += n
	}
	return p, nil
}
