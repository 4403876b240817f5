package rundir

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"longwatch/backend/config"
	"longwatch/backend/ledger"
	"longwatch/backend/run"
	"longwatch/backend/safefs"
)

// Spec is run.json: what a run was started with. It never changes; record 1
// names its digest.
type Spec struct {
	V          int             `json:"v"`
	Run        string          `json:"run"`
	Title      string          `json:"title"`
	CreatedAt  int64           `json:"created_at"`
	TaskName   string          `json:"task_name"` // the file's own name
	TaskDigest string          `json:"task_digest"`
	Workspace  string          `json:"workspace"`
	Unattended bool            `json:"unattended,omitempty"`
	Language   string          `json:"language,omitempty"`
	Roles      config.Roles    `json:"roles"`
	Limits     run.Limits      `json:"limits"`
	Settings   config.Settings `json:"settings"` // as they were at the start
	Version    string          `json:"version"`
}

const (
	ledgerName = "ledger.jsonl"
	specName   = "run.json"
	taskName   = "task.md"
)

// NewID makes a run's id: when it was made, to 1/65536 of a second, so that ids
// sort by age and two runs do not meet.
func NewID(now time.Time) string {
	return fmt.Sprintf("%s-%04x", now.Format("20060102-150405"), int64(now.Nanosecond())<<16/int64(time.Second))
}

// Create makes a run: its folder, run.json, task.md and record 1. It is there
// whole when Create returns, or not at all. The digests in first are filled in.
func (h *Home) Create(spec Spec, task []byte, first run.Created) (*Run, error) {
	data, err := json.MarshalIndent(spec, "", "  ")
	if err != nil {
		return nil, err
	}
	first.TaskDigest, first.SpecDigest = sum(task), sum(data)
	building := ".new-" + spec.Run
	d, err := h.runs.Mkdir(building)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", spec.Run, err)
	}
	defer d.Close()
	if err := h.fill(d, spec, task, data, first); err != nil {
		_ = h.runs.RemoveAll(building)
		return nil, fmt.Errorf("run %s: %w", spec.Run, err)
	}
	if err := h.runs.Rename(building, spec.Run); err != nil {
		_ = h.runs.RemoveAll(building)
		return nil, fmt.Errorf("run %s: %w", spec.Run, err)
	}
	if err := h.runs.Sync(); err != nil {
		return nil, fmt.Errorf("run %s: %w", spec.Run, err)
	}
	return h.Open(spec.Run)
}

func (h *Home) fill(d *safefs.Dir, spec Spec, task, data []byte, first run.Created) error {
	for _, name := range []string{"inbox", "rounds", "evidence"} {
		sub, err := d.Mkdir(name)
		if err != nil {
			return err
		}
		if err := sub.Close(); err != nil {
			return err
		}
	}
	if err := d.WriteFile(specName, append(data, '\n')); err != nil {
		return err
	}
	if err := d.WriteFile(taskName, task); err != nil {
		return err
	}
	body, err := run.Encode(first)
	if err != nil {
		return err
	}
	rec, err := ledger.Create(d, ledgerName, spec.CreatedAt, ledger.Draft{
		Kind: string(first.Kind()), Class: string(run.ClassOf(first)), Body: body,
	})
	if err != nil {
		return err
	}
	// The end is attested from the first record on.
	head := ledger.Head{Seq: rec.Seq, Sum: rec.Sum, UpdatedAt: spec.CreatedAt, Closed: true}
	return h.head(spec.Run).Save(head, true)
}

func (h *Home) head(id string) ledger.HeadStore { return ledger.FileHead(h.heads, id+".json") }

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}
