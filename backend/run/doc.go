// Package run says what can happen to a run and what is therefore true.
//
// Everything that happens is an [Event], one struct for each of a closed set of
// kinds. Everything that is true is [State], made from the events by one pure
// fold, [State.Apply]. The worker folds to decide, the command line and the
// window fold to show, and because it is the same function they never differ.
//
// The fold believes facts and distrusts words. A record marked completed is
// kept as untrusted unless it cites a round whose verdict supports it; an audit
// during which the workspace changed supports nothing; a `done` older than the
// last message is stale. Nobody can write a state the fold would not reach.
//
// The package is pure: it touches no file, clock, process or random source.
package run
