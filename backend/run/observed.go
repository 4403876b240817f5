package run

import "strconv"

// During says when a change of the workspace happened: a phase, or one of
// these two.
const (
	Between Phase = "between" // while no role was at work
	Away    Phase = "away"    // while no worker was running
)

// Change is one entry of the workspace that is not as it was.
type Change struct {
	Path    string `json:"path,omitempty"`
	PathB64 string `json:"path_b64,omitempty"` // instead of Path when that is not valid UTF-8
	What    string `json:"what"`               // added, removed, content, type, mode, owner, …
	Kind    string `json:"kind"`               // file, dir, symlink, …
	Ignored bool   `json:"ignored,omitempty"`  // by build patterns: makes nothing stale
}

// Changes is a bounded account of what changed: the first entries, the number
// of all, and the digest of the whole list.
type Changes struct {
	First  []Change `json:"first,omitempty"`
	Count  int      `json:"count"`
	Counts bool     `json:"counts"` // at least one is outside the ignored patterns
	File   string   `json:"file,omitempty"`
	SHA256 string   `json:"sha256,omitempty"`
	Tree   string   `json:"tree"` // digest of the workspace now
}

// WorkspaceChanged is what the file system says changed, not what an agent
// says.
type WorkspaceChanged struct {
	Round  int   `json:"round"`
	During Phase `json:"during"`
	Changes
}

// Violated voids an audit: the workspace changed while it ran, and at this
// guard level nobody can tell who did it.
type Violated struct {
	Round int   `json:"round"`
	Phase Phase `json:"phase"`
	Changes
}

// Restored is a rollback to a checkpoint. The changes are those it made.
type Restored struct {
	Checkpoint string   `json:"checkpoint"`
	Before     string   `json:"before"`         // the checkpoint of what was replaced
	Left       []string `json:"left,omitempty"` // what could not be put back, and why
	Changes
}

// Checkpointed is a kept state of the workspace, or why it could not be kept:
// a round goes on without, and then cannot be undone.
type Checkpointed struct {
	ID        string `json:"id,omitempty"`
	Digest    string `json:"digest,omitempty"` // of the checkpoint's file
	Round     int    `json:"round"`
	Tree      string `json:"tree,omitempty"`
	Label     string `json:"label,omitempty"`     // why it was kept, in words
	Supported bool   `json:"supported,omitempty"` // a supporting verdict is of this state
	Bytes     int64  `json:"bytes,omitempty"`     // what it added to the store
	Left      int    `json:"left,omitempty"`      // entries that are recorded but not stored
	Problem   string `json:"problem,omitempty"`   // it was not kept
}

// Captured is a screenshot taken by Longwatch, recorded before it is handed
// over.
type Captured struct {
	ID     string `json:"id"`
	Round  int    `json:"round"`
	SHA256 string `json:"sha256"`
}

// ServiceStarted is a process that lives across rounds.
type ServiceStarted struct {
	Name string   `json:"name"`
	Argv []string `json:"argv"`
	Process
}

// ServiceStopped is its end.
type ServiceStopped struct {
	Name string `json:"name"`
	Exit int    `json:"exit"`
}

// CapabilityMissing is something the next phase needs and does not have.
type CapabilityMissing struct {
	Name    string `json:"name"`
	Owner   string `json:"owner"` // user or longwatch
	FixHint string `json:"fix_hint"`
	Tries   int    `json:"tries,omitempty"`
}

// BudgetNoted is said once for each budget that passes 80 %.
type BudgetNoted struct {
	Budget string `json:"budget"`
	Used   int64  `json:"used"`
	Limit  int64  `json:"limit"`
}

// Quoted writes the path, quoted when it has odd bytes.
func (c Change) Quoted() string {
	if strconv.Quote(c.Path) != `"`+c.Path+`"` {
		return strconv.Quote(c.Path)
	}
	return c.Path
}

// String writes the change the way people read it: what, then the path,
// quoted when it has odd bytes.
func (c Change) String() string {
	if c.Path == "" && c.PathB64 != "" {
		return c.What + " base64:" + c.PathB64
	}
	return c.What + " " + c.Quoted()
}
