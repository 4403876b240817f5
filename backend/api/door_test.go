package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"longwatch/backend/rundir"
)

// house is a server of an empty state folder behind its door, and a cookie that
// opens it.
type house struct {
	t      *testing.T
	s      *Server
	d      *Door
	cookie string
	now    time.Time
}

const host = "127.0.0.1:7788"

func newHouse(t *testing.T) *house {
	t.Helper()
	home, err := rundir.OpenHome(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{Home: home, Face: Browser})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		_ = home.Close()
	})
	page := fstest.MapFS{
		"index.html": {Data: []byte("<!doctype html>")}, "assets/a.js": {Data: []byte("1")},
		"secret.map": {Data: []byte("x")}, ".gitkeep": {},
	}
	h := &house{t: t, s: s, d: NewDoor(s, page, "7788"), now: time.Unix(1_800_000_000, 0)}
	h.d.now = func() time.Time { return h.now }
	res := h.signIn(h.d.Code())
	if res.Code != http.StatusNoContent {
		t.Fatalf("signing in: %d %s", res.Code, res.Body)
	}
	h.cookie, _, _ = strings.Cut(res.Header().Get("Set-Cookie"), ";")
	return h
}

func (h *house) signIn(code string) *httptest.ResponseRecorder {
	return h.ask("POST", "/api/sign-in", `{"code":"`+code+`"}`, nil)
}

