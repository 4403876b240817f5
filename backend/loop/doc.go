// Package loop decides what a run does next and does it: plan, execute, check,
// audit, settle.
//
// [Decide] is the whole policy: one pure, total function of the state. The
// [Engine] carries out one decision at a time over four small interfaces; it
// touches no file, clock, process or random source itself, so that a run can be
// replayed and fuzzed. What a role says counts only after the package has held
// it against the facts: [Judge] lowers verdicts, never raises them.
//
// The order that everything rests on: a phase's record is durable before its
// process may run, and what a phase found is durable before the next decision.
package loop
