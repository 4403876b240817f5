// Wiretypes writes the page's types from backend/api/wire.go, so that the page
// and the program cannot disagree about a name. Comments are carried over.
//
//	go run ./build/wiretypes backend/api/wire.go frontend/src/lib/bridge/types.gen.ts
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: wiretypes WIRE.go OUT.ts")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "wiretypes:", err)
		os.Exit(1)
	}
}

func write(from, to string) error {
	src, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	out, err := translate(src)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, out, 0o644)
}
