package loop

import (
	"context"

	"longwatch/backend/run"
)

// checkpointBefore keeps the workspace before an executor may change it and,
// where a void audit may be undone without asking, before each audit.
func (e *Engine) checkpointBefore(ctx context.Context, st Step) error {
	mayRestore := false
	e.Journal.View(func(s *run.State) { mayRestore = s.Created.MayRestore })
	if st.Phase == run.Execute || (mayRestore && st.Phase.Role() == run.Auditor) {
		return e.checkpoint(ctx, st.Round, false)
	}
	return nil
}

// close settles a round. What a verdict supports is kept first; after a crash
// in between the round is still open, and it is kept then.
func (e *Engine) close(ctx context.Context, st Step) error {
	if st.End == run.EndSupported {
		if err := e.checkpoint(ctx, st.Round, true); err != nil {
			return err
		}
	}
	return e.Journal.Append(run.RoundClosed{Round: st.Round, End: st.End})
}

// checkpoint keeps the workspace as it was last seen. A state that is kept
// already is not stored again; that a verdict supports it is recorded.
func (e *Engine) checkpoint(ctx context.Context, round int, supported bool) error {
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
		return e.Journal.Append(e.Kept.Save(ctx, round, supported))
	case !supported || last.Supported:
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
		return e.cannotRestore("there is no checkpoint of the state before it")
	}
	events, err := e.Kept.Restore(ctx, id)
	if err != nil {
		return e.cannotRestore(err.Error())
	}
	return e.Journal.Append(events...)
}

func (e *Engine) cannotRestore(why string) error {
	return e.Journal.Append(run.CapabilityMissing{
		Name: "restore", Owner: "user",
		FixHint: "The workspace changed during an audit and could not be put back: " + clip(why, maxLine) + ". Continue to audit it as it is.",
	})
}
