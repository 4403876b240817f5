package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"

	"longwatch/backend/config"
	"longwatch/backend/safefs"
)

// Home is the state folder: all runs, their heads, the locks and the settings.
type Home struct {
	root, runs, heads, locks *safefs.Dir
}

// DefaultPath is where the state folder is: LONGWATCH_HOME, or the platform's
// own place for a program's state.
func DefaultPath() (string, error) {
	if p := os.Getenv("LONGWATCH_HOME"); p != "" {
		return filepath.Abs(p)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("there is no home folder to keep runs in: set LONGWATCH_HOME: %w", err)
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "Longwatch"), nil
	}
	if p := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(p) {
		return filepath.Join(p, "longwatch"), nil
	}
	return filepath.Join(home, ".local", "state", "longwatch"), nil
}

// OpenHome opens the state folder and makes what is missing of it. The path is
// the person's own, so links in it are resolved once, here.
func OpenHome(path string) (*Home, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("state folder: %w", err)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("state folder: %w", err)
	}
	root, err := safefs.MakeDir(real)
	if err != nil {
		return nil, fmt.Errorf("state folder: %w", err)
	}
	h := &Home{root: root}
	for name, d := range map[string]**safefs.Dir{"runs": &h.runs, "heads": &h.heads, "locks": &h.locks} {
		if *d, err = root.Mkdir(name); err != nil {
			return nil, errors.Join(fmt.Errorf("state folder: %w", err), h.Close())
		}
	}
	return h, nil
}

// Close lets the folders go.
func (h *Home) Close() error {
	var errs []error
	for _, d := range []*safefs.Dir{h.runs, h.heads, h.locks, h.root} {
		if d != nil {
			errs = append(errs, d.Close())
		}
	}
	return errors.Join(errs...)
}

// Path is the state folder's real path.
func (h *Home) Path() string { return h.root.Path() }

// HeadsPath is the folder to watch for new records: the head of a run is saved
// with each.
func (h *Home) HeadsPath() string { return h.heads.Path() }

// SettingsName is the settings file in the state folder.
const SettingsName = "settings.toml"

// maxSettings bounds the settings file, in bytes.
const maxSettings = 1 << 20

// Settings reads the settings file; nil when there is none.
func (h *Home) Settings() ([]byte, error) {
	b, err := h.root.ReadFile(SettingsName, maxSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// Own are the person's settings, the defaults when there are none. Settings that
// must not be used are a *config.RefusedError.
func (h *Home) Own() (config.Settings, error) {
	data, err := h.Settings()
	if err != nil || data == nil {
		return config.Default(), err
	}
	s, problems := config.Parse(data)
	if config.Refused(problems) {
		return s, &config.RefusedError{Problems: problems}
	}
	return s, nil
}

// WriteSettings writes the settings file unless there is one.
func (h *Home) WriteSettings(data []byte) error {
	if _, err := h.root.Stat(SettingsName); err == nil {
		return fmt.Errorf("%s: %w", filepath.Join(h.Path(), SettingsName), fs.ErrExist)
	}
	return h.root.WriteFile(SettingsName, data)
}

// IDs lists the runs, newest last.
func (h *Home) IDs() ([]string, error) {
	names, err := h.runs.Names()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, n := range names {
		if !strings.HasPrefix(n, ".") {
			out = append(out, n)
		}
	}
	sort.Strings(out)
	return out, nil
}

// Has reports whether there is a run of that id.
func (h *Home) Has(id string) bool {
	st, err := h.runs.Stat(id)
	return err == nil && st.IsDir()
}

// ErrNoRun: no run has that name.
var ErrNoRun = errors.New("no such run")

// Resolve finds the run a person means: an id, a prefix that only one run has,
// or "last".
func (h *Home) Resolve(name string) (string, error) {
	ids, err := h.IDs()
	if err != nil {
		return "", err
	}
	var found []string
	for _, id := range ids {
		if id == name {
			return id, nil
		}
		if strings.HasPrefix(id, name) && name != "" {
			found = append(found, id)
		}
	}
	switch {
	case len(ids) == 0:
		return "", fmt.Errorf("%w: there are none yet; start one with `longwatch run TASK`", ErrNoRun)
	case name == "last":
		return ids[len(ids)-1], nil
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf("%q could be %s or %s: give more of the id", name, found[0], found[1])
	}
	return "", fmt.Errorf("%w: %q; `longwatch runs` lists them", ErrNoRun, name)
}
