package api

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"path"
	"sync"

	"longwatch/backend/rundir"
)

// Face says which kind of window asks; a receipt names it as its channel.
type Face string

const (
	Window  Face = "window"
	Browser Face = "browser"
)

// Options say what a server serves.
type Options struct {
	Home    *rundir.Home
	Version string
	Face    Face
	// Sample is the folder of the sample task, with task.md in it; nil: none.
	Sample fs.FS
	// Program is what workers are started from; empty: this binary.
	Program string
}

// Server answers for one state folder. Its methods may be called from several
// goroutines.
type Server struct {
	o        Options
	lives    *lives
	list     listing
	hub      *hub
	offers   offers
	commands flights[Receipt]
	starts   flights[Begun]
	begun    beginnings
	open     streams
	handler  http.Handler
	end      context.CancelFunc
	tasks    sync.WaitGroup
}

// New makes a server of an open state folder, which must stay open until Close.
func New(o Options) *Server {
	ctx, end := context.WithCancel(context.Background())
	s := &Server{o: o, lives: newLives(o.Home), hub: newHub(o.Home), end: end}
	s.handler = s.routes()
	s.tasks.Go(func() { s.hub.serve(ctx) })
	return s
}

// Handler serves everything below /api/. It trusts whoever asks: what stands
// between it and a browser is a [Door].
func (s *Server) Handler() http.Handler { return s.handler }

// Close ends the change feed and lets the runs go. Requests that are being
// answered should have ended before.
func (s *Server) Close() error {
	s.end()
	s.tasks.Wait()
	return s.lives.close()
}

// Changes tells what changes from now on, until ctx or the server ends; then
// the channel is closed. A run is told at most ten times a second. A reader
// that is slow gets the newest of each run.
func (s *Server) Changes(ctx context.Context) <-chan Changed { return s.hub.subscribe(ctx) }

// answer makes the body of an answer; nil is an answer without one.
type answer func(r *http.Request) (any, error)

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	known := map[string][]string{}
	at := func(method, pattern string, h http.Handler) {
		mux.Handle(method+" "+pattern, h)
		known[pattern] = append(known[pattern], method)
	}
	read := func(pattern string, a answer) { at(http.MethodGet, pattern, reading(a)) }
	post := func(pattern string, a answer) { at(http.MethodPost, pattern, writing(a)) }
	read("/api/about", s.about)
	read("/api/runs", s.runs)
	read("/api/runs/{id}", s.view)
	read("/api/runs/{id}/rounds/{n}", s.round)
	read("/api/doctor", s.doctor)
	at(http.MethodGet, "/api/runs/{id}/task", raw(s.task))
	at(http.MethodGet, "/api/runs/{id}/texts/{digest}", raw(s.text))
	at(http.MethodGet, "/api/runs/{id}/evidence/{digest}", raw(s.evidence))
	at(http.MethodGet, "/api/changes", http.HandlerFunc(s.stream))
	at(http.MethodDelete, "/api/runs/{id}", writing(s.remove))
	post("/api/runs/{id}/commands", s.command)
	post("/api/inspect", s.inspect)
	post("/api/runs", s.start)
	post("/api/sample", s.sample)
	for pattern, methods := range known {
		mux.Handle(pattern, notAllowed(methods))
	}
	mux.Handle("/", nothing)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		// The multiplexer would answer with a redirection, which is no Failure.
		if r.URL.Path != path.Clean(r.URL.Path) {
			nothing.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (s *Server) about(*http.Request) (any, error) {
	return About{
		Version: s.o.Version, Home: s.o.Home.Path(), Face: string(s.o.Face), Sample: s.o.Sample != nil,
	}, nil
}

// dir opens the run that a request names.
func (s *Server) dir(r *http.Request) (*rundir.Run, error) {
	id := r.PathValue("id")
	if !rundir.ValidID(id) {
		return nil, noRun(id)
	}
	return s.o.Home.Open(id)
}

// look has do look at the live fold of the run that a request names.
func (s *Server) look(r *http.Request, do func(*live) error) error {
	id := r.PathValue("id")
	if !rundir.ValidID(id) {
		return noRun(id)
	}
	return s.lives.look(id, do)
}

func noRun(id string) error { return errors.Join(rundir.ErrNoRun, errors.New(quoted(id))) }
