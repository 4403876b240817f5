package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"longwatch/backend/rundir"
	"longwatch/backend/safefs"
)

func (a *app) exportCommand() *cobra.Command {
	var file string
	var noHead bool
	c := &cobra.Command{
		Use: "export RUN", Short: "Write a whole run into one file",
		Long: `Writes the run's records, texts, evidence and checkpoints into one file that
import reads on another machine. The remembered end of the ledger goes along, so
that a cut is found there too. The run must not be at work.`,
		Example: `  longwatch export last
  longwatch export last --bundle report-run.tar.gz`,
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.runArg,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.withRun(args[0], func(_ *rundir.Home, r *rundir.Run) error {
				if file == "" {
					file = r.ID + ".longwatch.tar.gz"
				}
				return a.export(r, file, !noHead)
			})
		},
	}
	c.Flags().StringVar(&file, "bundle", "", "file to write (default: RUN.longwatch.tar.gz here)")
	c.Flags().BoolVar(&noHead, "no-head", false, "leave the remembered end out")
	return c
}

func (a *app) export(r *rundir.Run, file string, head bool) error {
	lease, err := r.Lease()
	if errors.Is(err, safefs.ErrHeld) {
		return hinted(fmt.Errorf("run %s is at work", r.ID), fmt.Sprintf("`longwatch stop %s` first", r.ID))
	}
	if err != nil {
		return err
	}
	defer func() { _ = lease.Release() }()
	if err := create(file, func(w io.Writer) error { return r.Export(w, head) }); err != nil {
		return usage(err)
	}
	if a.json {
		return printJSON(a.out, map[string]string{"run": r.ID, "bundle": file})
	}
	fmt.Fprintln(a.out, file)
	return nil
}

// create writes a file that is not there yet, and removes it when that fails.
func create(path string, fill func(w io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already and stays as it is", path)
	}
	if err != nil {
		return err
	}
	err = fill(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

func (a *app) importCommand() *cobra.Command {
	return &cobra.Command{
		Use: "import FILE", Short: "Take in a run that export wrote",
		Long: `Reads a bundle and checks it whole before the run appears here. It can then be
shown and verified; going on with it needs its workspace at the same place.`,
		Example: "  longwatch import report-run.tar.gz",
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return a.importBundle(args[0]) },
	}
}

func (a *app) importBundle(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return usage(err)
	}
	if !info.Mode().IsRegular() {
		return usagef("%s is not a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return usage(err)
	}
	defer f.Close()
	h, err := a.home()
	if err != nil {
		return err
	}
	defer h.Close()
	r, rep, err := h.Import(f)
	if err != nil {
		return usage(err)
	}
	defer r.Close()
	if a.json {
		return printJSON(a.out, map[string]any{"run": r.ID, "records": rep.Records, "end": rep.End})
	}
	fmt.Fprintf(a.out, "%s\n", r.ID)
	fmt.Fprintf(a.err, "%d records, as they were written; end %s\n", rep.Records, endWords(rep))
	return nil
}
