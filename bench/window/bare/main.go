//go:build desktop

// Bare is a Wails window with an empty page: what the window of Longwatch is
// measured against.
package main

import (
	"fmt"
	"net/http"
	"os"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
)

const page = `<!doctype html><html><head><title>Bare</title></head><body style="background:#006070"></body></html>`

func main() {
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(page))
	})
	err := wails.Run(&options.App{
		Title: "Bare", Width: 1200, Height: 800,
		AssetServer: &assetserver.Options{Handler: h},
		Linux:       &linux.Options{WebviewGpuPolicy: linux.WebviewGpuPolicyNever},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
