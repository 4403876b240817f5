package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"longwatch/backend/config"
	"longwatch/backend/rundir"
	"longwatch/backend/task"
)

func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use: "init [FOLDER]", Short: "Write a commented task file, and settings if there are none",
		Long:    "Writes task.md into the folder (default: this one). A file that is there is never overwritten.",
		Example: "  mkdir report && longwatch init report && longwatch run report/task.md",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			folder := "."
			if len(args) == 1 {
				folder = args[0]
			}
			return a.init(folder)
		},
	}
}

func (a *app) init(folder string) error {
	path := filepath.Join(folder, "task.md")
	if err := writeNew(path, task.Template()); err != nil {
		return usage(err)
	}
	h, err := a.home()
	if err != nil {
		return err
	}
	defer h.Close()
	settings := filepath.Join(h.Path(), rundir.SettingsName)
	switch err := h.WriteSettings([]byte(config.Template())); {
	case errors.Is(err, fs.ErrExist):
		settings += " (was there)"
	case err != nil:
		return err
	}
	if a.json {
		return printJSON(a.out, map[string]string{"task": path, "settings": settings})
	}
	fmt.Fprintf(a.out, "task      %s\nsettings  %s\n", path, settings)
	fmt.Fprintf(a.err, "`longwatch run %s` works on it\n", path)
	return nil
}

// writeNew writes a file that is not there yet.
func writeNew(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already and stays as it is", path)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