// ask sends a request as a page of ours does, but for the headers given.
func (h *house) ask(method, target, body string, headers map[string]string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(h.t.Context(), method, target, strings.NewReader(body))
	r.Host = host
	r.Header.Set("Origin", "http://"+host)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Content-Type", "application/json")
	if h.cookie != "" {
		r.Header.Set("Cookie", h.cookie)
	}
	for name, value := range headers {
		switch {
		case name == "Host":
			r.Host = value
		case value == "":
			r.Header.Del(name)
		default:
			r.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	h.d.ServeHTTP(w, r)
	return w
}

func TestOnlyAPageOfOursIsLetIn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for name, c := range map[string]struct {
		method, path string
		headers      map[string]string
		want         int
	}{
		"our page":                         {"GET", "/api/runs", nil, 200},
		"our page by its name":             {"GET", "/api/runs", map[string]string{"Host": "localhost:7788", "Origin": "http://localhost:7788"}, 200},
		"a typed address":                  {"GET", "/", map[string]string{"Sec-Fetch-Site": "none", "Origin": ""}, 200},
		"a program without a site":         {"GET", "/api/runs", map[string]string{"Sec-Fetch-Site": "", "Origin": ""}, 200},
		"no cookie":                        {"GET", "/api/runs", map[string]string{"Cookie": ""}, 401},
		"a wrong cookie":                   {"GET", "/api/runs", map[string]string{"Cookie": "longwatch-7788=guess"}, 401},
		"another name that leads here":     {"GET", "/api/runs", map[string]string{"Host": "evil.example:7788", "Origin": "http://evil.example:7788"}, 403},
		"our name with another port":       {"GET", "/api/runs", map[string]string{"Host": "127.0.0.1:80"}, 403},
		"no name":                          {"GET", "/api/runs", map[string]string{"Host": ""}, 403},
		"another origin":                   {"POST", "/api/runs", map[string]string{"Origin": "https://evil.example"}, 403},
		"the null origin":                  {"POST", "/api/runs", map[string]string{"Origin": "null"}, 403},
		"another port of this machine":     {"POST", "/api/runs", map[string]string{"Origin": "http://127.0.0.1:3000"}, 403},
		"our host by https":                {"POST", "/api/runs", map[string]string{"Origin": "https://" + host}, 403},
		"another site":                     {"GET", "/api/runs", map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": ""}, 403},
		"the same site, not origin":        {"GET", "/", map[string]string{"Sec-Fetch-Site": "same-site", "Origin": ""}, 403},
		"a form without a site":            {"POST", "/api/runs", map[string]string{"Sec-Fetch-Site": "none", "Origin": ""}, 403},
		"a preflight":                      {"OPTIONS", "/api/runs", nil, 405},
		"a method that is not used":        {"PUT", "/api/runs", nil, 405},
		"a method that is not for this":    {"DELETE", "/api/runs", nil, 405},
		"a post to the page":               {"POST", "/", nil, 405},
		"reading the door":                 {"GET", "/api/sign-in", nil, 405},
		"a text that could be a form":      {"POST", "/api/runs", map[string]string{"Content-Type": "text/plain"}, 415},
		"a file of the page":               {"GET", "/assets/a.js", nil, 200},
		"a file that is not of the page":   {"GET", "/secret.map", nil, 404},
		"a hidden file":                    {"GET", "/.gitkeep", nil, 404},
		"a way out of the page":            {"GET", "/../go.mod", nil, 404},
		"a way out of the page, encoded":   {"GET", "/%2e%2e/go.mod", nil, 404},
		"a folder of the page":             {"GET", "/assets", nil, 404},
		"nothing that there is":            {"GET", "/api/nothing", nil, 404},
		"a way out of the runs":            {"GET", "/api/runs/..%2f..%2fetc", nil, 404},
		"a way out of the runs, unescaped": {"GET", "/api/runs/../about", nil, 404},
		"a hidden run":                     {"GET", "/api/runs/.new-x", nil, 404},
		"a round that is no number":        {"GET", "/api/runs/x/rounds/1e9", nil, 404},
		"a round before the first":         {"GET", "/api/runs/x/rounds/-1", nil, 404},
		"a digest that is a path":          {"GET", "/api/runs/x/texts/..%2f..%2ftask.md", nil, 404},
		"a digest in capitals":             {"GET", "/api/runs/x/evidence/" + strings.Repeat("A", 64), nil, 404},
		"a sequence that is no number":     {"GET", "/api/runs/x?after=-1", nil, 400},
	} {
		t.Run(name, func(t *testing.T) {
			res := h.ask(c.method, c.path, "{}", c.headers)
			if res.Code != c.want {
				t.Fatalf("%d, want %d: %s", res.Code, c.want, res.Body)
			}
			if c.want >= 400 && !strings.Contains(res.Body.String(), `"code":"`) {
				t.Errorf("no failure in %s", res.Body)
			}
			if got := res.Header(); got.Get("Access-Control-Allow-Origin") != "" || got.Get("Cache-Control") != "no-store" ||
				!strings.Contains(got.Get("Content-Security-Policy"), "default-src 'none'") ||
				got.Get("Cross-Origin-Resource-Policy") != "same-origin" || got.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("headers: %v", got)
			}
		})
	}
}

func TestACodeOpensOnceAndNotForLong(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	res := h.signIn(h.d.Code())
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/"} {
		if !strings.Contains(res.Header().Get("Set-Cookie"), want) {
			t.Errorf("the cookie lacks %s: %s", want, res.Header().Get("Set-Cookie"))
		}
	}
	used := h.d.Code()
	h.signIn(used)
	old := h.d.Code()
	h.d.Code()
	for name, code := range map[string]string{"used": used, "replaced": old, "empty": ""} {
		if res := h.signIn(code); res.Code != http.StatusUnauthorized {
			t.Errorf("%s code: %d", name, res.Code)
		}
	}
	late := h.d.Code()
	h.now = h.now.Add(codeLasts + time.Second)
	if res := h.signIn(late); res.Code != http.StatusUnauthorized {
		t.Errorf("late: %d", res.Code)
	}
	guessed := h.d.Code()
	for range mostWrong {
		h.signIn("aaaa-aaaa-aaaa-aaaa")
	}
	if res := h.signIn(guessed); res.Code != http.StatusUnauthorized {
		t.Errorf("after %d guesses the right one: %d", mostWrong, res.Code)
	}
}

func TestTheOldestOfManyBrowsersIsSignedOut(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for range mostSessions - 1 {
		h.signIn(h.d.Code())
	}
	if res := h.ask("GET", "/api/runs", "", nil); res.Code != 200 {
		t.Errorf("still among the newest: %d", res.Code)
	}
	h.signIn(h.d.Code())
	if res := h.ask("GET", "/api/runs", "", nil); res.Code != http.StatusUnauthorized {
		t.Errorf("one too many: %d", res.Code)
	}
}

