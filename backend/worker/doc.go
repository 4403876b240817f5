// Package worker is the detached process that keeps one run going.
//
// It alone writes the run's ledger. It holds the leases of the run and of its
// workspace, carries out one decision of package loop after the other, takes
// commands from the inbox as they come, and stays through gates. Killed at any
// instant it leaves a run that the next worker goes on with: what was alive is
// reaped, what was half written is cut and recorded, and Decide is asked again.
package worker
