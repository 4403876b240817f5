package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"longwatch/backend/api"
	"longwatch/backend/rundir"
)

// emptyPage stands in for the page, which other tests look at.
func emptyPage() fs.FS {
	return fstest.MapFS{"index.html": {Data: []byte("<!doctype html><title>Longwatch</title>")}}
}

// desk is a person's place: a state folder, a home folder, and `longwatch serve`
// with a browser that has signed in.
type desk struct {
	t       *testing.T
	dir     string
	home    *rundir.Home
	serve   *exec.Cmd
	out     *bufio.Scanner
	in      io.Closer
	stderr  *bytes.Buffer
	address string
	http    *http.Client
}

// newDesk serves runs, played by the agent of a scenario where there is one.
func newDesk(t *testing.T, roles string) *desk {
	t.Helper()
	return newDeskOn(t, roles, func(string) {})
}

// newDeskOn is newDesk with something done to the state folder first.
func newDeskOn(t *testing.T, roles string, prepare func(home string)) *desk {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	d := &desk{t: t, dir: dir}
	for _, name := range []string{"home", "user", "tmp"} {
		must(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	prepare(filepath.Join(dir, "home"))
	d.home, err = rundir.OpenHome(filepath.Join(dir, "home"))
	must(t, err)
	if roles != "" {
		file := filepath.Join(dir, "roles.txt")
		must(t, os.WriteFile(file, []byte(roles), 0o600))
		text := fmt.Sprintf("agent = \"fake\"\n[agents.fake]\ncommand = [%q, \"scenario\", %q]\n", self(t), file)
		must(t, os.WriteFile(filepath.Join(dir, "home", rundir.SettingsName), []byte(text), 0o600))
	}
	d.open()
	t.Cleanup(d.leave)
	return d
}

// open starts the server and signs in.
func (d *desk) open() {
	d.t.Helper()
	cmd := exec.Command(self(d.t), "serve", "--json", "--port", "0")
	cmd.Env = append(os.Environ(), "LONGWATCH_HOME="+d.home.Path(), "HOME="+filepath.Join(d.dir, "user"),
		"TMPDIR="+filepath.Join(d.dir, "tmp"))
	out, err := cmd.StdoutPipe()
	must(d.t, err)
	d.in, err = cmd.StdinPipe()
	must(d.t, err)
	d.stderr = &bytes.Buffer{}
	cmd.Stderr = d.stderr
	must(d.t, cmd.Start())
	d.serve, d.out = cmd, bufio.NewScanner(out)
	jar, err := cookiejar.New(nil)
	must(d.t, err)
	d.http = &http.Client{Jar: jar, Timeout: patience}
	in := d.invitation()
	d.address = in.Address
	if status := d.post("/api/sign-in", api.SignIn{Code: in.Code}, nil); status != http.StatusNoContent {
		d.t.Fatalf("signing in: %d", status)
	}
}

type invitation struct{ Address, Code, URL string }

func (d *desk) invitation() (in invitation) {
	d.t.Helper()
	if !d.out.Scan() {
		d.t.Fatalf("serve printed nothing: %s", d.stderr)
	}
	must(d.t, json.Unmarshal(d.out.Bytes(), &in))
	return in
}

// close ends the server as Ctrl-C does.
func (d *desk) close() {
	d.t.Helper()
	must(d.t, d.serve.Process.Signal(os.Interrupt))
	done := make(chan error, 1)
	go func() { done <- d.serve.Wait() }()
	select {
	case err := <-done:
		if err != nil || strings.Contains(d.stderr.String(), "DATA RACE") {
			d.t.Errorf("serve ended with %v:\n%s", err, d.stderr)
		}
	case <-time.After(patience):
		_ = d.serve.Process.Kill()
		d.t.Errorf("serve does not end: %s", d.stderr)
	}
	d.http.CloseIdleConnections()
}

// leave ends everything that is at work.
func (d *desk) leave() {
	d.close()
	for _, p := range workersOf(d.home.Path()) {
		_ = syscall.Kill(p.pid, syscall.SIGTERM)
	}
	if left := leftovers(d.dir, d.home.Path()); left != "" {
		d.t.Errorf("left behind: %s", left)
	}
	if report := confession(d.home.Path()); report != "" {
		d.t.Error(report)
	}
	_ = d.home.Close()
}

// ask sends a request and reads its answer into v, or into nothing. A v that is
// a *api.Failure wants one, a map takes either.
func (d *desk) ask(method, path string, body, v any) int {
	d.t.Helper()
	var r io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		must(d.t, err)
		r = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(d.t.Context(), method, d.address+strings.TrimPrefix(path, "/"), r)
	must(d.t, err)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := d.http.Do(req)
	must(d.t, err)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	must(d.t, err)
	_, wantsFailure := v.(*api.Failure)
	_, wantsEither := v.(*map[string]any)
	if v == nil {
		return res.StatusCode
	}
	if !wantsEither && wantsFailure != (res.StatusCode >= 400) || json.Unmarshal(data, v) != nil {
		d.t.Fatalf("%s %s: %d: %s", method, path, res.StatusCode, data)
	}
	return res.StatusCode
}

func (d *desk) get(path string, v any) int { d.t.Helper(); return d.ask("GET", path, nil, v) }

func (d *desk) post(path string, body, v any) int { d.t.Helper(); return d.ask("POST", path, body, v) }

// raw is an answer that is not JSON.
func (d *desk) raw(path string) (status int, h http.Header, body string) {
	d.t.Helper()
	res, err := d.http.Get(d.address + strings.TrimPrefix(path, "/"))
	must(d.t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	must(d.t, err)
	return res.StatusCode, res.Header, string(b)
}

func (d *desk) view(run string) (v api.RunView) {
	d.t.Helper()
	d.get("/api/runs/"+run, &v)
	return v
}

// begin starts a run of a task in a folder of its own.
func (d *desk) begin(name, task string) string {
	d.t.Helper()
	dir := filepath.Join(d.dir, name)
	must(d.t, os.MkdirAll(dir, 0o700))
	path := filepath.Join(dir, "task.md")
	must(d.t, os.WriteFile(path, []byte(task), 0o600))
	var b api.Begun
	d.post("/api/runs", api.Start{ID: "start-" + name, Draft: api.TaskDraft{Path: path}}, &b)
	return b.Run
}

// until pulls a run until it is as wanted.
func (d *desk) until(run, what string, done func(api.RunView) bool) (v api.RunView) {
	d.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if v = d.view(run); done(v) {
			return v
		}
		if time.Now().After(end) {
			d.t.Fatalf("waited too long for %s: %+v %+v", what, v.Run, v.Why)
		}
	}
}

func (d *desk) gate(run string) *api.Gate {
	d.t.Helper()
	return d.until(run, "a question", func(v api.RunView) bool { return v.Gate != nil }).Gate
}

func (d *desk) order(run string, c api.Command, v any) int {
	d.t.Helper()
	return d.post("/api/runs/"+run+"/commands", c, v)
}

// changes listens to the feed until the test ends.
func (d *desk) changes() <-chan api.Changed {
	d.t.Helper()
	ctx, stop := context.WithCancel(d.t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.address+"api/changes", nil)
	must(d.t, err)
	res, err := (&http.Client{Jar: d.http.Jar}).Do(req)
	must(d.t, err)
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), ": here") {
	}
	out := make(chan api.Changed, 1000)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(out)
		for lines.Scan() {
			text, is := strings.CutPrefix(lines.Text(), "data: ")
			var c api.Changed
			if is && json.Unmarshal([]byte(text), &c) == nil {
				if len(text) > 200 {
					d.t.Errorf("a notice of %d bytes: %s", len(text), text)
				}
				out <- c
			}
		}
	}()
	d.t.Cleanup(func() {
		stop()
		_ = res.Body.Close()
		<-done
	})
	return out
}

// hears waits for a notice of a run.
func (d *desk) hears(feed <-chan api.Changed, run string, within time.Duration) {
	d.t.Helper()
	for end := time.After(within); ; {
		select {
		case c, open := <-feed:
			if !open {
				d.t.Fatal("the feed ended")
			}
			if c.Run == run {
				return
			}
		case <-end:
			d.t.Fatalf("no notice of %s within %s", run, within)
		}
	}
}
