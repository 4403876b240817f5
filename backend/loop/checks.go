package loop

import (
	"context"

	"longwatch/backend/check"
	"longwatch/backend/run"
)

// check runs the machine checks of a step or of the task. Their writes are
// recorded as theirs.
func (e *Engine) check(ctx context.Context, st Step, b Brief) error {
	if err := e.begin(st, b, "")(run.Process{}); err != nil {
		return unlessOutdated(err)
	}
	out := run.Checked{Round: st.Round, Phase: st.Phase}
	for _, c := range b.checks {
		r := e.Checker.Check(ctx, c)
		out.Usage.Millis += r.Millis
		out.Results = append(out.Results, r)
	}
	for _, c := range b.hidden {
		r := e.Checker.Check(ctx, c)
		out.Usage.Millis += r.Millis
		if !r.Passed() {
			out.Hidden++
		}
	}
	c, err := e.Workspace.Observe(context.WithoutCancel(ctx), false)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return e.failed(st, Answer{Fail: run.FailCanceled, Detail: "the checks were ended", Usage: out.Usage}, c)
	}
	out.Results, out.Tree = fit(out.Results), c.Tree
	return e.Journal.Append(append(changed(st, c), out)...)
}

// probe looks once at what a wait waits for.
func (e *Engine) probe(ctx context.Context, st Step, b Brief) error {
	if err := e.begin(st, b, "")(run.Process{}); err != nil {
		return unlessOutdated(err)
	}
	r := e.Checker.Check(ctx, b.checks[0])
	c, err := e.Workspace.Observe(context.WithoutCancel(ctx), false)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return e.failed(st, Answer{Fail: run.FailCanceled, Detail: "the probe was ended", Usage: run.Usage{Millis: r.Millis}}, c)
	}
	return e.Journal.Append(append(changed(st, c), run.ProbeResult{
		Round: st.Round, Result: r, Usage: run.Usage{Millis: r.Millis},
	})...)
}

// fit keeps the results of many checks within one record: proofs are cut
// shorter the more there are, passes first.
func fit(results []check.Result) []check.Result {
	const room = 12 << 10
	size := 0
	for _, r := range results {
		size += len(r.Check) + len(r.Proof) + 80
	}
	if size <= room {
		return results
	}
	each := max(20, room/len(results)-140)
	for i := range results {
		results[i].Check = clip(results[i].Check, 60)
		results[i].Proof = clip(results[i].Proof, min(each, 200))
	}
	return results
}
