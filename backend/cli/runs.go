package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"longwatch/backend/rundir"
)

func (a *app) runsCommand() *cobra.Command {
	var sizes bool
	c := &cobra.Command{
		Use: "runs", Short: "List the runs, newest first", Args: cobra.NoArgs,
		Example: `  longwatch runs
  longwatch runs --size                what each takes on disk`,
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
			if sizes {
				measure(h, list)
			}
			if a.json {
				return printJSON(a.out, list)
			}
			return a.table(list, sizes)
		},
	}
	c.Flags().BoolVar(&sizes, "size", false, "show what each takes on disk")
	return c
}

// measure fills in the sizes; a run that disappears meanwhile has none.
func measure(h *rundir.Home, list []rundir.Summary) {
	for i := range list {
		r, err := h.Open(list[i].Run)
		if err != nil {
			continue
		}
		list[i].Bytes, _ = r.Size()
		_ = r.Close()
	}
}

func (a *app) table(list []rundir.Summary, sizes bool) error {
	if len(list) == 0 {
		fmt.Fprintln(a.err, "there are no runs yet; `longwatch run TASK` starts one, `longwatch init` writes a task to start from")
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	column := func(s string) string {
		if sizes {
			return s + "\t"
		}
		return ""
	}
	fmt.Fprintln(w, "RUN\tSTATE\tROUND\tVERDICT\tCHANGED\t"+column("SIZE")+"TITLE")
	for _, s := range list {
		state := s.State
		if s.Outcome != "" {
			state = string(s.Outcome)
		}
		title := s.Title
		if s.Problem != "" {
			title = s.Problem
		}
		fmt.Fprintf(w, "%s\t%s\t%d/%d\t%s\t%s\t%s%s\n", s.Run, state, s.Round, s.Rounds, dash(s.Verdict), ago(s.ChangedAt), column(bytesWords(s.Bytes)), title)
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
