package window

import (
	"encoding/json"

	"longwatch/backend/safefs"
)

const (
	lookName    = "look.json"
	largestLook = 4 << 10
)

// Least and usual size of the window, in pixels of the page.
const (
	LeastWidth, LeastHeight = 900, 600
	usualWidth, usualHeight = 1200, 800
	most                    = 16384 // more is no screen
)

// Look is how the window was when it was last closed. X and Y are its upper
// left corner where Placed is set; not every desktop tells or takes it.
type Look struct {
	Width     int  `json:"width"`
	Height    int  `json:"height"`
	X         int  `json:"x"`
	Y         int  `json:"y"`
	Placed    bool `json:"placed"`
	Maximised bool `json:"maximised"`
	// Dark is what the page showed last: the window has its colour before the
	// page is there.
	Dark bool `json:"dark"`
}

// LoadLook reads how the window was. What is missing or makes no sense is as
// in a first window: a look is never worth an error.
func LoadLook(dir *safefs.Dir) Look {
	usual := Look{Width: usualWidth, Height: usualHeight}
	data, err := dir.ReadFile(lookName, largestLook)
	if err != nil {
		return usual
	}
	l := usual
	if json.Unmarshal(data, &l) != nil {
		return usual
	}
	if l.Width < LeastWidth || l.Height < LeastHeight || l.Width > most || l.Height > most {
		l.Width, l.Height, l.Placed = usual.Width, usual.Height, false
	}
	if abs(l.X) > most || abs(l.Y) > most {
		l.X, l.Y, l.Placed = 0, 0, false
	}
	return l
}

func abs(n int) int { return max(n, -n) }

// Save keeps a look for the next window.
func (l Look) Save(dir *safefs.Dir) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return dir.WriteCache(lookName, append(data, '\n'))
}
