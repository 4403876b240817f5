package api

import "sync"

// mostFlights is how many ids are remembered. A page repeats an id within
// seconds, if at all.
const mostFlights = 1024

// flights give one id one effect, however often and however close together it
// is asked for. What failed may be tried again.
type flights[T any] struct {
	mu    sync.Mutex
	known map[string]*flight[T]
	order []string
}

type flight[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// do has fn done for an id, or waits for the one who does it.
func (f *flights[T]) do(id string, fn func() (T, error)) (T, error) {
	f.mu.Lock()
	fl, there := f.known[id]
	if !there {
		fl = &flight[T]{done: make(chan struct{})}
		f.remember(id, fl)
	}
	f.mu.Unlock()
	if there {
		<-fl.done
		return fl.value, fl.err
	}
	defer close(fl.done)
	if fl.value, fl.err = fn(); fl.err != nil {
		f.mu.Lock()
		if f.known[id] == fl {
			delete(f.known, id)
		}
		f.mu.Unlock()
	}
	return fl.value, fl.err
}

func (f *flights[T]) remember(id string, fl *flight[T]) {
	if f.known == nil {
		f.known = map[string]*flight[T]{}
	}
	f.known[id] = fl
	f.order = append(f.order, id)
	if len(f.order) > mostFlights {
		delete(f.known, f.order[0])
		f.order = f.order[1:]
	}
}
