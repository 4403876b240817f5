//go:build desktop || bindings

package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"longwatch/backend/api"
	"longwatch/backend/window"
)

// Events that the page hears. Each is at most 4 KB: see docs/wails-traps.md.
const (
	eventChanged = "run:changed" // api.Changed
	eventDrop    = "drop"        // []api.Offer
)

// App is what is bound to the window's page: what no HTTP request can ask,
// because it needs the desktop. Everything else is asked of backend/api. Its
// exported methods can be called by the page.
type App struct {
	server *api.Server
	log    *slog.Logger

	picking sync.Mutex // held while a dialog is open
	dark    atomic.Bool

	mu    sync.Mutex
	ctx   context.Context // of the window; nil before there is one
	ready bool            // the page listens
	early []given         // what came before it did
}

// failure is an error with a code, as the page knows them from the API.
type failure api.Failure

func (f *failure) Error() string { return f.Message }

var (
	errBusy = &failure{Code: "busy", Message: "a dialog is open already"}
	errName = &failure{
		Code: "refused", Message: "the folder's name is not valid text",
		Hint: "Drop the folder on the window instead.",
	}
)

// explain makes every error of a bound method an api.Failure for the page.
func explain(err error) any {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	return &failure{Code: "internal", Message: err.Error()}
}

// PickTask asks the person for one task file. Nothing chosen is an empty offer.
func (a *App) PickTask() (api.Offer, error) {
	path, err := a.pick(runtime.OpenFileDialog, runtime.OpenDialogOptions{
		Title: "Choose a task",
		Filters: []runtime.FileFilter{
			{DisplayName: "Tasks (*.md, *.txt)", Pattern: "*.md;*.markdown;*.txt"},
			{DisplayName: "All files", Pattern: "*"},
		},
	})
	if path == "" || err != nil {
		return api.Offer{}, err
	}
	return a.server.Offer(path), nil
}

// PickFolder asks the person for a folder. Nothing chosen is empty.
func (a *App) PickFolder() (string, error) {
	path, err := a.pick(runtime.OpenDirectoryDialog, runtime.OpenDialogOptions{
		Title: "Choose a folder", CanCreateDirectories: true,
	})
	if err == nil && !utf8.ValidString(path) {
		return "", errName
	}
	return path, err
}

type dialog func(context.Context, runtime.OpenDialogOptions) (string, error)

// pick opens one dialog at a time: two would take each other's answers.
func (a *App) pick(ask dialog, o runtime.OpenDialogOptions) (string, error) {
	if !a.picking.TryLock() {
		return "", errBusy
	}
	defer a.picking.Unlock()
	return ask(a.context(), o)
}

// Shown tells which theme the page shows, so that the next window has its
// colour from the first moment.
func (a *App) Shown(dark bool) { a.dark.Store(dark) }

func (a *App) context() context.Context {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ctx
}

// begun is called once there is a window.
func (a *App) begun(ctx context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ctx = ctx
}

// loaded is called each time a page has been loaded, which should be once. Its
// scripts may not have run yet.
func (a *App) loaded(context.Context) { a.log.Info("Page is loaded") }

// Ready tells that the page listens for drops.
func (a *App) Ready() {
	a.log.Info("Page listens")
	a.mu.Lock()
	early := a.early
	a.ready, a.early = true, nil
	a.mu.Unlock()
	for _, g := range early {
		a.hand(g)
	}
}

// dropped takes the URIs of one drop.
func (a *App) dropped(uris []string) {
	host, _ := os.Hostname()
	// What is dragged about within the page is no drop.
	uris = slices.DeleteFunc(uris, func(u string) bool { return strings.HasPrefix(u, "wails:") })
	items := window.Items(uris, host)
	a.log.Info("Something was dropped", "items", len(items))
	if len(items) == 0 {
		return
	}
	// A page behind a dialog of the desktop is not what a person drops on. A
	// dialog of the page's own is the page's matter.
	if !a.picking.TryLock() {
		a.log.Info("Drop was not taken while a dialog is open")
		return
	}
	a.picking.Unlock()
	a.give(given{items, a.server.Offer})
}

// named takes the files that a command line named.
func (a *App) named(call window.Call) {
	if len(call.Paths) == 0 {
		return
	}
	items := make([]window.Item, 0, len(call.Paths))
	for _, p := range call.Paths {
		items = append(items, window.Item{Path: string(p)})
	}
	a.give(given{items, a.server.OfferInPlace})
}

// given is what a person gave, and how it becomes an offer.
type given struct {
	items []window.Item
	offer func(path string) api.Offer
}

// give hands things to the page, at once or as soon as it listens.
func (a *App) give(g given) {
	a.mu.Lock()
	if !a.ready {
		a.early = append(a.early, g)
		a.mu.Unlock()
		return
	}
	a.mu.Unlock()
	a.hand(g)
}

func (a *App) hand(g given) {
	offers := window.Offers(g.items, g.offer)
	for _, o := range offers {
		a.log.Debug("Offered", "name", o.Name, "folder", o.Folder, "problem", o.Problem)
	}
	for _, i := range g.items {
		a.log.Debug("Dropped", "path", i.Path, "link", i.Link)
	}
	runtime.EventsEmit(a.context(), eventDrop, offers)
}

// forward tells the page what changes, until ctx ends. A page that was quicker
// than the feed, which looks at every run first, is told to read again.
func (a *App) forward(ctx context.Context) {
	changes := a.server.Changes(ctx)
	emit := func(c api.Changed) {
		if wails := a.context(); wails != nil {
			runtime.EventsEmit(wails, eventChanged, c)
		}
	}
	a.mu.Lock()
	late := a.ready
	a.mu.Unlock()
	if late {
		emit(api.Changed{})
	}
	window.Forward(ctx, changes, emit)
}
