package screen

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// Window is a window that the window manager manages.
type Window struct {
	ID   xproto.Window
	Name string
	Rect image.Rectangle // of what the program draws, on the screen
}

// Windows are the managed windows that are mapped, oldest first.
func (s *Screen) Windows() []Window {
	var out []Window
	for _, id := range s.windows("_NET_CLIENT_LIST", s.root) {
		attr, err := xproto.GetWindowAttributes(s.conn, id).Reply()
		if err != nil || attr.MapState != xproto.MapStateViewable {
			continue
		}
		g, err := xproto.GetGeometry(s.conn, xproto.Drawable(id)).Reply()
		if err != nil {
			continue
		}
		at, err := xproto.TranslateCoordinates(s.conn, id, s.root, 0, 0).Reply()
		if err != nil {
			continue
		}
		x, y := int(at.DstX), int(at.DstY)
		out = append(out, Window{
			ID: id, Name: string(s.property(id, "_NET_WM_NAME")),
			Rect: image.Rect(x, y, x+int(g.Width), y+int(g.Height)),
		})
	}
	return out
}

// Find waits for a mapped window of that name.
func (s *Screen) Find(name string) (w Window, err error) {
	err = s.Until(fmt.Sprintf("a window named %q", name), func() bool {
		for _, one := range s.Windows() {
			if one.Name == name {
				w = one
				return true
			}
		}
		return false
	})
	return w, err
}

// Front is the window that has the keyboard.
func (s *Screen) Front() xproto.Window {
	if w := s.windows("_NET_ACTIVE_WINDOW", s.root); len(w) == 1 {
		return w[0]
	}
	return 0
}

// Top is the managed window above all others.
func (s *Screen) Top() xproto.Window {
	if w := s.windows("_NET_CLIENT_LIST_STACKING", s.root); len(w) > 0 {
		return w[len(w)-1]
	}
	return 0
}

// Cover opens a window of ours above all others, which takes the keyboard.
func (s *Screen) Cover(name string) (Window, error) {
	id, err := s.plain(image.Rect(200, 200, 700, 600))
	if err != nil {
		return Window{}, err
	}
	xproto.ChangeProperty(s.conn, xproto.PropModeReplace, id, s.atom("_NET_WM_NAME"), s.atom("UTF8_STRING"), 8, uint32(len(name)), []byte(name))
	xproto.MapWindow(s.conn, id)
	return s.Find(name)
}

// CloseWindow asks a window to close, as its button does.
func (s *Screen) CloseWindow(id xproto.Window) {
	s.tell(s.root, id, "_NET_CLOSE_WINDOW", xproto.EventMaskSubstructureRedirect|xproto.EventMaskSubstructureNotify, [5]uint32{0, 2})
}

// Resize moves a window and gives it a size, as a person with the mouse does.
func (s *Screen) Resize(id xproto.Window, to image.Rectangle) {
	const gravityNorthWest, xywh, fromPager = 1, 0xf << 8, 2 << 12
	s.tell(s.root, id, "_NET_MOVERESIZE_WINDOW", xproto.EventMaskSubstructureRedirect|xproto.EventMaskSubstructureNotify, [5]uint32{
		gravityNorthWest | xywh | fromPager, uint32(to.Min.X), uint32(to.Min.Y), uint32(to.Dx()), uint32(to.Dy()),
	})
}

func (s *Screen) plain(r image.Rectangle) (xproto.Window, error) {
	id, err := xproto.NewWindowId(s.conn)
	if err != nil {
		return 0, err
	}
	return id, xproto.CreateWindowChecked(s.conn, 0, id, s.root, int16(r.Min.X), int16(r.Min.Y), uint16(r.Dx()), uint16(r.Dy()), 0,
		xproto.WindowClassInputOutput, 0, xproto.CwBackPixel|xproto.CwEventMask, []uint32{0x808080, xproto.EventMaskPropertyChange}).Check()
}

// tell sends a client message about one window to another.
func (s *Screen) tell(to, about xproto.Window, kind string, mask uint32, data [5]uint32) {
	e := xproto.ClientMessageEvent{
		Format: 32, Window: about, Type: s.atom(kind),
		Data: xproto.ClientMessageDataUnionData32New(data[:]),
	}
	xproto.SendEvent(s.conn, false, to, mask, string(e.Bytes()))
}

// Shot is what is seen on a part of the screen.
func (s *Screen) Shot(r image.Rectangle) (*image.RGBA, error) {
	got, err := xproto.GetImage(s.conn, xproto.ImageFormatZPixmap, xproto.Drawable(s.root),
		int16(r.Min.X), int16(r.Min.Y), uint16(r.Dx()), uint16(r.Dy()), 0xffffffff).Reply()
	if err != nil {
		return nil, err
	}
	img := image.NewRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
	for i := 0; i+3 < len(got.Data) && i+3 < len(img.Pix); i += 4 {
		px := xgb.Get32(got.Data[i:])
		img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = byte(px>>16), byte(px>>8), byte(px), 255
	}
	return img, nil
}

// Pixel is the colour at one place of the screen.
func (s *Screen) Pixel(at image.Point) color.RGBA {
	img, err := s.Shot(image.Rectangle{Min: at, Max: at.Add(image.Pt(1, 1))})
	if err != nil {
		return color.RGBA{}
	}
	return img.RGBAAt(0, 0)
}

// Save writes what is seen on the whole screen to a PNG file.
func (s *Screen) Save(path string) error {
	img, err := s.Shot(image.Rect(0, 0, Width, Height))
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return png.Encode(f, img)
}
