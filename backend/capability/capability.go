// Package capability finds out by looking what this machine can do for a run,
// and says what to do about what it cannot. The doctor's list is made of the
// same looks that a run makes before a round needs them. Nothing here is
// declared by a model.
package capability

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
)

// State is what a look found.
type State string

const (
	OK      State = "ok"
	Warning State = "warning" // it works, less well
	Missing State = "missing" // something needed is not there
	Later   State = "later"   // this version cannot use it yet
)

// Capability is one thing that was looked for.
type Capability struct {
	Name  string `json:"name"` // stable
	State State  `json:"state"`
	Text  string `json:"text"`
	Fix   string `json:"fix,omitempty"`
}

// lowDisk is when a state folder's file system counts as nearly full, in bytes.
const lowDisk = 1 << 30

// Look makes the doctor's list. Agents are those that can be used.
func Look(stateFolder string, agents []string) []Capability {
	list := []Capability{
		writable(stateFolder), disk(stateFolder), shell(), guardLevel(),
	}
	for _, name := range []string{"playbook", "claude", "codex", "opencode", "dsh", "api"} {
		if name == "playbook" || !slices.Contains(agents, name) {
			list = append(list, agent(name, slices.Contains(agents, name)))
		}
	}
	for _, name := range agents {
		if name != "playbook" {
			list = append(list, Capability{"agent." + name, OK, "named in the settings", ""})
		}
	}
	return append(list, Capability{"desktop", Later, "seeing and touching the desktop is not available yet", ""})
}

func writable(folder string) Capability {
	c := Capability{Name: "state_folder", State: OK, Text: folder}
	f, err := os.CreateTemp(folder, ".probe-")
	if err != nil {
		return Capability{c.Name, Missing, err.Error(), "Make the folder writable, or set LONGWATCH_HOME to another."}
	}
	_ = f.Close()
	_ = os.Remove(f.Name())
	return c
}

func disk(folder string) Capability {
	free, err := FreeBytes(folder)
	if err != nil {
		return Capability{"disk", Warning, err.Error(), ""}
	}
	c := Capability{Name: "disk", State: OK, Text: fmt.Sprintf("%.1f GiB free where runs are kept", float64(free)/(1<<30))}
	if free < lowDisk {
		c.State, c.Fix = Warning, "Free some space; a full disk stops a run, without losing what it recorded."
	}
	return c
}

func shell() Capability {
	if _, err := os.Stat("/bin/sh"); err != nil {
		return Capability{"shell", Missing, "there is no /bin/sh", "Steps and checks that run commands need one."}
	}
	return Capability{"shell", OK, "/bin/sh", ""}
}

func guardLevel() Capability {
	text := "detect: changes are found by comparing, nothing is confined; kernel confinement is not available yet"
	if runtime.GOOS == "darwin" {
		text += "; this program has not been run on a Mac by its developers"
	}
	return Capability{"guard", Warning, text, ""}
}

// agent tells an agent that can be used from one whose program is there but
// that this version cannot drive yet.
func agent(name string, usable bool) Capability {
	c := Capability{Name: "agent." + name, State: OK, Text: "built in, needs no model"}
	if usable {
		return c
	}
	c.State, c.Text = Later, "this version cannot drive it yet"
	if path, err := exec.LookPath(name); err == nil {
		c.Text = filepath.Base(path) + " is installed; " + c.Text
	}
	return c
}
