package worker

import (
	"context"
	"errors"
	"fmt"

	"longwatch/backend/guard"
	"longwatch/backend/guard/checkpoint"
	"longwatch/backend/loop"
	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// checkpoints keeps the workspace in the run's store. It implements
// loop.Checkpoints. The store is open only while it is used, so that people can
// look into it meanwhile.
type checkpoints struct {
	dir *rundir.Run
	ws  *workspace
	j   *journal
}

// labels are what checkpoints are called in lists.
var labels = map[loop.Occasion]string{
	loop.BeforeExecutor: "before the executor",
	loop.BeforeAudit:    "before an audit",
	loop.AtVerdict:      "supported by a verdict",
	loop.BeforeRestore:  beforeRestore,
}

const beforeRestore = "before a restore"

// Save implements loop.Checkpoints. A store that is full is pruned once.
func (c *checkpoints) Save(ctx context.Context, round int, at loop.Occasion) run.Checkpointed {
	note := checkpoint.Note{Label: labels[at], Round: round, Clean: at == loop.AtVerdict, Keep: at == loop.BeforeRestore}
	out := run.Checkpointed{Round: round}
	err := c.use(func(s *rundir.Checkpoints) error {
		p, err := c.save(ctx, s, note)
		if err == nil {
			out = record(p)
		}
		return err
	})
	if err != nil {
		out.Problem = err.Error()
	}
	return out
}

func (c *checkpoints) use(do func(s *rundir.Checkpoints) error) error {
	s, err := c.dir.Checkpoints(checkpoint.Options{})
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}

func (c *checkpoints) save(ctx context.Context, s *rundir.Checkpoints, note checkpoint.Note) (checkpoint.Checkpoint, error) {
	p, err := s.Save(ctx, c.ws.root, c.ws.last, note)
	var full *checkpoint.BudgetError
	if !errors.As(err, &full) {
		return p, err
	}
	if _, err := s.Prune(nil); err != nil {
		return p, err
	}
	return s.Save(ctx, c.ws.root, c.ws.last, note)
}

func record(p checkpoint.Checkpoint) run.Checkpointed {
	return run.Checkpointed{
		ID: p.ID, Digest: p.Digest, Round: p.Round, Tree: p.Tree, Label: p.Label, Supported: p.Clean,
		Bytes: p.NewBytes, Left: len(p.Left),
	}
}

// Restore implements loop.Checkpoints: the present is kept first, so that the
// restore itself can be undone.
func (c *checkpoints) Restore(ctx context.Context, id string) ([]run.Event, error) {
	round := 0
	c.j.View(func(s *run.State) { round = len(s.Rounds) })
	m, err := guard.Scan(ctx, c.ws.root, guard.ScanOptions{Base: c.ws.last, FullHash: true})
	if err != nil {
		return nil, err
	}
	c.ws.last = m
	var events []run.Event
	err = c.use(func(s *rundir.Checkpoints) error {
		before, err := c.save(ctx, s, checkpoint.Note{Label: beforeRestore, Round: round, Keep: true})
		if err != nil {
			return fmt.Errorf("the present could not be kept first: %w", err)
		}
		plan, err := s.Plan(ctx, c.ws.root, id, checkpoint.RestoreOptions{})
		if err != nil {
			return err
		}
		res, err := s.Restore(ctx, c.ws.root, before.ID, plan)
		if err != nil {
			return err
		}
		events, err = c.restored(record(before), res)
		return err
	})
	return events, err
}

// restored makes the records of a restore and takes the folder as it now is.
func (c *checkpoints) restored(before run.Checkpointed, res checkpoint.Result) ([]run.Event, error) {
	c.ws.last = res.Manifest
	r := run.Restored{Checkpoint: res.ID, Before: res.Before}
	r.Count, r.Tree = len(res.Restored), res.Manifest.Digest()
	for _, l := range res.Left {
		if len(r.Left) == mostListed {
			r.Left = append(r.Left, fmt.Sprintf("and %d more", len(res.Left)-mostListed))
			break
		}
		r.Left = append(r.Left, fmt.Sprintf("%s: %s %s", pathOf(l.Path), l.Why, l.Detail))
	}
	if err := c.ws.list(&r.Changes, res.Restored); err != nil {
		return nil, err
	}
	return []run.Event{before, r}, c.ws.save()
}

func pathOf(raw string) string { return run.Change{Path: raw}.Quoted() }
