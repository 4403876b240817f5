package rundir

import (
	"errors"
	"time"

	"longwatch/backend/guard/checkpoint"
	"longwatch/backend/safefs"
)

// Checkpoints is the run's store of kept workspaces, open.
type Checkpoints struct {
	*checkpoint.Store
	dir *safefs.Dir
}

// storeWithin bounds the wait for somebody else to be done with the store; it
// is held only while it is used.
const storeWithin = 20 * time.Second

// Checkpoints opens the run's store.
func (r *Run) Checkpoints(o checkpoint.Options) (*Checkpoints, error) {
	d, err := r.dir.Mkdir("checkpoints")
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(storeWithin); ; {
		s, err := checkpoint.Open(d, o)
		if err == nil {
			return &Checkpoints{s, d}, nil
		}
		if !errors.Is(err, safefs.ErrHeld) || time.Now().After(end) {
			return nil, errors.Join(err, d.Close())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Close gives the store up.
func (c *Checkpoints) Close() error { return errors.Join(c.Store.Close(), c.dir.Close()) }
