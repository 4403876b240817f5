package safefs

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// A fault is the whole process's, so these are not parallel: others run when
// they have ended.
func TestAnInjectedFaultFailsTheCallAndUndoEndsIt(t *testing.T) {
	d := tempDir(t)
	must(t, d.WriteFile("file", []byte("old")))
	var seen []string
	undo := Inject(func(op, _ string) error {
		seen = append(seen, op)
		if op == "rename" {
			return unix.ENOSPC
		}
		return nil
	})
	err := d.WriteFile("file", []byte("new"))
	undo()
	if !errors.Is(err, unix.ENOSPC) || len(seen) < 4 {
		t.Errorf("%v after %v", err, seen)
	}
	if names, err := d.Names(); err != nil || len(names) != 1 {
		t.Errorf("left behind: %v, %v", names, err)
	}
	must(t, d.WriteFile("file", []byte("newer")))
	if got, err := d.ReadFile("file", 10); err != nil || string(got) != "newer" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestATearLetsAPartOfAWriteThrough(t *testing.T) {
	d := tempDir(t)
	f, err := d.Create("file")
	must(t, err)
	defer f.Close()
	undo := Inject(func(string, string) error {
		return &Tear{Keep: func(p []byte) int { return len(p) / 2 }, Err: unix.EIO}
	})
	n, err := Write(f, []byte("12345678"))
	at := WriteAt(f, []byte("ab"), 0)
	undo()
	if n != 4 || !errors.Is(err, unix.EIO) || !errors.Is(at, unix.EIO) {
		t.Errorf("%d written, %v, %v", n, err, at)
	}
	if got, err := os.ReadFile(f.Name()); err != nil || string(got) != "a234" {
		t.Errorf("%q, %v", got, err)
	}
}
