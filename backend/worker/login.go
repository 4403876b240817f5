package worker

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	// loginWithin bounds how long a login shell may take to say its
	// environment: a person waits for a window.
	loginWithin = 2 * time.Second
	// largestEnvironment bounds what it may say, in bytes.
	largestEnvironment = 1 << 20
)

// loginNames are what is taken from a login shell: where programs are, and how
// the network is reached. Nothing else is even looked at.
var loginNames = []string{
	"PATH", "http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
}

// LoginEnvironment asks a person's shell for what a program that was started by
// a double click does not have: PATH and proxies, as NAME=value. It takes at
// most two seconds.
func LoginEnvironment(ctx context.Context, shell string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, loginWithin)
	defer cancel()
	var out bounded
	c := exec.CommandContext(ctx, shell, "-l", "-c", "exec env -0")
	c.Stdout = &out
	c.Dir = "/"
	// The shell may have started others; they end with it.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = 100 * time.Millisecond
	if err := c.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, err
	}
	return loginVariables(out.Bytes()), nil
}

// loginVariables picks from the output of `env -0`. What a profile printed
// before it is part of the first variable's name, which is then not one of ours
// unless a line ends before it.
func loginVariables(out []byte) []string {
	var got []string
	for entry := range bytes.SplitSeq(out, []byte{0}) {
		name, value, is := strings.Cut(string(entry), "=")
		if at := strings.LastIndexByte(name, '\n'); at >= 0 {
			name = name[at+1:]
		}
		if is && value != "" && slices.Contains(loginNames, name) {
			got = append(got, name+"="+value)
		}
	}
	return got
}

// bounded keeps the beginning of what is written to it.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), max(0, largestEnvironment-b.Len()))])
	return len(p), nil
}
