package api

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"longwatch/backend/task"
)

// mostOffers is how many dropped files are remembered.
const mostOffers = 64

// offerMark begins the id of an offer, which no path does.
const offerMark = "offer-"

// offers are the files that were dropped on the window. Their paths stay here,
// byte for byte: a page could not hold each of them.
type offers struct {
	mu    sync.Mutex
	files map[string]offered
	order []string
}

// offered is one file or folder. Of a file that is in its place the folder is
// what a run would work in, as with `longwatch run`.
type offered struct {
	path    string
	inPlace bool
}

// Offer takes a file that was dropped on the window. A page names it in a
// [TaskDraft]: a task file in Offer, a folder in Workspace. A file that cannot
// be a task comes back with the reason, and without an id.
func (s *Server) Offer(path string) Offer { return s.offer(offered{path: path}) }

// OfferInPlace is Offer for a file that was named on a command line: unless the
// person or the task says otherwise, a run of it works in the file's folder.
func (s *Server) OfferInPlace(path string) Offer { return s.offer(offered{path: path, inPlace: true}) }

func (s *Server) offer(f offered) Offer {
	path := f.path
	o := Offer{Name: quoted(filepath.Base(path))}
	if st, err := os.Lstat(path); err == nil && st.IsDir() {
		o.Folder, o.Offer = true, s.offers.add(f)
		return o
	}
	if _, problems := task.Read(path); len(problems) > 0 {
		o.Problem = problems[0].Text
		return o
	}
	o.Offer = s.offers.add(f)
	return o
}

func (of *offers) add(f offered) string {
	id := offerMark + strings.ToLower(rand.Text()[:16])
	of.mu.Lock()
	defer of.mu.Unlock()
	if of.files == nil {
		of.files = map[string]offered{}
	}
	of.files[id] = f
	of.order = append(of.order, id)
	if len(of.order) > mostOffers {
		delete(of.files, of.order[0])
		of.order = of.order[1:]
	}
	return id
}

func (of *offers) find(id string) (offered, bool) {
	of.mu.Lock()
	defer of.mu.Unlock()
	f, there := of.files[id]
	return f, there
}
