//go:build desktop && !bindings

package main

/*
#cgo pkg-config: gtk+-3.0 webkit2gtk-4.1
#include "window_linux.h"
*/
import "C"

import (
	"sync/atomic"
	"unsafe"

	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"longwatch/backend/window"
)

// attached is the App whose window the handlers belong to: C cannot hold it.
var attached atomic.Pointer[App]

// ofPlatform are the options of this system. Wails' own file drop loses names
// and makes drops up (docs/wails-traps.md), so it stays off: see attach.
func ofPlatform(o *options.App) {
	o.DragAndDrop = &options.DragAndDrop{}
	o.Linux = &linux.Options{
		Icon: icon, ProgramName: "longwatch",
		WebviewGpuPolicy: linux.WebviewGpuPolicyNever,
	}
}

// attach connects what Wails does not have to the window: drops that come byte
// for byte, and the guard that lets nothing but our page be loaded.
func (a *App) attach(look window.Look) {
	attached.Store(a)
	C.attach_soon(C.int(look.X), C.int(look.Y), C.int(b2i(look.Placed)), C.int(b2i(look.Dark)))
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// raise brings the window to the front, because a person has asked for it.
func (a *App) raise(token string) { C.raise_soon(C.CString(token)) }

// place is where the window is, on desktops that tell.
func (a *App) place() (x, y int, known bool) {
	if C.is_x11() == 0 {
		return 0, 0, false
	}
	x, y = runtime.WindowGetPosition(a.context())
	return x, y, true
}

// The functions below are called on the toolkit's thread, which must not wait.

//export goAttached
func goAttached() {
	if a := attached.Load(); a != nil {
		a.log.Info("Guard is in place")
	}
}

//export goDropped
func goDropped(uris **C.char, n C.int) {
	list := make([]string, 0, n)
	for _, u := range unsafe.Slice(uris, n) {
		list = append(list, C.GoString(u))
	}
	if a := attached.Load(); a != nil {
		go a.dropped(list)
	}
}

//export goBlocked
func goBlocked(uri *C.char) {
	text := C.GoString(uri)
	if a := attached.Load(); a != nil {
		go a.log.Warn("Blocked a way out of the page", "uri", text[:min(len(text), 300)])
	}
}
