package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	// stillHere is how often a stream on which nothing happens says so.
	stillHere = 15 * time.Second
	// mostStreams bounds the streams at one time.
	mostStreams = 32
	// sendWithin bounds one write to a reader that has stopped reading.
	sendWithin = 10 * time.Second
)

// streams counts them.
type streams struct{ n atomic.Int32 }

// stream tells changes as server-sent events.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	if s.open.n.Add(1) > mostStreams {
		s.open.n.Add(-1)
		fail(w, r, refuse(http.StatusServiceUnavailable, codeBusy, "too many windows listen already"))
		return
	}
	defer s.open.n.Add(-1)
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	send := func(format string, args ...any) bool {
		// Not every writer has a deadline; the server's own are then enough.
		_ = out.SetWriteDeadline(time.Now().Add(sendWithin))
		_, err := fmt.Fprintf(w, format, args...)
		return err == nil && out.Flush() == nil
	}
	changes := s.Changes(r.Context())
	if !send("retry: 1000\n: here\n\n") {
		return
	}
	quiet := time.NewTicker(stillHere)
	defer quiet.Stop()
	for {
		select {
		case c, more := <-changes:
			b, err := json.Marshal(c)
			if !more || err != nil || !send("data: %s\n\n", b) {
				return
			}
		case <-quiet.C:
			if !send(": still here\n\n") {
				return
			}
		}
	}
}
