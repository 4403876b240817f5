//go:build desktop && !bindings

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/wailsapp/wails/v2"

	"longwatch/backend/api"
	"longwatch/backend/rundir"
	"longwatch/backend/window"
	"longwatch/backend/worker"
)

func main() { os.Exit(windowFace(os.Args[1:])) }

const windowUsage = `longwatch-window shows the runs of this machine.

usage: longwatch-window [TASK...]

A task file is opened as a new run, which starts when you say so. A window that is
open already comes to the front. Closing it ends no run. Everything else is done by
the program longwatch, which has to be beside this one or in PATH.
`

// windowFace is the program longwatch-window. Files named on its command line
// are opened as if they had been dropped.
func windowFace(args []string) int {
	if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
		fmt.Print(windowUsage)
		return 0
	}
	if len(args) == 1 && args[0] == "--version" {
		fmt.Println("longwatch-window version " + version)
		return 0
	}
	if err := show(args); err != nil {
		fmt.Fprintf(os.Stderr, "longwatch-window: %s\n", err)
		return 1
	}
	return 0
}

// show opens the window, or hands what was named to the one that is open.
func show(files []string) error {
	if !api.Built(assets().Page) {
		return errors.New("the page is not built into this program; build it with `make window`")
	}
	call, err := callFor(files)
	if err != nil {
		return err
	}
	if runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return errors.New("there is no display to show a window on; `longwatch serve` shows the runs in a browser")
	}
	path, err := rundir.DefaultPath()
	if err != nil {
		return err
	}
	home, err := rundir.OpenHome(path)
	if err != nil {
		return err
	}
	defer home.Close()
	seat, err := window.Take(home.Path(), call)
	if err != nil || seat == nil {
		return err
	}
	defer seat.Leave()
	// Before there are threads of a toolkit that read the environment.
	logIn()
	program, err := worker.Program()
	if err != nil {
		return err
	}
	return (&shell{home: home, seat: seat, program: program}).run(call)
}

// logIn takes PATH and proxies from the person's login shell where nobody
// started us from a terminal: a double click knows neither, and agents are
// found by them. Without an answer things stay as they are.
func logIn() {
	shell := os.Getenv("SHELL")
	if shell == "" || os.Getenv("TERM") != "" {
		return
	}
	variables, err := worker.LoginEnvironment(context.Background(), shell)
	if err != nil {
		return
	}
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		_ = os.Setenv(name, value)
	}
}

// callFor is what a start asks for, in words that another process understands.
func callFor(files []string) (window.Call, error) {
	call := window.Call{Token: startToken()}
	for _, f := range files {
		path, err := filepath.Abs(f)
		if err != nil {
			return call, err
		}
		if _, err := os.Stat(path); err != nil {
			return call, err
		}
		call.Paths = append(call.Paths, []byte(path))
	}
	return call, nil
}

// startToken is the desktop's word that a person started us just now.
func startToken() string {
	for _, name := range []string{"XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"} {
		if token := os.Getenv(name); token != "" {
			return token
		}
	}
	return ""
}

// shell is the one window of this process and what belongs to it.
type shell struct {
	home    *rundir.Home
	seat    *window.Seat
	program string
	app     *App
	look    window.Look
	tasks   sync.WaitGroup
}

// run shows the window until it is closed.
func (sh *shell) run(call window.Call) (err error) {
	log, err := sh.logTo()
	if err != nil {
		return err
	}
	defer log.Close()
	level := slog.LevelInfo
	if os.Getenv("LONGWATCH_LOG") == "debug" {
		level = slog.LevelDebug
	}
	out := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: level}))
	out.Info("Window starts", "version", version, "program", sh.program, "pid", os.Getpid())
	assets := assets()
	server := api.New(api.Options{
		Home: sh.home, Version: version, Face: api.Window, Sample: assets.Sample, Program: sh.program,
	})
	sh.app = &App{server: server, log: out}
	sh.look = window.LoadLook(sh.seat.Dir())
	sh.app.dark.Store(sh.look.Dark)
	sh.app.named(call)
	ctx, end := context.WithCancel(context.Background())
	sh.tasks.Go(func() { sh.app.forward(ctx) })
	sh.tasks.Go(func() { sh.seat.Serve(sh.called) })
	defer func() {
		end()
		err = errors.Join(err, server.Close(), sh.seat.Stop())
		sh.tasks.Wait()
		out.Info("Window ends")
	}()
	return sh.wails(ctx, logged(out, api.Inside(server, assets.Page)))
}

// logTo opens the log; a crash writes its last words there.
func (sh *shell) logTo() (*window.Log, error) {
	log, err := window.OpenLog(sh.seat.Dir())
	if err == nil {
		err = debug.SetCrashOutput(log.File(), debug.CrashOptions{})
	}
	return log, err
}

// wails runs the toolkit. It panics where there is no display, and only there.
func (sh *shell) wails(ctx context.Context, h http.Handler) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("open the window: %v", p)
		}
	}()
	o := windowOptions(sh.app, h, sh.look)
	o.OnStartup = func(wails context.Context) {
		sh.app.begun(wails)
		sh.app.attach(sh.look)
		// Nobody waits for it: it may have asked the toolkit for a dialog that
		// the toolkit's end leaves without an answer.
		go sh.sameVersion(ctx)
	}
	o.OnBeforeClose = func(context.Context) (prevent bool) {
		sh.remember()
		return false
	}
	return wails.Run(o)
}

// sameVersion ends the window with a word where what it would start is of
// another version.
func (sh *shell) sameVersion(ctx context.Context) {
	err := worker.SameVersion(ctx, sh.program, version)
	if err == nil || ctx.Err() != nil {
		return
	}
	sh.app.log.Error("Program does not fit", "err", err)
	fmt.Fprintf(os.Stderr, "longwatch-window: %s\n", err)
	sh.app.refuse("Longwatch cannot start runs", err.Error())
}

// called takes what a second start hands over.
func (sh *shell) called(call window.Call) {
	sh.app.log.Info("Called by a second start", "files", len(call.Paths))
	sh.app.raise(call.Token)
	sh.app.named(call)
}

// remember keeps how the window looks.
func (sh *shell) remember() {
	look := sh.app.looks(sh.look)
	if err := look.Save(sh.seat.Dir()); err != nil {
		sh.app.log.Warn("Look was not kept", "err", err)
	}
}

// logged writes a line for each request, where that much is wanted.
func logged(log *slog.Logger, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		log.Debug("Asked", "method", r.Method, "path", r.URL.RequestURI())
		h.ServeHTTP(w, r)
	})
}
