//go:build !race

package main

// slow reports whether the race detector makes every process ten times slower.
func slow() bool { return false }
