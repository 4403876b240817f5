package window

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"time"
)

const (
	// largestCall bounds what a second start may say, in bytes.
	largestCall = 256 << 10
	// callWithin bounds one call, for both sides.
	callWithin = 2 * time.Second
	// mostPaths bounds the files of one call; the rest is not handed over.
	mostPaths = 64
)

// Call is what a second start hands to the window that is open.
type Call struct {
	// Paths are absolute, byte for byte.
	Paths [][]byte `json:"paths,omitempty"`
	// Token is the desktop's word that a person asked for this just now; the
	// window may come to the front with it.
	Token string `json:"token,omitempty"`
}

type reply struct {
	OK bool `json:"ok"`
}

// hand gives call to the window that has the seat.
func (s *Seat) hand(call Call) error {
	path, err := s.socket()
	if err != nil {
		return err
	}
	c, err := net.DialTimeout("unix", path, callWithin)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(callWithin))
	call.Paths = call.Paths[:min(len(call.Paths), mostPaths)]
	if err := json.NewEncoder(c).Encode(call); err != nil {
		return err
	}
	var r reply
	if err := json.NewDecoder(io.LimitReader(c, 1<<10)).Decode(&r); err != nil {
		return err
	}
	if !r.OK {
		return errors.New("it refused")
	}
	return nil
}

// Serve takes calls until the seat is left. One call is taken at a time.
func (s *Seat) Serve(take func(Call)) {
	for {
		c, err := s.listen.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // no descriptors are left: later there may be
			time.Sleep(callWithin)
			continue
		}
		answer(c, take)
	}
}

func answer(c net.Conn, take func(Call)) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(callWithin))
	var call Call
	err := json.NewDecoder(io.LimitReader(c, largestCall)).Decode(&call)
	if err != nil || len(call.Paths) > mostPaths {
		_ = json.NewEncoder(c).Encode(reply{})
		return
	}
	take(call)
	_ = json.NewEncoder(c).Encode(reply{OK: true})
}
