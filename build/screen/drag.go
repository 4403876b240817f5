package screen

import (
	"errors"
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/jezek/xgb/xproto"
)

// Cargo is what a drag carries: by the name of each type, the bytes.
type Cargo map[string]string

// Files is the cargo of a file manager: URIs, one a line.
func Files(uris ...string) Cargo {
	return Cargo{"text/uri-list": strings.Join(uris, "\r\n") + "\r\n"}
}

// Text is the cargo of a piece of text.
func Text(text string) Cargo {
	return Cargo{"UTF8_STRING": text, "text/plain;charset=utf-8": text, "text/plain": text}
}

// ErrRefused: what is dragged is not welcome there.
var ErrRefused = errors.New("the drop was refused")

const (
	xdndVersion = 5
	// hoverEvery is how often a source says where it is.
	hoverEvery = 40 * time.Millisecond
	// refusedAfter is how long a drag hovers before its refusal counts: a
	// page needs a moment to say what it wants.
	refusedAfter = 1500 * time.Millisecond
)

// Drag drags cargo over a window, by version 5 of the XDND protocol, as any
// program does, and drops it at a place on the screen. ErrRefused means that
// the window did not want it; then, as by a person who lets go all the same,
// nothing is dropped.
func (s *Screen) Drag(onto Window, at image.Point, cargo Cargo) error {
	d, err := s.grab(onto.ID, cargo)
	if err != nil {
		return err
	}
	defer xproto.DestroyWindow(s.conn, d.source)
	if err := d.hover(at); err != nil {
		d.say("XdndLeave", 0, 0, 0, 0)
		return err
	}
	d.say("XdndDrop", 0, uint32(d.time), 0, 0)
	return d.until("XdndFinished", within, func(xproto.ClientMessageEvent) bool { return true })
}

// Hover drags cargo over a window and away again without dropping it.
func (s *Screen) Hover(over Window, at image.Point, cargo Cargo) error {
	d, err := s.grab(over.ID, cargo)
	if err != nil {
		return err
	}
	defer xproto.DestroyWindow(s.conn, d.source)
	err = d.hover(at)
	d.say("XdndLeave", 0, 0, 0, 0)
	return err
}

// drag is one drag under way.
type drag struct {
	s              *Screen
	source, target xproto.Window
	time           xproto.Timestamp
	cargo          Cargo
}

func (s *Screen) grab(target xproto.Window, cargo Cargo) (*drag, error) {
	source, err := s.plain(image.Rect(0, 0, 1, 1))
	if err != nil {
		return nil, err
	}
	if len(s.property(target, "XdndAware")) < 4 {
		return nil, errors.New("the window takes no drops at all")
	}
	d := &drag{s: s, source: source, target: target, cargo: cargo}
	if err := d.now(); err != nil {
		return nil, err
	}
	xproto.SetSelectionOwner(s.conn, source, s.atom("XdndSelection"), d.time)
	var types []uint32
	for name := range cargo {
		types = append(types, uint32(s.atom(name)))
	}
	if len(types) > 3 {
		return nil, errors.New("a cargo of more than three types is not built")
	}
	types = append(types, 0, 0, 0)
	d.say("XdndEnter", xdndVersion<<24, types[0], types[1], types[2])
	return d, nil
}

// now learns the server's time: it comes with the change of a property.
func (d *drag) now() error {
	name := d.s.atom("LONGWATCH_TIME")
	xproto.ChangeProperty(d.s.conn, xproto.PropModeReplace, d.source, name, xproto.AtomString, 8, 1, []byte{0})
	for late := time.After(within); ; {
		select {
		case e := <-d.s.events:
			if p, is := e.(xproto.PropertyNotifyEvent); is && p.Window == d.source && p.Atom == name {
				d.time = p.Time
				return nil
			}
		case <-late:
			return errors.New("the display does not tell its time")
		}
	}
}

// say sends one message of the protocol.
func (d *drag) say(kind string, a, b, c, e uint32) {
	d.s.tell(d.target, d.target, kind, 0, [5]uint32{uint32(d.source), a, b, c, e})
}

// hover says where the drag is until the target accepts it.
func (d *drag) hover(at image.Point) error {
	refused := false
	for end := time.Now().Add(within); time.Now().Before(end); {
		d.say("XdndPosition", 0, uint32(at.X)<<16|uint32(at.Y), uint32(d.time), uint32(d.s.atom("XdndActionCopy")))
		accepted := false
		began := time.Now()
		err := d.until("XdndStatus", within, func(m xproto.ClientMessageEvent) bool {
			accepted = m.Data.Data32[1]&1 == 1
			return true
		})
		if err != nil {
			return err
		}
		if accepted {
			return nil
		}
		if refused && time.Until(end) < within-refusedAfter {
			return ErrRefused
		}
		refused = true
		time.Sleep(max(hoverEvery-time.Since(began), 0))
	}
	return ErrRefused
}

// until answers the target's questions until it sends a message that fits.
func (d *drag) until(kind string, within time.Duration, fits func(xproto.ClientMessageEvent) bool) error {
	for late := time.After(within); ; {
		select {
		case e, more := <-d.s.events:
			if !more {
				return errors.New("the display is gone")
			}
			switch e := e.(type) {
			case xproto.SelectionRequestEvent:
				d.answer(e)
			case xproto.ClientMessageEvent:
				if e.Window == d.source && e.Type == d.s.atom(kind) && fits(e) {
					return nil
				}
			}
		case <-late:
			return fmt.Errorf("no %s within %s", kind, within)
		}
	}
}

// answer hands the cargo over.
func (d *drag) answer(r xproto.SelectionRequestEvent) {
	property := xproto.Atom(0) // none of that kind
	for name, data := range d.cargo {
		if d.s.atom(name) == r.Target {
			property = r.Property
			xproto.ChangeProperty(d.s.conn, xproto.PropModeReplace, r.Requestor, r.Property, r.Target, 8, uint32(len(data)), []byte(data))
		}
	}
	n := xproto.SelectionNotifyEvent{Time: r.Time, Requestor: r.Requestor, Selection: r.Selection, Target: r.Target, Property: property}
	xproto.SendEvent(d.s.conn, false, r.Requestor, 0, string(n.Bytes()))
}
