package screen

import (
	"fmt"
	"image"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
)

// keyboard is which key makes which symbol; empty until it is asked for.
type keyboard map[xproto.Keysym]xproto.Keycode

// Symbols of keys that have no letter.
const (
	Return xproto.Keysym = 0xff0d
	Escape xproto.Keysym = 0xff1b
	Ctrl   xproto.Keysym = 0xffe3
	Shift  xproto.Keysym = 0xffe1
	Tab    xproto.Keysym = 0xff09
)

// Press presses keys together, and lets go of them.
func (s *Screen) Press(keys ...xproto.Keysym) error {
	if s.keys == nil {
		if err := s.learnKeys(); err != nil {
			return err
		}
	}
	codes := make([]xproto.Keycode, 0, len(keys))
	for _, k := range keys {
		code, there := s.keys[k]
		if !there {
			return fmt.Errorf("no key makes %#x", k)
		}
		codes = append(codes, code)
	}
	for _, c := range codes {
		s.fake(xproto.KeyPress, byte(c), image.Point{})
	}
	for i := len(codes) - 1; i >= 0; i-- {
		s.fake(xproto.KeyRelease, byte(codes[i]), image.Point{})
	}
	return nil
}

// Type presses the keys of a text of small letters and digits.
func (s *Screen) Type(text string) error {
	for _, c := range text {
		if err := s.Press(xproto.Keysym(c)); err != nil {
			return err
		}
	}
	return nil
}

// Click moves the pointer somewhere and presses its first button.
func (s *Screen) Click(at image.Point) {
	s.fake(xproto.MotionNotify, 0, at)
	s.fake(xproto.ButtonPress, 1, at)
	s.fake(xproto.ButtonRelease, 1, at)
}

func (s *Screen) fake(kind, detail byte, at image.Point) {
	_ = xtest.FakeInputChecked(s.conn, kind, detail, 0, s.root, int16(at.X), int16(at.Y), 0).Check()
	time.Sleep(8 * time.Millisecond) // no hand is quicker, and toolkits drop what is
}

func (s *Screen) learnKeys() error {
	setup := xproto.Setup(s.conn)
	n := byte(setup.MaxKeycode - setup.MinKeycode + 1)
	m, err := xproto.GetKeyboardMapping(s.conn, setup.MinKeycode, n).Reply()
	if err != nil {
		return err
	}
	s.keys = keyboard{}
	for i := range int(n) {
		symbol := m.Keysyms[i*int(m.KeysymsPerKeycode)]
		if _, known := s.keys[symbol]; !known && symbol != 0 {
			s.keys[symbol] = setup.MinKeycode + xproto.Keycode(i)
		}
	}
	return nil
}
