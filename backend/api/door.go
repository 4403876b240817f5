package api

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// codeLasts is how long a code can be used.
	codeLasts = 10 * time.Minute
	// mostWrong is how many wrong codes there may be before the right one is
	// void: it cannot be guessed.
	mostWrong = 10
	// mostSessions bounds the browsers that are signed in; the oldest makes
	// room.
	mostSessions = 16
)

// Door stands between a browser and a [Server]. It serves the page and lets
// through to the rest only a browser that has signed in, from a page of ours.
//
// Any page in any browser of this machine can send requests to a port, and any
// name can be made to lead to 127.0.0.1. So a request that does not name one of
// our own hosts, or says that it comes from elsewhere, is refused before
// anything else is looked at; nothing is ever allowed to other origins. What
// opens the door is a code that is used once, in exchange for a cookie that no
// script can read and no other site can send.
type Door struct {
	page   http.Handler
	rooms  http.Handler
	hosts  []string
	cookie string
	now    func() time.Time

	mu       sync.Mutex
	code     string
	until    time.Time
	wrong    int
	sessions [][sha256.Size]byte
}

// NewDoor makes the door of a server that listens on port of this machine. page
// are the files of the page.
func NewDoor(s *Server, page fs.FS, port string) *Door {
	return &Door{
		page: files(page), rooms: s.Handler(), now: time.Now,
		hosts:  []string{"127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port},
		cookie: "longwatch-" + port,
	}
}

// Code makes a new code, valid for ten minutes and one use. The one before it
// is void.
func (d *Door) Code() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	text := strings.ToLower(rand.Text())
	d.code = text[:4] + "-" + text[4:8] + "-" + text[8:12] + "-" + text[12:16]
	d.until, d.wrong = d.now().Add(codeLasts), 0
	return d.code
}

const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
	"connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// rules are what a page of ours, and everything it gets, may be used for.
func rules(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Embedder-Policy", "require-corp")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
	h.Set("Cache-Control", "no-store")
}

// ServeHTTP implements http.Handler.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rules(w.Header())
	if err := d.foreign(r); err != nil {
		fail(w, r, err)
		return
	}
	inside := strings.HasPrefix(r.URL.Path, "/api/")
	switch {
	case !inside:
		d.page.ServeHTTP(w, r)
	case r.URL.Path == "/api/sign-in":
		d.signIn(w, r)
	case !d.knows(r):
		fail(w, r, refuse(http.StatusUnauthorized, codeSignedOut, "this browser is not signed in").
			hint("Take a new code from the terminal of `longwatch serve`: press Enter there."))
	default:
		d.rooms.ServeHTTP(w, r)
	}
}

var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete}

// foreign refuses what no page of ours sends.
func (d *Door) foreign(r *http.Request) error {
	if !slices.Contains(methods, r.Method) {
		return refuse(http.StatusMethodNotAllowed, codeRefused, "%s is not for this", quoted(clip(r.Method, 40)))
	}
	no := func(what, value string) error {
		return refuse(http.StatusForbidden, codeRefused, "%s is not this Longwatch: %s", what, quoted(clip(value, 200)))
	}
	if !slices.Contains(d.hosts, r.Host) {
		return no("the host", r.Host)
	}
	if from := r.Header["Origin"]; len(from) > 0 && (len(from) > 1 || from[0] != "http://"+r.Host) {
		return no("the origin", strings.Join(from, " "))
	}
	site := r.Header["Sec-Fetch-Site"]
	asks := r.Method == http.MethodGet || r.Method == http.MethodHead
	for _, s := range site {
		if s != "same-origin" && (s != "none" || !asks) {
			return no("the site", s)
		}
	}
	return nil
}

// knows reports whether a request has the cookie of a session.
func (d *Door) knows(r *http.Request) bool {
	c, err := r.Cookie(d.cookie)
	if err != nil {
		return false
	}
	sum := sha256.Sum256([]byte(c.Value))
	d.mu.Lock()
	defer d.mu.Unlock()
	known := 0
	for _, s := range d.sessions {
		known |= subtle.ConstantTimeCompare(s[:], sum[:])
	}
	return known == 1
}

// signIn exchanges a code for a cookie.
func (d *Door) signIn(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		fail(w, r, refuse(http.StatusMethodNotAllowed, codeRefused, "%s is not for this; POST is", r.Method))
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
	in, err := decode[SignIn](r)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		err = refuse(http.StatusRequestEntityTooLarge, codeTooLarge, "a code is not as long as that")
	case err == nil && !d.use(in.Code):
		err = refuse(http.StatusUnauthorized, codeSignedOut, "the code is wrong, was used before, or is older than ten minutes").
			hint("Press Enter in the terminal of `longwatch serve` for a new one.")
	}
	if err != nil {
		fail(w, r, err)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: d.cookie, Value: d.session(), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	w.WriteHeader(http.StatusNoContent)
}

// use takes a code: the right one can be used once.
func (d *Door) use(code string) bool {
	code = strings.ToLower(strings.TrimSpace(code))
	d.mu.Lock()
	defer d.mu.Unlock()
	right := subtle.ConstantTimeCompare([]byte(code), []byte(d.code)) == 1
	if d.code == "" || d.now().After(d.until) {
		d.code = ""
		return false
	}
	if !right {
		if d.wrong++; d.wrong >= mostWrong {
			d.code = ""
		}
		return false
	}
	d.code = ""
	return true
}

// session makes a session and returns what its cookie holds; only the digest of
// that is kept.
func (d *Door) session() string {
	secret := rand.Text()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sessions = append(d.sessions, sha256.Sum256([]byte(secret)))
	if n := len(d.sessions); n > mostSessions {
		d.sessions = d.sessions[n-mostSessions:]
	}
	return secret
}
