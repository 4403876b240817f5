package protocol

import "strings"

// item is one entry of a list: its first line without the list marker, and
// the lines that continue it.
type item struct {
	lines []line
	depth int
}

func (it item) no() int { return it.lines[0].no }

func (it item) text() string {
	parts := make([]string, 0, len(it.lines))
	for _, l := range it.lines {
		parts = append(parts, l.text)
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// items reads the lists under a heading as Markdown does: a marked line begins
// an item, an unmarked one right below continues it, and so does anything
// that is indented deeper. starts recognises items without a marker. Where no
// line is marked each line is an item; else the lines left over are remarks.
// Code fences are looked through, quoted lines are passed over.
func (d document) items(h heading, starts func(string) bool) []item {
	var all []item
	for _, s := range d.all(h) {
		all = append(all, s.items(starts)...)
	}
	return all
}

func (s section) items(starts func(string) bool) []item {
	var found []item
	lines := s.lines()
	style := marked(lines, starts)
	gap := true
	for _, l := range lines {
		if l.blank() || l.fence || l.quote || rule(l.text) {
			gap = true
			continue
		}
		text, listed := unlist(l.text)
		depth := l.indent
		l.text = text
		n := len(found)
		switch {
		case !style || starts(text) || listed && (n == 0 || depth <= found[n-1].depth):
			found = append(found, item{[]line{l}, depth})
			gap = false
		case n > 0 && (!gap || depth > found[n-1].depth):
			found[n-1].lines = append(found[n-1].lines, l)
			gap = false
		}
	}
	return found
}

// marked reports whether any line begins an item by its form.
func marked(lines []line, starts func(string) bool) bool {
	for _, l := range lines {
		if l.fence || l.quote || rule(l.text) {
			continue
		}
		if text, listed := unlist(l.text); listed || starts(text) {
			return true
		}
	}
	return false
}

// atLine puts the line into a *ParseError that has none.
func atLine(err error, no int) error {
	if e, ok := err.(*ParseError); ok && e.Line == 0 {
		return &ParseError{Line: no, Got: e.Got, Want: e.Want}
	}
	return err
}
