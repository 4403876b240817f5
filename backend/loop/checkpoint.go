package loop

import (
	"context"
	"fmt"

	"longwatch/backend/run"
)

// checkpointBefore keeps the workspace before an executor may change it and,
// where a void audit may be undone without asking, before each audit.
func (e *Engine) checkpointBefore(ctx context.Context, st Step) error {
	mayRestore := false
	e.Journal.View(func(s *run.State) { mayRestore = s.Created.MayRestore })
	switch {
	case st.Phase == run.Execute:
		return e.checkpoint(ctx, st.Round, BeforeExecutor)
	case mayRestore && st.Phase.Role() == run.Auditor:
		return e.checkpoint(ctx, st.Round, BeforeAudit)
	}
	return nil
}

// close settles a round. What a verdict supports is kept first; after a crash
// in between the round is still open, and it is kept then.
func (e *Engine) close(ctx context.Context, st Step) error {
	if st.End == run.EndSupported {
		if err := e.checkpoint(ctx, st.Round, AtVerdict); err != nil {
			return err
		}
	}
	return e.Journal.Append(run.RoundClosed{Round: st.Round, End: st.End})
}

// checkpoint keeps the workspace as it was last seen. A state that is kept
// already is not stored again; that a verdict supports it is recorded.
func (e *Engine) checkpoint(ctx context.Context, round int, at Occasion) error {
	if e.Kept == nil {
		return nil
	}
	var last run.Kept
	tree := ""
	e.Journal.View(func(s *run.State) {
		tree = s.Tree
		if n := len(s.Checkpoints); n > 0 {
			last = s.Checkpoints[n-1]
		}
	})
	switch {
	case tree == "" || last.Tree != tree:
		return e.Journal.Append(e.Kept.Save(ctx, round, at))
	case at != AtVerdict || last.Supported:
		return nil
	}
	same := last.Checkpointed
	same.Round, same.Supported, same.Bytes = round, true, 0
	return e.Journal.Append(same)
}

// restore undoes what changed during a void audit. Only the state that was
// audited is put back: an older one would undo the executor's work with it.
// When that fails the person is asked, as if it had not been allowed.
func (e *Engine) restore(ctx context.Context) error {
	id := ""
	e.Journal.View(func(s *run.State) {
		if n := len(s.Checkpoints); n > 0 && s.Checkpoints[n-1].Tree == s.Judged {
			id = s.Checkpoints[n-1].ID
		}
	})
	if e.Kept == nil || id == "" {
		return e.cannotRestore(duringAudit, "there is no checkpoint of the state before it")
	}
	events, err := e.Kept.Restore(ctx, id)
	if err != nil {
		return e.cannotRestore(duringAudit, err.Error())
	}
	return e.Journal.Append(events...)
}

// undo puts back what the newest round made worse. That the present is kept is
// on record first: what a worker that is killed from then on leaves is known to
// be half of the way back, and the next one goes the rest.
func (e *Engine) undo(ctx context.Context, st Step) error {
	var to run.Kept
	undoing, ok := false, false
	e.Journal.View(func(s *run.State) { undoing, ok = s.Undoing, e.Kept != nil })
	if ok && !undoing {
		// Somebody may have changed something since the audit.
		moved, err := e.lookAround(ctx, st.Round)
		if err != nil || moved {
			return err
		}
	}
	e.Journal.View(func(s *run.State) {
		if ok {
			to, ok = s.Undo()
		}
	})
	if !ok {
		return e.cannotRestore(madeWorse, "no state is kept that has all that is verified and what others changed")
	}
	if !undoing {
		kept := e.Kept.Save(ctx, st.Round, BeforeRestore)
		if err := e.Journal.Append(kept); err != nil {
			return err
		}
		if kept.Problem != "" {
			return e.cannotRestore(madeWorse, kept.Problem)
		}
	}
	events, err := e.Kept.Restore(ctx, to.ID)
	if err != nil {
		return e.cannotRestore(madeWorse, err.Error())
	}
	return e.Journal.Append(events...)
}

// What was to be put back, and what going on means then.
const (
	duringAudit = "The workspace changed during an audit and could not be put back: %s. Continue to audit it as it is."
	madeWorse   = "The audit says that the step made things worse, and it could not be undone: %s. Continue to go on with it as it is."
)

func (e *Engine) cannotRestore(what, why string) error {
	return e.Journal.Append(run.CapabilityMissing{
		Name: "restore", Owner: "user", FixHint: fmt.Sprintf(what, clip(why, maxLine)),
	})
}
