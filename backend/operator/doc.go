// Package operator carries what a person wants to a run, whatever window or
// terminal it comes from.
//
// It makes a run of a task, leaves commands in inboxes, sees to it that there
// is a worker to take them, and waits for the receipt. It writes no record and
// runs no round: a command has its effect when the worker has recorded it.
package operator
