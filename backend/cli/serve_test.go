package cli

import (
	"io"
	"net"
	"strings"
	"testing"
	"testing/fstest"
)

func TestServeSaysHowToBuildThePage(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	a := &app{in: strings.NewReader(""), out: io.Discard, err: &out, assets: Assets{Page: fstest.MapFS{".gitkeep": {}}}}
	if code := a.explain(a.serve(serveFlags{})); code != ExitUsage || !strings.Contains(out.String(), "make build") {
		t.Errorf("exit %d: %s", code, out.String())
	}
}

func TestServeTakesThePortThatWasChosenOrNone(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	if l, err := listen(serveFlags{port: port, chosen: true}); err == nil || !strings.Contains(err.Error(), "is taken") {
		t.Errorf("a port that is taken: %v, %v", l, err)
	}
	l, err := listen(serveFlags{port: port})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if at := l.Addr().(*net.TCPAddr); !at.IP.IsLoopback() || at.Port == port {
		t.Errorf("it listens on %s", at)
	}
	if l, err := listen(serveFlags{port: 70000, chosen: true}); err == nil {
		t.Errorf("there is no such port, and it listens on %s", l.Addr())
	}
}
