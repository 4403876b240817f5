package guard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const fallbackPath = "/usr/local/bin:/usr/bin:/bin"

// passed are the variables taken over from the person's environment. All
// others stay out, so that no token, key, agent socket, bus or display passes
// because somebody forgot it here.
var passed = []string{"LANG", "LANGUAGE", "TZ", "USER", "LOGNAME", "SHELL"}

// passedHome are those that only mean something with the person's own home.
var passedHome = []string{
	"HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
}

// passedNet are needed to reach anything in many offices. A proxy address that
// holds a password is left out.
var passedNet = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
}

// Places are the folders an environment is about; both are absolute.
type Places struct {
	Workspace string
	Private   string // for private profiles: fresh, made by MakePrivate
}

// privateDirs maps variables to folders below Places.Private.
var privateDirs = []struct{ name, dir string }{
	{"HOME", "home"},
	{"TMPDIR", "tmp"},
	{"XDG_CONFIG_HOME", "home/.config"},
	{"XDG_CACHE_HOME", "home/.cache"},
	{"XDG_DATA_HOME", "home/.local/share"},
	{"XDG_STATE_HOME", "home/.local/state"},
	{"XDG_RUNTIME_DIR", "run"},
	{"GOCACHE", "home/.cache/go-build"},
	{"npm_config_cache", "home/.cache/npm"},
}

// quiet keeps a look at a project from writing into it.
var quiet = []string{
	"GIT_OPTIONAL_LOCKS=0",
	"GOFLAGS=-mod=readonly",
	"PYTHONDONTWRITEBYTECODE=1",
}

// madeDirs are those of the private folders that programs expect to be there;
// the others they make themselves when they need them.
var madeDirs = []string{"home", "tmp", "run"}

// MakePrivate makes the folders that a private profile needs, in a folder that
// exists.
func MakePrivate(private string) error {
	for _, d := range madeDirs {
		if err := os.Mkdir(filepath.Join(private, d), 0o700); err != nil {
			return fmt.Errorf("make private folders: %w", err)
		}
	}
	return nil
}

// Environment builds the whole environment of a program from base, usually
// os.Environ(): a short list of harmless variables and those the profile sets,
// sorted. No display passes: whoever gives a program one appends it. PATH is
// base's without relative entries and without those in the workspace, which
// must not decide what a later role runs.
func Environment(base []string, p Profile, at Places) []string {
	env := map[string]string{"TERM": "dumb", "PATH": fallbackPath}
	for _, kv := range base {
		name, value, ok := strings.Cut(kv, "=")
		if !ok || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' }) {
			continue
		}
		switch {
		case name == "PATH":
			if path := at.searchPath(value); path != "" {
				env[name] = path
			}
		case slices.Contains(passed, name), strings.HasPrefix(name, "LC_"),
			slices.Contains(passedNet, name) && !strings.Contains(value, "@") && !at.holds(value),
			slices.Contains(passedHome, name) && !p.private():
			env[name] = value
		}
	}
	out := make([]string, 0, len(env)+len(privateDirs)+len(quiet))
	if p.private() {
		for _, d := range privateDirs {
			env[d.name] = filepath.Join(at.Private, d.dir)
		}
		out = append(out, quiet...)
	}
	for name, value := range env {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

func (at Places) searchPath(value string) string {
	var keep []string
	for _, dir := range filepath.SplitList(value) {
		if filepath.IsAbs(dir) && !at.holds(dir) && !slices.Contains(keep, dir) {
			keep = append(keep, dir)
		}
	}
	return strings.Join(keep, string(filepath.ListSeparator))
}

// holds reports whether path is the workspace or in it.
func (at Places) holds(path string) bool {
	if at.Workspace == "" || !filepath.IsAbs(path) {
		return false
	}
	rel, err := filepath.Rel(at.Workspace, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}
