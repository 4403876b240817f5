package api

import (
	"io/fs"
	"net/http"
	"strings"
)

// Inside serves the page and a [Server] to a window that only shows our own
// page: there is nobody to keep out, so it has no [Door]. What may be done with
// an answer is as strict as behind the door.
func Inside(s *Server, page fs.FS) http.Handler {
	pages, rooms := files(page), s.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rules(w.Header())
		if strings.HasPrefix(r.URL.Path, "/api/") {
			rooms.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	})
}
