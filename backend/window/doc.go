// Package window is what a desktop window needs besides a toolkit.
//
// There is one window for each state folder: a second start hands what it was
// given to the first and ends (see [Take]). A killed window leaves nothing that
// has to be cleaned up: its seat is a kernel lock, and the socket that is left
// is replaced by whoever takes the seat next. How the window looked, and its
// log, are small files beside it. What is dropped on the window is a list of
// URIs that is read here, byte for byte.
//
// It knows no toolkit, starts no process and touches no run.
package window
