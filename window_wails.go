//go:build (darwin && desktop) || bindings

package main

import (
	"context"
	"net/url"
	"strings"

	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/mac"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"longwatch/backend/window"
)

// What a window does through Wails alone. It is compiled for macOS, where it
// has not been run, and type-checked by the build with the tag bindings.

func ofPlatform(o *options.App) {
	o.DragAndDrop = &options.DragAndDrop{EnableFileDrop: true, DisableWebViewDrop: true}
	o.Mac = &mac.Options{About: &mac.AboutInfo{Title: "Longwatch", Icon: icon}}
}

// attach has Wails tell of drops. A name with a newline arrives in pieces;
// every path is absolute, so a piece that is not belongs to the one before.
func (a *App) attach(window.Look) {
	runtime.OnFileDrop(a.context(), func(_, _ int, paths []string) {
		var uris []string
		for _, p := range joined(paths) {
			uris = append(uris, (&url.URL{Scheme: "file", Path: p}).String())
		}
		a.dropped(uris)
	})
}

func joined(pieces []string) []string {
	var out []string
	for _, p := range pieces {
		if strings.HasPrefix(p, "/") || len(out) == 0 {
			out = append(out, p)
		} else {
			out[len(out)-1] += "\n" + p
		}
	}
	return out
}

func (a *App) raise(string) {
	ctx := a.context()
	if ctx == nil {
		return
	}
	runtime.WindowUnminimise(ctx)
	runtime.Show(ctx)
}

func (a *App) place() (x, y int, known bool) {
	x, y = runtime.WindowGetPosition(context.WithoutCancel(a.context()))
	return x, y, false
}
