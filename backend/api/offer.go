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
	paths map[string]string
	order []string
}

// Offer takes a file that was dropped on the window. A page names it in a
// [TaskDraft]: a task file in Offer, a folder in Workspace. A file that cannot
// be a task comes back with the reason, and without an id.
func (s *Server) Offer(path string) Offer {
	o := Offer{Name: quoted(filepath.Base(path))}
	if st, err := os.Lstat(path); err == nil && st.IsDir() {
		o.Folder, o.Offer = true, s.offers.add(path)
		return o
	}
	if _, problems := task.Read(path); len(problems) > 0 {
		o.Problem = problems[0].Text
		return o
	}
	o.Offer = s.offers.add(path)
	return o
}

func (of *offers) add(path string) string {
	id := offerMark + strings.ToLower(rand.Text()[:16])
	of.mu.Lock()
	defer of.mu.Unlock()
	if of.paths == nil {
		of.paths = map[string]string{}
	}
	of.paths[id] = path
	of.order = append(of.order, id)
	if len(of.order) > mostOffers {
		delete(of.paths, of.order[0])
		of.order = of.order[1:]
	}
	return id
}

func (of *offers) path(id string) (string, bool) {
	of.mu.Lock()
	defer of.mu.Unlock()
	p, there := of.paths[id]
	return p, there
}
