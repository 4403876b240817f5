// Package agent plays one bounded episode of one role.
//
// An [Adapter] turns a brief into a process and what the process said into an
// answer. It gets a [Launcher] and nothing else: it can neither write history
// nor judge itself, and the guard wraps every adapter the same way from
// outside. Every agent is a process, ours too: the playbook is a face of our
// own binary, launched exactly like a CLI.
package agent
