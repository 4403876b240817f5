// Package backend is the map of the house: one package a noun, and who may
// import whom. arch_test.go checks it.
//
//	safefs      files that cannot be swapped under us
//	protocol    the words between roles: plans, verdicts, state records
//	check       machine checks: parsed from text, judged with proof
//	config      settings, and who plays which role
//	task        the task file a person dropped
//	run         what can happen and what is true: events, State, the fold
//	gate        when to stop and ask a person
//	loop        Decide, briefs, and plan → execute → check → audit → settle
//	ledger      append-only records; knows no domain word
//	guard       what each role may touch: launcher, manifest, comparison, watcher
//	capability  what this machine can do: the doctor's list
//	rundir      runs on disk: creation, inbox, leases, summaries, bundles
//	agent       one bounded episode: playbook, programs of the settings
//	worker      the detached process that keeps one run going
//	operator    what a person wants of a run: starting it, commands, receipts
//	api         what a window or a browser may read and ask
//	window      what a desktop window needs besides a toolkit
//	cli         the commands
//
// A package imports only packages above it. The pure ones (protocol, run, gate,
// loop) touch no file, clock, process, environment or random source.
package backend
