// Package api is what a window or a browser may read and ask.
//
// It serves one http.Handler. Reading never writes: a run is read from its
// ledger, the list from summaries. Whatever a person wants is left in a run's
// inbox like any other command, with an id the page made, so that a double
// click has one effect; the answer is the receipt the worker recorded. What an
// agent made is served as plain text or as a picture whose bytes say so, never
// as anything a page would run.
//
//	GET    /api/about                      About
//	GET    /api/runs                       RunList
//	GET    /api/runs/ID?after=SEQ          RunView
//	GET    /api/runs/ID/rounds/N           RoundDetail
//	GET    /api/runs/ID/task               the task file, plain text
//	GET    /api/runs/ID/texts/DIGEST       a text that a record names, plain text
//	GET    /api/runs/ID/evidence/DIGEST    a picture that a record names
//	POST   /api/runs/ID/commands           Command, answered by Receipt
//	DELETE /api/runs/ID                    deletes a run that is not at work
//	POST   /api/inspect                    TaskDraft, answered by Inspection
//	POST   /api/runs                       Start, answered by Begun
//	POST   /api/sample                     a draft of the sample task, answered by TaskDraft
//	GET    /api/doctor                     []Probe
//	GET    /api/changes                    Changed as server-sent events
//	POST   /api/sign-in                    a single-use code for a cookie; only `longwatch serve`
//
// A page pulls a run at each notice of the change feed, whatever number is in it:
// that a worker died has no record. With after it gets the rounds with newer
// records, the records and messages if they changed, and everything else, which
// is small, as it is now. With records=changed it gets only those that changed,
// and puts them together by their ids. An after that cannot be answered for, or
// after which something was taken back, is answered as if it were 0.
//
// Every answer that is not a success is a Failure.
package api

//go:generate go run ../../build/wiretypes wire.go ../../frontend/src/lib/bridge/types.gen.ts
