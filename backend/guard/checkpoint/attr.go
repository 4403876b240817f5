package checkpoint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
)

const (
	maxAttrName  = 1 << 10
	maxAttrValue = 64 << 10 // Linux has no larger ones
	maxAttrPath  = 512 << 10
)

// attr is one extended attribute.
type attr struct {
	name  string
	value []byte
}

// attributes are those of each path that has any, sorted by name.
type attributes map[string][]attr

// ourOwn are names that the system itself sets and lets nobody set.
var ourOwn = []string{"security.ima", "security.evm", "com.apple.provenance"}

func sameAttrs(a, b []attr) bool {
	return slices.EqualFunc(a, b, func(x, y attr) bool {
		return x.name == y.name && bytes.Equal(x.value, y.value)
	})
}

func (a attributes) encode() []byte {
	paths := make([]string, 0, len(a))
	for p := range a {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	b := binary.AppendUvarint(nil, uint64(len(paths)))
	for _, p := range paths {
		b = appendText(b, p)
		b = binary.AppendUvarint(b, uint64(len(a[p])))
		for _, x := range a[p] {
			b = appendText(b, x.name)
			b = appendText(b, string(x.value))
		}
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

var errAttributes = errors.New("impossible extended attributes")

// decodeAttributes accepts only what encode writes.
func decodeAttributes(b []byte) (attributes, error) {
	r := attrReader{rest: b}
	n := r.number(uint64(len(b)))
	out := attributes{}
	prev := ""
	for range n {
		p := r.text(maxAttrPath)
		if p <= prev {
			r.bad = true
		}
		prev = p
		var list []attr
		for range r.number(uint64(len(r.rest))) {
			x := attr{r.text(maxAttrName), []byte(r.text(maxAttrValue))}
			if x.name == "" || len(list) > 0 && x.name <= list[len(list)-1].name {
				r.bad = true
			}
			list = append(list, x)
			if r.bad {
				return nil, errAttributes
			}
		}
		if r.bad || len(list) == 0 {
			return nil, errAttributes
		}
		out[p] = list
	}
	if r.bad || len(r.rest) > 0 {
		return nil, errAttributes
	}
	return out, nil
}

type attrReader struct {
	rest []byte
	bad  bool
}

func (r *attrReader) number(limit uint64) uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > limit || n > 1 && r.rest[n-1] == 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *attrReader) text(limit uint64) string {
	n := r.number(min(limit, uint64(len(r.rest))))
	if r.bad || n > uint64(len(r.rest)) {
		r.bad = true
		return ""
	}
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}

// attrs reads the extended attributes of a file or folder. A name that
// cannot be read is an error: the rest is returned all the same.
func (n node) attrs() ([]attr, error) {
	names, err := n.listAttrs()
	if err != nil {
		return nil, err
	}
	var out []attr
	var failures []error
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		if name == "" || slices.Contains(ourOwn, name) {
			continue
		}
		value, err := n.attr(name)
		switch {
		case errors.Is(err, errNoAttr): // gone since it was listed
		case err != nil:
			failures = append(failures, &attrError{name, err})
		case len(value) > maxAttrValue || len(name) > maxAttrName:
			failures = append(failures, &attrError{name, errors.New("too large to store")})
		default:
			out = append(out, attr{name, value})
		}
	}
	slices.SortFunc(out, func(a, b attr) int { return strings.Compare(a.name, b.name) })
	return out, errors.Join(failures...)
}

type attrError struct {
	name string
	err  error
}

func (e *attrError) Error() string { return e.name + ": " + e.err.Error() }
func (e *attrError) Unwrap() error { return e.err }

// setAttrs makes the extended attributes those wanted and touches no other.
func (n node) setAttrs(want []attr) error {
	have, err := n.attrs()
	failures := []error{err}
	for _, x := range have {
		if !slices.ContainsFunc(want, func(w attr) bool { return w.name == x.name }) {
			if err := n.removeAttr(x.name); err != nil {
				failures = append(failures, &attrError{x.name, err})
			}
		}
	}
	for _, w := range want {
		same := func(x attr) bool { return x.name == w.name && bytes.Equal(x.value, w.value) }
		if slices.ContainsFunc(have, same) {
			continue
		}
		if err := n.setAttr(w.name, w.value); err != nil {
			failures = append(failures, &attrError{w.name, err})
		}
	}
	return errors.Join(failures...)
}

// readAll repeats a call that fills a buffer until the buffer is large enough.
func readAll(call func([]byte) (int, error)) ([]byte, error) {
	for size := 256; ; size *= 4 {
		b := make([]byte, size)
		n, err := call(b)
		if errors.Is(err, errRange) && size < 1<<20 {
			continue
		}
		if err != nil {
			return nil, err
		}
		return b[:n], nil
	}
}
