package operator

import (
	"longwatch/backend/config"
	"longwatch/backend/rundir"
	"longwatch/backend/task"
)

// Create makes the run of a task that was read without an error; data is the
// file as it was dropped. It starts nothing. A workspace that another run is at
// work in is refused before there is a run that could not start; the worker
// takes the lease itself.
func Create(h *rundir.Home, t task.Task, data []byte, with With) (*rundir.Run, error) {
	spec, first, err := h.Prepare(t, with.Settings, with.Wish)
	if err != nil {
		return nil, err
	}
	if err := h.Room(with.Settings.Storage.TotalGiB); err != nil {
		return nil, err
	}
	l, err := h.LeaseWorkspace(spec.Workspace, spec.Run)
	if err != nil {
		return nil, err
	}
	if err := l.Release(); err != nil {
		return nil, err
	}
	return h.Create(spec, data, first)
}

// With is what a run is made with beside its task.
type With struct {
	Settings config.Settings
	Wish     rundir.Wish
}