func TestBodiesAreReadStrictly(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for name, c := range map[string]struct {
		path, body string
		status     int
		says       string
	}{
		"an unknown field":          {"/api/inspect", `{"text":"x","workspce":"/w"}`, 400, `unknown field \"workspce\"`},
		"an unknown field below":    {"/api/runs", `{"id":"a","draft":{"txt":""}}`, 400, `unknown field \"txt\"`},
		"a wrong type":              {"/api/inspect", `{"rounds":"5"}`, 400, "rounds"},
		"no JSON":                   {"/api/inspect", `text`, 400, "invalid character"},
		"nothing":                   {"/api/inspect", ``, 400, "EOF"},
		"two values":                {"/api/inspect", `{} {}`, 400, "something follows"},
		"a body that is too large":  {"/api/inspect", `{"text":"` + strings.Repeat("x", maxBody) + `"}`, 413, "too_large"},
		"a code that is too large":  {"/api/sign-in", `{"code":"` + strings.Repeat("x", 5000) + `"}`, 413, "too_large"},
		"a command without an id":   {"/api/runs/x/commands", `{"kind":"stop"}`, 400, "id:"},
		"a command with a path":     {"/api/runs/x/commands", `{"id":"../x","kind":"stop"}`, 400, "id:"},
		"a command that is none":    {"/api/runs/x/commands", `{"id":"a","kind":"limits"}`, 400, "there is no command"},
		"an answer without a gate":  {"/api/runs/x/commands", `{"id":"a","kind":"answer"}`, 400, "names the gate"},
		"a message that is a book":  {"/api/runs/x/commands", `{"id":"a","kind":"send","text":"` + strings.Repeat("x", 8000) + `"}`, 413, "at most 7168 fit"},
		"a command for no run":      {"/api/runs/x/commands", `{"id":"a","kind":"stop"}`, 404, "not_found"},
		"a start without an id":     {"/api/runs", `{"draft":{"text":"# x"}}`, 400, "id:"},
		"a path that is relative":   {"/api/inspect", `{"path":"task.md"}`, 400, "not absolute"},
		"a file nobody has dropped": {"/api/inspect", `{"offer":"offer-x"}`, 404, "not known any more"},
		"a file twice":              {"/api/inspect", `{"offer":"offer-x","path":"/x"}`, 400, "not both"},
		"a sample that is not here": {"/api/sample", ``, 404, "no sample"},
	} {
		t.Run(name, func(t *testing.T) {
			res := h.ask("POST", c.path, c.body, nil)
			if res.Code != c.status || !strings.Contains(res.Body.String(), c.says) {
				t.Errorf("%d, want %d: %s", res.Code, c.status, res.Body)
			}
		})
	}
}

// Whatever a body is, it is read or refused with a code; a draft that is read
// says what it asks for or what is wrong.
func FuzzBodiesAreReadOrRefused(f *testing.F) {
	for _, body := range []string{
		`{"text":"---\nsteps: [{name: a, run: b}]\n---\n"}`, `{"path":"/"}`, `{"text":"# x","workspace":"~/x","rounds":-1}`,
		`{"text":"---\nworkspace: ../..\n---\nx","name":"\u001b/"}`, `{"id":"a","draft":{}}`, `{"id":"a","kind":"answer","end":1}`,
	} {
		f.Add(body)
	}
	home, err := rundir.OpenHome(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	s := &Server{o: Options{Home: home}}
	request := func(body string) *http.Request {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		return r
	}
	refused := func(t *testing.T, err error) {
		if err != nil && failure(err).status == http.StatusInternalServerError {
			t.Errorf("not refused but failed: %v", err)
		}
	}
	f.Fuzz(func(t *testing.T, body string) {
		_, err := decode[Start](request(body))
		refused(t, err)
		c, err := decode[Command](request(body))
		refused(t, err)
		refused(t, c.check())
		if _, err := decode[TaskDraft](request(body)); err == nil {
			v, err := s.inspect(request(body))
			refused(t, err)
			if in, ok := v.(Inspection); ok && in.Workspace.Path == "" && len(in.Blockers) == 0 {
				t.Errorf("nothing stands against a run without a folder: %+v", in)
			}
		}
	})
}
