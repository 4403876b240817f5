package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	maxBody      = 1 << 20 // bytes of a page that are looked into
	maxRedirects = 3
	httpTimeout  = 20 * time.Second
)

var (
	errAddress   = errors.New("not a loopback or public address")
	errRedirects = errors.New("more than 3 redirects")
)

func judgeHTTP(ctx context.Context, c Check, env Env) finding {
	ctx, cancel := context.WithTimeout(ctx, httpTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL, nil)
	if err != nil {
		return broken("not a request: %v", err)
	}
	req.Header.Set("User-Agent", "longwatch-check")
	client := strictClient(req.URL.Hostname())
	if env.HTTP != nil {
		copied := *env.HTTP
		client = &copied
	}
	if c.Status >= 300 && c.Status < 400 {
		client.CheckRedirect = func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // the redirect itself is what is asked for
		}
	}
	resp, err := client.Do(req)
	switch {
	case errors.Is(err, errAddress):
		return broken("%v", errAddress)
	case err != nil:
		return fail("no answer: %v", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	return judgeAnswer(c, resp.StatusCode, body, err)
}

func judgeAnswer(c Check, status int, body []byte, readErr error) finding {
	begins := "empty body"
	if len(body) > 0 {
		begins = "body begins: " + snippet(body)
	}
	if status != c.Status {
		return fail("status %d, wanted %d; %s", status, c.Status, begins)
	}
	if c.Text == "" {
		return pass("status %d; %s", status, begins)
	}
	within := body[:min(len(body), maxBody)]
	if at := bytes.Index(within, []byte(c.Text)); at >= 0 {
		got := found(within, at, "")
		got.proof = fmt.Sprintf("status %d; %s", status, got.proof)
		return got
	}
	switch {
	case readErr != nil:
		return fail("status %d, but the body broke off: %v", status, readErr)
	case len(body) > maxBody:
		return fail("status %d, but not in the first 1 MiB; %s", status, begins)
	}
	return fail("status %d, but not in %d bytes; %s", status, len(body), begins)
}

// strictClient reaches loopback and public addresses, directly. Private networks
// and link-local addresses (a cloud's metadata service) are nobody's business in
// a check, and a page elsewhere may not redirect us to this machine.
func strictClient(host string) *http.Client {
	redirected := &atomic.Bool{}
	dialer := net.Dialer{Timeout: httpTimeout, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return errAddress
		}
		return allowed(at.Addr().Unmap(), !redirected.Load() || isLoopback(host))
	}}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: dialer.DialContext, DisableKeepAlives: true,
			TLSHandshakeTimeout: httpTimeout, MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(_ *http.Request, via []*http.Request) error {
			redirected.Store(true)
			if len(via) > maxRedirects {
				return errRedirects
			}
			return nil
		},
	}
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || (err == nil && ip.IsLoopback())
}

func allowed(ip netip.Addr, loopback bool) error {
	shared := netip.MustParsePrefix("100.64.0.0/10") // carrier-grade NAT
	switch {
	case ip.IsLoopback():
		if loopback {
			return nil
		}
	case ip.IsGlobalUnicast() && !ip.IsPrivate() && !shared.Contains(ip):
		return nil
	}
	return fmt.Errorf("%s: %w", ip, errAddress)
}
