package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"longwatch/backend/api"
	"longwatch/backend/rundir"
)

// pull is one answer to a page.
type pull struct {
	round, bytes int
	records      bool
	took         time.Duration
}

// watcher asks the handler itself, as the window does: no network between.
type watcher struct {
	h   http.Handler
	run string
}

func (w watcher) get(path string) (*httptest.ResponseRecorder, time.Duration, error) {
	rec := httptest.NewRecorder()
	began := time.Now()
	w.h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
	took := time.Since(began)
	if rec.Code != http.StatusOK {
		return rec, took, fmt.Errorf("%s: %d: %s", path, rec.Code, rec.Body)
	}
	return rec, took, nil
}

func (w watcher) pull(after uint64) (v api.RunView, p pull, err error) {
	rec, took, err := w.get(fmt.Sprintf("/api/runs/%s?after=%d&records=changed", w.run, after))
	if err != nil {
		return v, p, err
	}
	n := rec.Body.Len()
	err = json.Unmarshal(rec.Body.Bytes(), &v)
	return v, pull{v.RoundCount, n, v.Records != nil, took}, err
}

func watch(home string, begun []byte) error {
	var id struct{ Run string }
	if err := json.Unmarshal(begun, &id); err != nil {
		return err
	}
	h, err := rundir.OpenHome(filepath.Join(home, "state"))
	if err != nil {
		return err
	}
	defer h.Close()
	s := api.New(api.Options{Home: h, Face: api.Window})
	defer func() { _ = s.Close() }()
	w := watcher{s.Handler(), id.Run}
	pulls, began, err := w.follow(s)
	if err != nil {
		return err
	}
	fmt.Printf("rounds %d in %s, %d pulls\n", pulls[len(pulls)-1].round, time.Since(began).Round(time.Second), len(pulls))
	last := pulls[len(pulls)-1].round
	for _, at := range []int{20, last} {
		describe(at, pulls)
	}
	return errors.Join(w.whole(h), w.end(h))
}

// end accepts the result and waits for the worker to be gone.
func (w watcher) end(h *rundir.Home) error {
	v, _, err := w.pull(0)
	if err != nil || v.Gate == nil {
		return err
	}
	body := fmt.Sprintf(`{"id":"end","kind":"answer","gate":%q,"end":true}`, v.Gate.ID)
	req := httptest.NewRequest(http.MethodPost, "/api/runs/"+w.run+"/commands", strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	w.h.ServeHTTP(rec, req)
	if rec.Code != http.StatusOK {
		return fmt.Errorf("answer: %d: %s", rec.Code, rec.Body)
	}
	r, err := h.Open(w.run)
	if err != nil {
		return err
	}
	defer r.Close()
	for until := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, alive := r.Worker(); !alive {
			return nil
		}
		if time.Now().After(until) {
			return errors.New("the worker does not end")
		}
	}
}

// follow pulls what is new at each notice until the run asks or ends.
func (w watcher) follow(s *api.Server) (pulls []pull, began time.Time, err error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	changes := s.Changes(ctx)
	began = time.Now()
	for after := uint64(0); ; {
		v, p, err := w.pull(after)
		if err != nil {
			return nil, began, err
		}
		pulls, after = append(pulls, p), v.Seq
		if v.Gate != nil || v.Run.Standing == api.StandingEnded {
			return pulls, began, nil
		}
		select {
		case <-changes:
		case <-time.After(time.Minute):
			return nil, began, fmt.Errorf("nothing happened for a minute: %+v", v.Why)
		}
	}
}

func describe(round int, pulls []pull) {
	var with, without []int
	var took []time.Duration
	for _, p := range pulls[1:] {
		if p.round < round-10 || p.round > round+10 {
			continue
		}
		took = append(took, p.took)
		if p.records {
			with = append(with, p.bytes)
		} else {
			without = append(without, p.bytes)
		}
	}
	fmt.Printf("round %d: update without changed records %s bytes, with %s bytes, %s ms\n",
		round, spread(without), spread(with), spreadTime(took))
}

func spread(all []int) string {
	if len(all) == 0 {
		return "—"
	}
	slices.Sort(all)
	return fmt.Sprintf("%d (median of %d; most %d)", all[len(all)/2], len(all), all[len(all)-1])
}

func spreadTime(all []time.Duration) string {
	if len(all) == 0 {
		return "—"
	}
	slices.Sort(all)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return fmt.Sprintf("%.2f (median; most %.2f)", ms(all[len(all)/2]), ms(all[len(all)-1]))
}

// whole measures what a page asks first, of a server that has seen nothing yet.
func (w watcher) whole(h *rundir.Home) error {
	s := api.New(api.Options{Home: h, Face: api.Window})
	defer func() { _ = s.Close() }()
	w.h = s.Handler()
	for _, path := range []string{"/api/runs", "/api/runs", "/api/runs/" + w.run, "/api/runs/" + w.run, "/api/runs"} {
		rec, took, err := w.get(path)
		if err != nil {
			return err
		}
		fmt.Printf("%-40s %8d bytes %8.1f ms\n", path, rec.Body.Len(), float64(took.Microseconds())/1000)
	}
	v, _, err := w.pull(0)
	if err != nil {
		return err
	}
	for _, back := range []uint64{0, 1, 10} {
		_, p, err := w.pull(v.Seq - back)
		if err != nil {
			return err
		}
		fmt.Printf("update by the newest %2d records           %8d bytes %8.2f ms\n", back, p.bytes, float64(p.took.Microseconds())/1000)
	}
	return nil
}
