package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"longwatch/backend/ledger"
	"longwatch/backend/rundir"
	"longwatch/backend/safefs"
)

func (a *app) exportCommand() *cobra.Command {
	var file string
	var noHead bool
	c := &cobra.Command{
		Use:   "export RUN",
		Short: "Write a whole run into one file, for another machine",
		Long: `Writes the run's task, records, texts and evidence into one file, and with them
the remembered end, so that ` + "`verify`" + ` says as much on the other machine as here.
The workspace is not in it. A run that is at work is refused: stop it first.

Whoever can change the file can change all of it. Tell the sha256 that is printed
by another way, and give it to ` + "`import --sha256`" + `.`,
		Example: `  longwatch export last
  longwatch export last --bundle /media/stick/report.tar.gz
  longwatch export last --no-head     its end is then unattested there`,
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.runArg,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.withRun(args[0], func(_ *rundir.Home, r *rundir.Run) error { return a.export(r, file, noHead) })
		},
	}
	c.Flags().StringVar(&file, "bundle", "", "the file to write (default: RUN.longwatch.tar.gz here)")
	c.Flags().BoolVar(&noHead, "no-head", false, "leave out the remembered end")
	return c
}

// exported is `export --json`.
type exported struct {
	rundir.Exported
	Bundle string `json:"bundle"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"` // of the bundle
}

func (a *app) export(r *rundir.Run, file string, noHead bool) error {
	if file == "" {
		file = r.ID + ".longwatch.tar.gz"
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	out := exported{Bundle: path}
	sum := sha256.New()
	err = writeWhole(path, func(w io.Writer) error {
		out.Exported, err = r.Export(io.MultiWriter(w, sum), rundir.ExportOptions{NoHead: noHead, Version: a.version, Now: time.Now()})
		return err
	})
	if errors.Is(err, safefs.ErrHeld) || errors.Is(err, fs.ErrExist) {
		return usage(err)
	}
	if err != nil {
		return err
	}
	out.SHA256 = hex.EncodeToString(sum.Sum(nil))
	if st, err := os.Stat(path); err == nil {
		out.Size = st.Size()
	}
	if a.json {
		return printJSON(a.out, out)
	}
	fmt.Fprintf(a.out, "%s  %s\n", out.SHA256, path)
	fmt.Fprintf(a.err, "run %s: %d records, %d files, %s; the end is %s\n", r.ID, out.Records, out.Files, bytesWords(out.Size), out.End)
	return nil
}

// writeWhole writes a file that is there whole or not at all, and replaces none.
func writeWhole(path string, write func(io.Writer) error) (err error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fmt.Errorf("%s: %w", path, fs.ErrExist))
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	// A link, other than a rename, fails where there is something now. File
	// systems of sticks have no links, so there the look above must do.
	if err := os.Link(f.Name(), path); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Rename(f.Name(), path)
}

func (a *app) importCommand() *cobra.Command {
	var digest string
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Take in a run that `export` wrote on another machine",
		Long: `Checks everything in the file and only then makes it a run here: it can be shown
and verified. To go on with it, its workspace must be here under the same path,
and your settings must name the same programs for its agents. The run is then in
two places: go on in one of them only.`,
		Example: `  longwatch import 20261130-203100-7f3a.longwatch.tar.gz
  longwatch import run.tar.gz --sha256 9f86d0…`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.importRun(args[0], digest) },
	}
	c.Flags().StringVar(&digest, "sha256", "", "what `export` printed; anything else is refused")
	return c
}

func (a *app) importRun(path, digest string) error {
	h, err := a.home()
	if err != nil {
		return err
	}
	defer h.Close()
	s, err := a.settings(h)
	if err != nil {
		return err
	}
	// Opening a FIFO would wait for a writer that may never come.
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return usage(errors.Join(err, fmt.Errorf("%s: %w", path, rundir.ErrBundle)))
	}
	f, err := os.Open(path)
	if err != nil {
		return usage(err)
	}
	defer f.Close()
	out, err := h.Import(f, rundir.ImportOptions{Limit: int64(s.Storage.TotalGiB) << 30, Digest: digest, Now: time.Now()})
	if errors.Is(err, rundir.ErrBundle) || errors.Is(err, safefs.ErrHeld) || errors.Is(err, fs.ErrExist) {
		return hinted(fmt.Errorf("%s: %w", path, err), "nothing was imported")
	}
	if err != nil {
		return err
	}
	if a.json {
		return printJSON(a.out, out)
	}
	fmt.Fprintf(a.out, "%s\n", out.Run)
	fmt.Fprintf(a.err, "imported: %d records, %s; `longwatch show %s` shows it\n", out.Records, importedEnd(out), out.Run)
	return nil
}

func importedEnd(out rundir.Imported) string {
	switch {
	case !out.Head:
		return "chain intact, end unattested"
	case out.End == ledger.EndAttested:
		return "end attested"
	}
	return "end " + out.End
}
