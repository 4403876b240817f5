package guard

import (
	"fmt"
	"io"
	"sync/atomic"
)

// capture keeps the first and the last half of limit bytes of a stream.
type capture struct {
	limit int64
	head  []byte
	tail  []byte // ring once full
	next  int    // where the ring goes on
	total int64
}

func (c *capture) Write(p []byte) (int, error) {
	n := len(p)
	c.total += int64(n)
	if room := int(c.limit-c.limit/2) - len(c.head); room > 0 {
		k := min(room, n)
		c.head = append(c.head, p[:k]...)
		p = p[k:]
	}
	size := int(c.limit / 2)
	p = p[max(0, len(p)-size):]
	if grow := min(size-len(c.tail), len(p)); grow > 0 {
		c.tail = append(c.tail, p[:grow]...)
		p = p[grow:]
	}
	for len(p) > 0 {
		k := copy(c.tail[c.next:], p)
		p = p[k:]
		c.next = (c.next + k) % size
	}
	return n, nil
}

// result is what was kept, with a visible mark where something is missing.
func (c *capture) result() ([]byte, int64) {
	cut := c.total - int64(len(c.head)+len(c.tail))
	out := append([]byte(nil), c.head...)
	if cut > 0 {
		out = fmt.Appendf(out, "\n[… %d bytes cut here …]\n", cut)
	}
	out = append(out, c.tail[c.next:]...)
	return append(out, c.tail[:c.next]...), cut
}

// flood counts the bytes of both streams and rings once when over the cap.
type flood struct {
	left atomic.Int64
	over chan struct{} // capacity 1
}

func newFlood(limit int64) *flood {
	f := &flood{over: make(chan struct{}, 1)}
	f.left.Store(limit)
	return f
}

// drain copies r to c until it ends, and goes on reading after the cap so
// that nothing blocks while the tree is being killed.
func (f *flood) drain(r io.Reader, c *capture) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		_, _ = c.Write(buf[:n])
		if n > 0 && f.left.Add(-int64(n)) < 0 {
			select {
			case f.over <- struct{}{}:
			default:
			}
		}
		if err != nil {
			return
		}
	}
}
