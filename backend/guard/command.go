package guard

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

const (
	defaultCap   = 1 << 20
	defaultFlood = 256 << 20
	defaultGrace = 5 * time.Second
)

// Command is one program to run as an episode's root process.
type Command struct {
	Argv  []string // Argv[0]: a path, or a name looked up in Env's PATH
	Dir   string   // absolute
	Env   []string // the whole environment; see Environment
	Stdin []byte   // the program reads this, then end of file

	Deadline time.Duration // from exec; 0 is none, then only ctx and Kill end it
	Grace    time.Duration // between SIGTERM and SIGKILL; 0 means 5 s

	StdoutCap, StderrCap int64 // bytes kept of each, head and tail; 0 means 1 MiB
	FloodCap             int64 // bytes of both together that end the tree; 0 means 256 MiB

	Profile Profile
	Level   Level
}

// Exit is how an episode's tree ended.
type Exit struct {
	Code     int    // exit code; -1 when there is none
	Signal   string // the signal the program died of, as "SIGKILL", or empty
	StartErr string // why the program never ran, or empty

	TimedOut bool // the deadline passed
	Flooded  bool // more output than FloodCap
	Canceled bool // Kill, or the end of the context

	Stdout, Stderr       []byte // with "[… N bytes cut here …]" in the middle when cut
	StdoutCut, StderrCut int64  // how many bytes that were

	Stragglers   int  // processes still alive when the program had ended, then killed
	Survivors    int  // processes that could not be killed: guard's promise is broken
	LauncherLost bool // the launcher was killed from outside; Signal is what killed it

	Wall   time.Duration // from Release to the end of the whole tree
	RanFor time.Duration // from exec to the end of the program
}

// withDefaults checks c and fills in what was left zero.
func (c Command) withDefaults() (Command, error) {
	if err := c.validate(); err != nil {
		return c, fmt.Errorf("command: %w", err)
	}
	if c.Grace == 0 {
		c.Grace = defaultGrace
	}
	for _, limit := range []*int64{&c.StdoutCap, &c.StderrCap} {
		if *limit == 0 {
			*limit = defaultCap
		}
	}
	if c.FloodCap == 0 {
		c.FloodCap = defaultFlood
	}
	return c, nil
}

func (c Command) validate() error {
	if err := c.Profile.validate(); err != nil {
		return err
	}
	if err := c.Level.validate(); err != nil {
		return err
	}
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return errors.New("no program named")
	}
	if !filepath.IsAbs(c.Dir) {
		return fmt.Errorf("working folder %q is not absolute", c.Dir)
	}
	if c.Deadline < 0 || c.Grace < 0 || c.StdoutCap < 0 || c.StderrCap < 0 || c.FloodCap < 0 {
		return errors.New("a limit is negative")
	}
	for _, list := range [][]string{c.Argv, c.Env, {c.Dir}} {
		for _, s := range list {
			if strings.IndexByte(s, 0) >= 0 {
				return errors.New("an argument holds a NUL")
			}
		}
	}
	for _, kv := range c.Env {
		if name, _, ok := strings.Cut(kv, "="); !ok || name == "" {
			return errors.New("an environment entry has no name")
		}
	}
	return nil
}
