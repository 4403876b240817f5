package api

import (
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// fileKinds are what the files of the page are served as. Others are not.
var fileKinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".woff2": "font/woff2",
	".json": "application/json; charset=utf-8", ".txt": textKind, ".webmanifest": "application/manifest+json",
}

// Built reports whether there is a page to serve.
func Built(page fs.FS) bool {
	if page == nil {
		return false
	}
	st, err := fs.Stat(page, "index.html")
	return err == nil && st.Mode().IsRegular()
}

// files serves the files of the page. They are ours.
func files(page fs.FS) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if name == "" {
			name = "index.html"
		}
		kind := fileKinds[path.Ext(name)]
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			fail(w, r, refuse(http.StatusMethodNotAllowed, codeRefused, "%s is not for this", r.Method))
			return
		}
		data, err := fs.ReadFile(page, name)
		if err != nil || kind == "" {
			nothing.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		w.WriteHeader(http.StatusOK)
		if r.Method == http.MethodGet {
			_, _ = w.Write(data)
		}
	})
}
