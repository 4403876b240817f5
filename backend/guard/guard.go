// Package guard says what each role may touch, and finds out what it touched.
//
// It wraps every agent from outside and never asks one about itself. Three
// parts are here. The manifest is the proof: it describes a folder completely, two
// of them give the exact list of changes, and nothing a program in the folder
// writes can steer it. The launcher owns an episode's processes: they exist
// before they may run, run with a scrubbed environment, and die together.
//
// The watcher is the eye and never the proof: it tells people at once where
// something happens, and says when it may have missed something.
//
// A manifest never opens anything but plain files and folders, never follows
// a link, never leaves the file system it started on, and holds a bounded
// number of descriptors at any depth. What cannot be read is recorded with its
// error; it is never left out. Paths are bytes.
//
// The launcher refuses a profile or level it does not know. Invariant: when
// Wait has returned with no Survivors, no process of the tree that can be
// found is alive: not one that made its own session, ignored signals, or
// forked while it was being killed. At LevelDetect one gap is known and said
// here: if the agent kills our launcher and a descendant has both made its own
// session and wiped its environment, only a worker that called
// BecomeSubreaper inherits it, and it cannot be told from another child.
package guard

import "fmt"

// Profile is the kind of process a command is, which decides what it may see.
type Profile string

const (
	Executor Profile = "executor" // does the work: the person's home and tools
	Auditor  Profile = "auditor"  // judges: private home, leaves no caches behind
	Thinker  Profile = "thinker"  // the manager: private home, private files
	Check    Profile = "check"    // a machine check: like an auditor
	Desktop  Profile = "desktop"  // an app on the run's own display
	Service  Profile = "service"  // lives across rounds, like an executor
)

func (p Profile) validate() error {
	switch p {
	case Executor, Auditor, Thinker, Check, Desktop, Service:
		return nil
	}
	return fmt.Errorf("profile %q is not known", string(p))
}

// private reports whether the profile gets a home of its own.
func (p Profile) private() bool {
	return p == Auditor || p == Thinker || p == Check
}

// Level is how strongly a command is confined.
type Level string

// LevelDetect confines nothing: changes are found by comparing manifests.
const LevelDetect Level = "detect"

func (l Level) validate() error {
	if l == LevelDetect {
		return nil
	}
	return fmt.Errorf("level %q is not one that can be enforced", string(l))
}
