package loop

import (
	"context"
	"slices"

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
	c, err := e.observe(ctx, st, false, false)
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
	c, err := e.observe(ctx, st, false, false)
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

// fit keeps the results of many checks within one record: proofs are cut first,
// then the checks' own text, and at last passes are left out, never a failure
// while there is a pass.
func fit(results []check.Result) []check.Result {
	for _, cut := range []struct{ check, proof int }{{check.MaxText, 200}, {check.MaxText, 60}, {120, 60}} {
		if size(results) <= maxResults {
			return results
		}
		for i := range results {
			results[i].Check = clip(results[i].Check, cut.check)
			results[i].Proof = clip(results[i].Proof, cut.proof)
		}
	}
	slices.SortStableFunc(results, func(a, b check.Result) int { return rank(a) - rank(b) })
	for size(results) > maxResults {
		results = results[:len(results)-1]
	}
	return results
}

func rank(r check.Result) int {
	if r.Passed() {
		return 1
	}
	return 0
}

func size(results []check.Result) int {
	sum := 0
	for _, r := range results {
		sum += weight(r.Check) + weight(r.Proof) + 80
	}
	return sum
}
