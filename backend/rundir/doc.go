// Package rundir lays runs out on disk and is the only one who knows where
// what stands.
//
// A run is a folder below the state folder, which is outside every workspace.
// Its ledger is the truth; run.json and task.md are what record 1 names by
// digest; everything else is evidence that the ledger names, or a cache that
// may be lost. A new run appears whole or not at all: it is built under another
// name, synced and renamed.
//
// Only the worker writes to a run. Everybody else leaves commands in its inbox,
// one file each, which are removed once their receipt is on disk.
package rundir
