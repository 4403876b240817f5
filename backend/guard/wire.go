package guard

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// The launcher process finds these descriptors open. Its own standard error is
// the report pipe, so that a crash of the launcher is reported too.
const (
	fdControl = 0 // from the worker: the spec, then one byte per order
	fdReport  = 2
	fdStdout  = 3 // the three the program gets
	fdStderr  = 4
	fdStdin   = 5
)

// An order is a byte on the control pipe. The end of the pipe is one too: the
// worker is gone, and everything must end at once.
const (
	orderRelease   = 'r'
	orderTerminate = 't' // SIGTERM, grace, SIGKILL
	orderKill      = 'k' // SIGKILL now
)

const (
	maxSpec   = 16 << 20
	maxReport = 64 << 10
)

// spec is what the launcher must know. It travels by pipe and not by command
// line, because argument lists are public and may hold secrets. Texts are byte
// slices: arguments need not be UTF-8, and JSON strings would change them.
type spec struct {
	Argv     [][]byte      `json:"argv"`
	Env      [][]byte      `json:"env"`
	Dir      []byte        `json:"dir"`
	Deadline time.Duration `json:"deadline_ns"`
	Grace    time.Duration `json:"grace_ns"`
	Profile  Profile       `json:"profile"`
	Level    Level         `json:"level"`
}

// report is the launcher's last word, one JSON line.
type report struct {
	Code       int           `json:"code"`
	Signal     string        `json:"signal,omitempty"`
	StartErr   string        `json:"start_err,omitempty"`
	TimedOut   bool          `json:"timed_out,omitempty"`
	Stragglers int           `json:"stragglers,omitempty"`
	Survivors  int           `json:"survivors,omitempty"`
	RanFor     time.Duration `json:"ran_for_ns"`
}

func byteLists(in []string) [][]byte {
	out := make([][]byte, len(in))
	for i, s := range in {
		out[i] = []byte(s)
	}
	return out
}

func textLists(in [][]byte) []string {
	out := make([]string, len(in))
	for i, b := range in {
		out[i] = string(b)
	}
	return out
}

func (s spec) encode() ([]byte, error) {
	body, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if len(body) > maxSpec {
		return nil, fmt.Errorf("arguments and environment: %d bytes, the limit is %d", len(body), maxSpec)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...), nil
}

// readSpec returns io.EOF if the worker went away before the first byte.
func readSpec(r io.Reader) (spec, error) {
	var s spec
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return s, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxSpec {
		return s, fmt.Errorf("spec of %d bytes, the limit is %d", n, maxSpec)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return s, err
	}
	return s, json.Unmarshal(body, &s)
}

// parseReport takes the last line of what came over the report pipe. Anything
// else there is what a crashing launcher said.
func parseReport(b []byte) (report, error) {
	var r report
	b = bytes.TrimSpace(b)
	line := b[bytes.LastIndexByte(b, '\n')+1:]
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("launcher gave no report: %q", b[:min(len(b), 500)])
	}
	return r, nil
}
