package safefs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// childEnv makes the test binary play another process: "<part> <folder>".
const childEnv = "SAFEFS_TEST_CHILD"

func TestMain(m *testing.M) {
	if part, dir, ok := strings.Cut(os.Getenv(childEnv), " "); ok {
		if err := child(part, dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func child(part, path string) error {
	d, err := OpenDir(path)
	if err != nil {
		return err
	}
	switch part {
	case "hold":
		l, err := d.Lock("lock")
		if err != nil {
			return err
		}
		if err := l.Write([]byte("child")); err != nil {
			return err
		}
		fmt.Println("held")
		defer func() { _ = l.Release() }() // and keeps it from being collected
		time.Sleep(time.Hour)
		return nil
	case "write":
		for i := 0; ; i++ {
			if err := d.WriteCache("file", whole(i)); err != nil {
				return err
			}
			if i == 0 {
				fmt.Println("writing")
			}
		}
	default:
		return fmt.Errorf("no part %q", part)
	}
}

// whole is content that shows whether it is complete.
func whole(i int) []byte {
	return []byte(strings.Repeat(string(rune('a'+i%26)), 40_000) + "\n")
}

func isWhole(data []byte) bool {
	return len(data) == 40_001 && strings.Count(string(data), string(data[:1])) == 40_000
}

// tempDir anchors a new folder, by its real path and closed at the end.
func tempDir(t testing.TB) *Dir {
	t.Helper()
	path, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
