package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"longwatch/backend/api"
	"longwatch/backend/capability"
)

// usualPort is where the page is unless something else is there: a browser that
// has it open finds it again after a restart.
const usualPort = 7788

// closeWithin bounds the wait for requests that are being answered.
const closeWithin = 2 * time.Second

func (a *app) serveCommand() *cobra.Command {
	var port int
	var open bool
	c := &cobra.Command{
		Use: "serve", Short: "Show the runs in a browser of this machine",
		Long: `Serves the page to browsers of this machine, and to nobody else. The address that
is printed holds a code, which can be used once within ten minutes; Enter prints a
new one. Ctrl-C ends it; the runs go on.`,
		Example: `  longwatch serve
  longwatch serve --port 9000
  longwatch serve --json               the address and the code as JSON`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.serve(serveFlags{port: port, chosen: c.Flags().Changed("port"), open: open})
		},
	}
	c.Flags().IntVar(&port, "port", usualPort, "port to listen on; 0 takes any that is free")
	c.Flags().BoolVar(&open, "open", false, "open the page in the browser too; the code is typed there")
	return c
}

type serveFlags struct {
	port   int
	chosen bool // the person said which
	open   bool
}

func (a *app) serve(f serveFlags) error {
	if !api.Built(a.assets.Page) {
		return hinted(errors.New("the page is not built into this program"), "build it with `make build`")
	}
	h, err := a.home()
	if err != nil {
		return err
	}
	defer h.Close()
	l, err := listen(f)
	if err != nil {
		return usage(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	s := api.New(api.Options{Home: h, Version: a.version, Face: api.Browser, Sample: a.assets.Sample})
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return err
	}
	door := api.NewDoor(s, a.assets.Page, port)
	// A server that writes for ever is the change feed; it bounds each write.
	server := &http.Server{
		Handler: door, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	a.invite(door, port)
	if f.open {
		if err := capability.OpenAddress("http://127.0.0.1:" + port + "/"); err != nil {
			fmt.Fprintf(a.err, "the browser could not be opened: %s\n", err)
		}
	}
	go a.inviteAgain(door, port)
	select {
	case <-ctx.Done():
		err = nil
	case err = <-failed:
	}
	stop() // a second Ctrl-C ends it at once
	err = errors.Join(err, s.Close())
	closing, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	if server.Shutdown(closing) != nil {
		_ = server.Close()
	}
	return err
}

// listen takes a port of this machine's own address.
func listen(f serveFlags) (net.Listener, error) {
	if f.port < 0 || f.port > 65535 {
		return nil, fmt.Errorf("there is no port %d", f.port)
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(f.port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		if f.chosen {
			return nil, fmt.Errorf("port %d is taken; choose another with --port", f.port)
		}
		return net.Listen("tcp", "127.0.0.1:0")
	}
	return l, err
}

// invitation is `serve --json`, one line a code.
type invitation struct {
	Address string `json:"address"`
	Code    string `json:"code"`
	URL     string `json:"url"` // with the code where no server sees it
}

// invite prints where the page is and how to get in.
func (a *app) invite(door *api.Door, port string) {
	address := "http://127.0.0.1:" + port + "/"
	in := invitation{Address: address, Code: door.Code()}
	in.URL = address + "#code=" + in.Code
	if a.json {
		_ = json.NewEncoder(a.out).Encode(in)
		return
	}
	fmt.Fprintf(a.out, "%s\n", in.URL)
	fmt.Fprintf(a.err, "open it in a browser of this machine within ten minutes; it works once\nEnter prints a new one, Ctrl-C ends (runs go on)\n")
}

// inviteAgain makes a new code for each line that is typed. It ends with the
// process: a read from a terminal cannot be ended otherwise.
func (a *app) inviteAgain(door *api.Door, port string) {
	for sc := bufio.NewScanner(a.in); sc.Scan(); {
		a.invite(door, port)
	}
}
