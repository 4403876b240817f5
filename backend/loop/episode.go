package loop

import (
	"context"
	"errors"
	"fmt"

	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

// episode sends a role out and records what came back.
func (e *Engine) episode(ctx context.Context, st Step, b Brief) error {
	var failed error
	began := false
	begin := e.begin(st, b, b.Agent)
	ans := e.Crew.Play(ctx, Episode{
		Round: st.Round, Phase: st.Phase, Attempt: st.Attempt, Surface: b.Surface, Brief: b, Alone: e.alone(st),
	}, func(p run.Process) error {
		failed = begin(p)
		began = failed == nil
		return failed
	})
	switch {
	case errors.Is(failed, errOutdated):
		return nil
	case failed != nil:
		return failed
	case ans.Err != nil:
		return ans.Err
	case !began:
		// The agent could not be started: that too is a phase, and has an end.
		if err := begin(run.Process{}); err != nil {
			return unlessOutdated(err)
		}
		if ans.Fail != run.FailCanceled && ans.Fail != run.FailThrottled {
			ans.Fail = run.FailStart
		}
	}
	e.restless = 0
	c, err := e.observe(ctx, st, false, st.Phase.Role() == run.Auditor)
	if err != nil {
		return err
	}
	return e.settle(st, b, ans, c)
}

// alone reports whether an audit is ended at the first thing that is seen to
// happen in the workspace: its verdict would be void, and whoever does it shall
// not go on. After two such ends that were for nothing it is left to its end.
func (e *Engine) alone(st Step) (alone bool) {
	e.Journal.View(func(s *run.State) {
		r := s.Round(st.Round)
		alone = st.Phase.Role() == run.Auditor && r != nil && r.Disturbed(st.Phase) < Attempts
	})
	return alone
}

func unlessOutdated(err error) error {
	if errors.Is(err, errOutdated) {
		return nil
	}
	return err
}

// settle turns an answer and what changed into the records that end the phase.
func (e *Engine) settle(st Step, b Brief, ans Answer, c run.Changes) error {
	if ans.Fail == run.FailCanceled && st.Phase != run.Execute {
		return e.failed(st, ans, c)
	}
	switch st.Phase {
	case run.Plan:
		return e.planned(st, b, ans, c)
	case run.Execute:
		return e.executed(st, ans, c)
	case run.Audit, run.FinalAudit:
		return e.audited(st, ans, c)
	case run.Report:
		return e.replied(st, ans, c)
	case run.Check, run.FinalCheck, run.Probe:
	}
	return fmt.Errorf("phase %q is no role's", st.Phase)
}

// changed is the record of a change during a phase, if there was one.
func changed(st Step, c run.Changes) []run.Event {
	if c.Count == 0 {
		return nil
	}
	return []run.Event{run.WorkspaceChanged{Round: st.Round, During: st.Phase, Changes: c}}
}

func (e *Engine) failed(st Step, ans Answer, c run.Changes) error {
	return e.Journal.Append(append(changed(st, c), run.PhaseFailed{
		Round: st.Round, Phase: st.Phase, Fail: ans.Fail,
		Detail: clip(ans.Detail, maxLine), RetryAt: ans.RetryAt, Usage: ans.Usage,
	})...)
}

// unreadable ends an attempt whose words could not be read; they go back to
// the role with the reason, once.
func (e *Engine) unreadable(st Step, ans Answer, c run.Changes, why error) error {
	said, err := e.keep(st, string(st.Phase)+".unreadable.txt", ans.Said)
	if err != nil {
		return err
	}
	return e.Journal.Append(append(changed(st, c), run.PhaseFailed{
		Round: st.Round, Phase: st.Phase, Fail: run.FailUnreadable,
		Detail: clip(why.Error(), maxLine), Said: &said, Usage: ans.Usage,
	})...)
}

func (e *Engine) planned(st Step, b Brief, ans Answer, c run.Changes) error {
	if ans.Fail != "" {
		return e.failed(st, ans, c)
	}
	plan, err := e.readPlan(ans.Said)
	if err != nil && st.Attempt < Attempts {
		return e.unreadable(st, ans, c, err)
	}
	said, keepErr := e.keep(st, "plan.md", ans.Said)
	if keepErr != nil {
		return keepErr
	}
	if err != nil {
		return e.Journal.Append(append(changed(st, c), run.PlanRefused{
			Round: st.Round, Reason: clip(err.Error(), maxLine), Said: said, Usage: ans.Usage,
		})...)
	}
	events := append(changed(st, c), run.Planned{Round: st.Round, Plan: plan, Said: said, Usage: ans.Usage})
	if ids := e.unread(b); len(ids) > 0 {
		events = append(events, run.MessageUsed{Round: st.Round, IDs: ids})
	}
	return e.Journal.Append(events...)
}

// unread lists the messages the plan's brief carried. One that arrived since is
// not used by this plan: it stays in the briefs until a plan has read it.
func (e *Engine) unread(b Brief) []string {
	var ids []string
	e.Journal.View(func(s *run.State) {
		for _, m := range s.Unread() {
			if m.Seq <= b.Decided {
				ids = append(ids, m.ID)
			}
		}
	})
	return ids
}

func (e *Engine) executed(st Step, ans Answer, c run.Changes) error {
	said, err := e.keep(st, "executor.md", ans.Said)
	if err != nil {
		return err
	}
	return e.Journal.Append(append(changed(st, c), run.Executed{
		Round: st.Round, Exit: ans.Exit, Fail: ans.Fail,
		Detail: clip(ans.Detail, maxLine), Said: said, Usage: ans.Usage, RetryAt: ans.RetryAt,
	})...)
}

// audited records a verdict. A change of the workspace while it was made voids
// it: at this level of protection nobody can tell whose change it was.
func (e *Engine) audited(st Step, ans Answer, c run.Changes) error {
	events := changed(st, c)
	if c.Counts {
		events = []run.Event{run.Violated{Round: st.Round, Phase: st.Phase, Changes: c}}
	}
	if ans.Fail == run.FailDisturbed && c.Counts {
		return e.Journal.Append(append(events, run.Audited{
			Round: st.Round, Phase: st.Phase, Verdict: protocol.Unreadable(), Said: protocol.Unreadable(),
			Reasons: []string{"void: the workspace changed while the audit ran, which was ended at once"}, Tree: c.Tree, Usage: ans.Usage,
		})...)
	}
	if ans.Fail != "" {
		events = changed(st, c)
		return e.Journal.Append(append(events, run.PhaseFailed{
			Round: st.Round, Phase: st.Phase, Fail: ans.Fail,
			Detail: clip(ans.Detail, maxLine), RetryAt: ans.RetryAt, Usage: ans.Usage,
		})...)
	}
	audit, err := protocol.ParseAudit(ans.Said)
	if err != nil {
		return e.unreadable(st, ans, c, err)
	}
	report, err := e.keep(st, reportName(st.Phase), ans.Said)
	if err != nil {
		return err
	}
	a := run.Audited{
		Round: st.Round, Phase: st.Phase, Said: audit.Verdict, Effect: audit.Effect,
		Blocking: clipAll(audit.Blocking), Update: clip(audit.Update, maxQuestion),
		Report: report, Tree: c.Tree, Usage: ans.Usage,
	}
	e.Journal.View(func(s *run.State) { a.Verdict, a.Reasons = Judge(s.Round(st.Round), st.Phase, audit) })
	if c.Counts {
		a.Verdict = protocol.Unreadable()
		a.Reasons = append(a.Reasons, "void: the workspace changed while the audit ran")
	}
	a.Reasons = clipAll(a.Reasons)
	return e.Journal.Append(append(events, a)...)
}

func reportName(p run.Phase) string {
	if p == run.FinalAudit {
		return "final_report.md"
	}
	return "report.md"
}

// giveUp makes an audit that stays unreadable count as what it is.
func (e *Engine) giveUp(st Step, reason string) error {
	begin := run.PhaseStarted{Round: st.Round, Phase: st.Phase, Attempt: Attempts + 1, Agent: string(run.Longwatch)}
	return e.Journal.Append(begin, run.Audited{
		Round: st.Round, Phase: st.Phase, Verdict: protocol.Unreadable(), Said: protocol.Unreadable(),
		Reasons: []string{clip(reason, maxLine)},
	})
}

func (e *Engine) replied(st Step, ans Answer, c run.Changes) error {
	if ans.Fail != "" {
		return e.failed(st, ans, c)
	}
	said, err := e.keep(st, "reply.md", ans.Said)
	if err != nil {
		return err
	}
	return e.Journal.Append(append(changed(st, c), run.FinalReply{Round: st.Round, Said: said, Usage: ans.Usage})...)
}
