package window

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"longwatch/backend/safefs"
)

const (
	folderName = "window" // in the state folder
	lockName   = "lock"
	socketName = "socket"
)

// handWithin is how long a second start tries to reach the window that has the
// seat: one that is about to open does not listen yet, and one that is about
// to end does not listen any more.
const handWithin = 5 * time.Second

// longestSocket is the longest path every system takes for a socket, in bytes.
const longestSocket = 100

// ErrSilent: there is a window already, and it does not answer.
var ErrSilent = errors.New("a window is open already and does not answer")

// Seat is the place of the one window of a state folder. It ends with Leave or
// with the process, however that ends.
type Seat struct {
	dir    *safefs.Dir
	lease  *safefs.Lease
	listen net.Listener
	anchor *os.File // the folder, where its path is too long for a socket
}

// Take takes the seat at a state folder. Where another window has it, that one
// is handed call instead, and Take returns nil without an error: there is
// nothing left to do. A window that does not answer in time is ErrSilent.
func Take(home string, call Call) (*Seat, error) {
	dir, err := folder(home)
	if err != nil {
		return nil, err
	}
	s := &Seat{dir: dir}
	for end := time.Now().Add(handWithin); ; {
		s.lease, err = dir.Lock(lockName)
		if err == nil {
			return s.sit()
		}
		if !errors.Is(err, safefs.ErrHeld) {
			return nil, errors.Join(err, dir.Close())
		}
		if err = s.hand(call); err == nil {
			return nil, dir.Close()
		}
		if time.Now().After(end) {
			return nil, errors.Join(fmt.Errorf("%w%s: %w", ErrSilent, s.holder(), err), dir.Close())
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func folder(home string) (*safefs.Dir, error) {
	root, err := safefs.OpenDir(home)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if dir, err := root.Sub(folderName); !errors.Is(err, fs.ErrNotExist) {
		return dir, err // without the sync of making it
	}
	return root.Mkdir(folderName)
}

// Dir is the folder of the window's own files.
func (s *Seat) Dir() *safefs.Dir { return s.dir }

// sit makes us the window.
func (s *Seat) sit() (*Seat, error) {
	if err := s.begin(); err != nil {
		return nil, errors.Join(fmt.Errorf("take the window's place: %w", err), s.Leave())
	}
	return s, nil
}

// begin replaces what a killed window left.
func (s *Seat) begin() error {
	if err := s.lease.Write([]byte(strconv.Itoa(os.Getpid()))); err != nil {
		return err
	}
	if err := s.dir.Remove(socketName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.dir.Sweep(); err != nil {
		return err
	}
	path, err := s.socket()
	if err != nil {
		return err
	}
	if s.listen, err = net.Listen("unix", path); err != nil {
		return err
	}
	return os.Chmod(path, 0o600)
}

// Stop ends Serve. The seat stays taken, so that the next window begins only
// when this one has ended.
func (s *Seat) Stop() error {
	if s.listen == nil {
		return nil
	}
	if err := s.listen.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Leave gives the seat up.
func (s *Seat) Leave() error {
	errs := []error{s.Stop()}
	if s.anchor != nil {
		errs = append(errs, s.anchor.Close())
	}
	return errors.Join(append(errs, s.lease.Release(), s.dir.Close())...)
}

// socket is a path of the socket that is short enough. The folder is 0700, so
// nobody else can reach it.
func (s *Seat) socket() (string, error) {
	path := filepath.Join(s.dir.Path(), socketName)
	if len(path) <= longestSocket {
		return path, nil
	}
	if runtime.GOOS != "linux" {
		return "", fmt.Errorf("%s: the path is too long for a socket", path)
	}
	if s.anchor == nil {
		f, err := os.Open(s.dir.Path())
		if err != nil {
			return "", err
		}
		s.anchor = f
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", s.anchor.Fd(), socketName), nil
}

func (s *Seat) holder() string {
	pid, _, err := s.dir.Holder(lockName)
	if err != nil || len(pid) == 0 {
		return ""
	}
	return " (process " + string(pid) + ")"
}
