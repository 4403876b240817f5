package check

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func serve(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/ok", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "line one\nall good") })
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/ok", http.StatusFound) })
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	mux.HandleFunc("/private", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
	})
	mux.HandleFunc("/long", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, strings.Repeat("x", maxBody)+"needle")
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func TestHTTPChecksLoopback(t *testing.T) {
	t.Parallel()
	base := serve(t)
	for _, row := range []struct {
		check  string
		status Status
		proof  string
	}{
		{"/ok status 200", Pass, `status 200; body begins: line one\nall good`},
		{`/ok status 200 contains "good"`, Pass, "status 200; line 2: all good"},
		{`/ok status 200 contains "bad"`, Fail, `status 200, but not in 17 bytes; body begins: line one\nall good`},
		{"/none status 200", Fail, `status 404, wanted 200; body begins: 404 page not found\n`},
		{"/moved status 200", Pass, `status 200; body begins: line one\nall good`},
		{"/moved status 302", Pass, `status 302; body begins: <a href="/ok">Found</a>.\n\n`},
	} {
		got := evaluate(t, "", "http "+base+row.check)
		if got.Status != row.status || got.Proof != row.proof {
			t.Errorf("%s: %s, %q; want %s, %q", row.check, got.Status, got.Proof, row.status, row.proof)
		}
	}
	got := evaluate(t, "", "http "+base+`/long status 200 contains "needle"`)
	if got.Status != Fail || !strings.HasPrefix(got.Proof, "status 200, but not in the first 1 MiB") {
		t.Errorf("a text behind 1 MiB: %+v", got)
	}
	if got := evaluate(t, "", "http "+base+"/loop status 200"); got.Status != Fail || !strings.Contains(got.Proof, errRedirects.Error()) {
		t.Errorf("a circle: %+v", got)
	}
}

func TestHTTPRefusesPrivateAddresses(t *testing.T) {
	t.Parallel()
	base := serve(t)
	for _, url := range []string{
		"http://10.0.0.1/", "http://192.168.1.1/", "http://169.254.169.254/latest", "http://100.64.0.1/", "http://[fd00::1]/", "http://[::ffff:10.0.0.1]/", "http://0.0.0.0:1/", base + "/private",
	} {
		got := evaluate(t, "", "http "+url+" status 200")
		if got.Status != Broken || got.Proof != errAddress.Error() {
			t.Errorf("%s: %+v", url, got)
		}
	}
}

func TestRedirectFromElsewhereMayNotReachLoopback(t *testing.T) {
	t.Parallel()
	local := netip.MustParseAddr("127.0.0.1")
	if allowed(local, false) == nil || allowed(local, true) != nil {
		t.Error("loopback is allowed exactly where the check began there")
	}
	if err := allowed(netip.MustParseAddr("93.184.216.34"), false); err != nil {
		t.Errorf("a public address: %v", err)
	}
	client := strictClient("example.org")
	if err := client.CheckRedirect(nil, []*http.Request{{}}); err != nil {
		t.Fatal(err)
	}
	if resp, err := client.Get(serve(t) + "/ok"); err == nil {
		resp.Body.Close()
		t.Error("a redirect from example.org reached this machine")
	}
}

func TestServerThatIsDownFails(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	url := server.URL
	server.Close()
	got := evaluate(t, "", "http "+url+" status 200")
	if got.Status != Fail || !strings.Contains(got.Proof, "connection refused") {
		t.Errorf("got %+v", got)
	}
}
