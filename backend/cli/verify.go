package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"longwatch/backend/ledger"
	"longwatch/backend/rundir"
)

// verified is `verify --json`.
type verified struct {
	Run string `json:"run"`
	OK  bool   `json:"ok"`
	ledger.Report
	Problem string `json:"problem,omitempty"` // beyond the chain: run.json, task.md, an impossible order
}

func (a *app) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use: "verify RUN", Short: "Check that a run's records are as they were written",
		Long: `Checks every record against the one before it, the signatures of each worker, the
end against what was remembered elsewhere, and run.json and task.md against
record 1. Exit code 5 when something is broken.

All files belong to you, so this makes tampering evident; it cannot prevent it.`,
		Example: "  longwatch verify last",
		Args:    cobra.ExactArgs(1), ValidArgsFunction: a.runArg,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.withRun(args[0], func(_ *rundir.Home, r *rundir.Run) error { return a.verify(r) })
		},
	}
}

func (a *app) verify(r *rundir.Run) error {
	rep, err := r.Verify()
	if err != nil {
		return err
	}
	v := verified{Run: r.ID, Report: rep}
	if rep.Broken == nil {
		v.Problem = problem(r)
	}
	v.OK = rep.Broken == nil && v.Problem == ""
	if !v.OK {
		a.code = ExitBroken
	}
	if a.json {
		return printJSON(a.out, v)
	}
	fmt.Fprint(a.out, v.text())
	return nil
}

// problem is what is wrong although the chain holds.
func problem(r *rundir.Run) string {
	s, err := r.Fold()
	if err == nil {
		_, err = r.Spec(s.Created)
	}
	if err == nil {
		_, err = r.Task(s.Created)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func (v verified) text() string {
	p := &page{}
	switch {
	case v.Broken != nil && v.Broken.Seq == 0:
		p.line("broken: %s", v.Broken.Why)
	case v.Broken != nil:
		p.line("broken at record %d (byte %d): %s", v.Broken.Seq, v.Broken.Offset, v.Broken.Why)
		p.line("  the %d records before it are as they were written", v.Records)
	case v.Problem != "":
		p.line("broken: %s", v.Problem)
	default:
		p.line("intact: %d records", v.Records)
	}
	for _, e := range v.Epochs {
		p.line("  epoch %d   records %d to %d   %s", e.N, e.From, e.To, e.State)
	}
	if v.Broken == nil {
		p.line("  end       %s", endWords(v.Report))
	}
	return p.String()
}

func endWords(r ledger.Report) string {
	switch r.End {
	case ledger.EndAttested:
		return "attested"
	case ledger.EndTorn:
		return fmt.Sprintf("torn: an unfinished line of %d bytes, which the next worker cuts and records", r.Torn.Bytes)
	}
	if r.Attested == 0 {
		return "not attested: the chain is intact, but no head is known, so more may once have followed"
	}
	return fmt.Sprintf("not attested after record %d: more may have followed, or a crash came before the last signature", r.Attested)
}
