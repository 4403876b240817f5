//go:build desktop || bindings

package main

import (
	_ "embed"
	"net/http"

	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"longwatch/backend/window"
)

//go:embed build/appicon.png
var icon []byte

// The page's own colours behind it, so that a window does not flash while the
// page is on its way: --surface of frontend/src/app.css.
var (
	light = options.RGBA{R: 252, G: 253, B: 253, A: 255}
	dark  = options.RGBA{R: 24, G: 27, B: 30, A: 255}
)

// windowOptions say how the window is made. h serves everything: Wails' own
// files come before it, and nothing comes after it.
func windowOptions(a *App, h http.Handler, look window.Look) *options.App {
	o := &options.App{
		Title: "Longwatch", Width: look.Width, Height: look.Height,
		MinWidth: window.LeastWidth, MinHeight: window.LeastHeight,
		AssetServer: &assetserver.Options{Middleware: func(http.Handler) http.Handler { return h }},
		Bind:        []any{a}, ErrorFormatter: explain, OnDomReady: a.loaded,
		BackgroundColour: &light,
		// A second start is handed over before there is a toolkit; see
		// backend/window.
		SingleInstanceLock: nil,
		Logger:             wailsLog{a.log}, LogLevelProduction: logger.ERROR,
	}
	if look.Dark {
		o.BackgroundColour = &dark
	}
	if look.Maximised {
		o.WindowStartState = options.Maximised
	}
	ofPlatform(o)
	return o
}

// looks is how the window is now; before is how it was, which is kept where
// the toolkit cannot tell.
func (a *App) looks(before window.Look) window.Look {
	ctx := a.context()
	now := before
	now.Dark = a.dark.Load()
	now.Maximised = runtime.WindowIsMaximised(ctx)
	if !now.Maximised && runtime.WindowIsNormal(ctx) {
		now.Width, now.Height = runtime.WindowGetSize(ctx)
		now.X, now.Y, now.Placed = a.place()
	}
	return now
}

// refuse says why the window is of no use and closes it.
func (a *App) refuse(title, text string) {
	_, _ = runtime.MessageDialog(a.context(), runtime.MessageDialogOptions{Type: runtime.ErrorDialog, Title: title, Message: text})
	runtime.Quit(a.context())
}
