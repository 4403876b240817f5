//go:build bindings

package main

import (
	"fmt"
	"os"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
)

// main is what `wails build` compiles and runs to learn what is bound: it must
// do nothing else.
func main() {
	if err := wails.Run(&options.App{Bind: []any{&App{}}}); err != nil {
		fmt.Fprintf(os.Stderr, "longwatch-window: %s\n", err)
		os.Exit(1)
	}
}
