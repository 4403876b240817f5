// Package safefs opens and writes files that cannot be swapped under us.
//
// A [Dir] holds an open directory. Every name given to it resolves beneath
// that directory, and no component of the name may be a symbolic link, so
// nobody who can write somewhere on the path can make us read or write a
// file elsewhere. Names are slash separated; "..", absolute and empty names
// are refused. A caller that starts from a path a person configured resolves
// that base once with filepath.EvalSymlinks and anchors it with [OpenDir].
//
// Reading accepts regular files only: a FIFO, device, socket or directory is
// an error at once and never a wait. Replacing a file is atomic: a reader
// sees the old content or the new one, and after [Dir.WriteFile] returns the
// new one survives a power failure.
//
//	d, err := safefs.MakeDir(base)
//	err = d.WriteFile("run.json", data)
//
// The invariant: a returned file is the regular file that stood under this
// name, beneath this directory, at the moment it was opened.
package safefs
