// Package windowtest tests the real window on a private display: see its tests.
// `make test-window` runs them; without a built window they are skipped.
package windowtest
