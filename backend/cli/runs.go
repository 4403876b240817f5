package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"longwatch/backend/rundir"
)

func (a *app) runsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "runs", Short: "List the runs, newest first", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			h, err := a.home()
			if err != nil {
				return err
			}
			defer h.Close()
			list, err := h.List()
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(a.out, list)
			}
			return a.table(list)
		},
	}
}

func (a *app) table(list []rundir.Summary) error {
	if len(list) == 0 {
		fmt.Fprintln(a.err, "there are no runs yet; `longwatch run TASK` starts one, `longwatch init` writes a task to start from")
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "RUN\tSTATE\tROUND\tVERDICT\tCHANGED\tTITLE")
	for _, s := range list {
		state := s.State
		if s.Outcome != "" {
			state = string(s.Outcome)
		}
		title := s.Title
		if s.Problem != "" {
			title = s.Problem
		}
		fmt.Fprintf(w, "%s\t%s\t%d/%d\t%s\t%s\t%s\n", s.Run, state, s.Round, s.Rounds, dash(s.Verdict), ago(s.ChangedAt), title)
	}
	return w.Flush()
}

func dash(s string) string {
	if s == "" {
		return "—"
	}
	return s
}

func ago(at int64) string {
	if at == 0 {
		return "—"
	}
	d := time.Since(time.UnixMilli(at))
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

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

// confirm asks at the terminal; without one the answer is no.
func (a *app) confirm(question string) bool {
	if !a.terminal {
		return false
	}
	fmt.Fprint(a.err, question)
	var answer string
	_, _ = fmt.Fscanln(a.in, &answer)
	return answer == "y" || answer == "Y" || answer == "yes"
}
