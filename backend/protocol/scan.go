package protocol

import "strings"

// section is one heading with what follows it.
type section struct {
	head   heading
	no     int    // line of the heading
	raw    string // the line itself, for messages
	value  string // what stands behind the colon, or the word on the next line
	listed bool
	level  int
	above  int // non-empty lines before it
	body   []line
}

// doubt is a line in the form of a heading whose value nobody can read.
type doubt struct {
	head  heading
	no    int
	raw   string
	empty bool // nothing stands behind the colon
	among bool // between other headings: neither in free text nor before them
}

// document is a text taken apart at its headings.
type document struct {
	sections []section
	doubts   []doubt
	unclosed bool // a code block goes on to the end
}

// scanner applies the rule of the package documentation, line by line.
type scanner struct {
	voc    *vocabulary
	lines  []line
	fences fences
	opened line // the fence that opened the present code block
	hidden line // the first heading inside it
	doc    document
	seen   int
}

// read takes a whole text apart.
func read(text string, v *vocabulary) (document, error) {
	text, err := clean(text)
	if err != nil {
		return document{}, err
	}
	return scan(unwrap(split(text), v), v)
}

func scan(lines []line, v *vocabulary) (document, error) {
	s := scanner{voc: v, lines: lines}
	for i := 0; i < len(lines); i++ {
		l, depth := lines[i], len(s.fences.open)
		inside, marker := s.fences.feed(l)
		l.fence = marker
		if !inside && l.open() {
			if next, taken := s.heading(i); taken {
				i = next
				s.seen++
				continue
			}
		}
		if inside {
			s.hide(l, depth == 0)
		}
		s.add(l)
	}
	s.doc.unclosed = len(s.fences.open) > 0
	if s.doc.unclosed && s.hidden.no > 0 {
		return document{}, wrong(s.opened.no, strings.TrimSpace(s.opened.text),
			"an end of this code block before "+clip(strings.TrimSpace(s.hidden.text)))
	}
	return s.doc, nil
}

// heading takes line i as a heading if it is one, and says which line was the
// last it took.
func (s *scanner) heading(i int) (last int, taken bool) {
	l := s.lines[i]
	m, ok := s.voc.match(l.text)
	if !ok {
		return i, false
	}
	sp := s.voc.specs[m.head]
	now, among := s.now(), len(s.doc.sections) > 0
	inProse := among && s.voc.specs[now.head].shape == prose
	if inProse && m.listed && !now.listed && !sp.listed && sp.reads == nil {
		return i, false
	}
	last, readable := s.value(&m, i)
	if !readable {
		empty := m.value == ""
		listing := among && !inProse
		s.doc.doubts = append(s.doc.doubts, doubt{m.head, l.no, l.text, empty, listing})
		if !empty || !listing && !s.nothingBelow(i) {
			return i, listing && s.voc.plan
		}
	}
	s.doc.sections = append(s.doc.sections, section{
		head: m.head, no: l.no, raw: strings.TrimSpace(l.text), value: m.value,
		listed: m.listed, level: m.level, above: s.seen,
	})
	switch {
	case sp.shape != word:
		s.within(newLine(l.no, m.value))
	case now.head == headBlocking && m.listed && !now.listed:
		// A constraint that repeats a header is still a constraint.
		s.doc.sections = append(s.doc.sections, section{
			head: headBlocking, no: l.no, level: now.level, body: []line{l},
		})
	}
	return last, true
}

// value looks for a readable value on the line of the heading or, when there
// is none, on the next non-empty line.
func (s *scanner) value(m *matched, i int) (last int, readable bool) {
	sp := s.voc.specs[m.head]
	if sp.reads == nil {
		return i, true
	}
	if m.value != "" {
		return i, sp.reads(m.value)
	}
	for j := i + 1; j < len(s.lines); j++ {
		if s.lines[j].blank() {
			continue
		}
		next, _ := unlist(s.lines[j].text)
		switch {
		case s.lines[j].quote || !sp.reads(next):
			return i, false
		case sp.shape == word:
			m.value = next
			return j, true
		}
		return i, true
	}
	return i, false
}

// nothingBelow reports whether the next non-empty line after i is a heading,
// or there is none: a name alone is then an empty heading even in free text.
func (s *scanner) nothingBelow(i int) bool {
	for _, l := range s.lines[i+1:] {
		if !l.blank() {
			_, heads := s.voc.match(l.text)
			return heads && l.open()
		}
	}
	return true
}

func (s *scanner) now() section {
	if n := len(s.doc.sections); n > 0 {
		return s.doc.sections[n-1]
	}
	return section{}
}

func (s *scanner) add(l line) {
	if !l.blank() {
		s.seen++
	}
	if n := len(s.doc.sections); n > 0 {
		s.doc.sections[n-1].body = append(s.doc.sections[n-1].body, l)
	}
}

// within opens a code block that begins on the line of the heading.
func (s *scanner) within(value line) {
	if inside, _ := s.fences.feed(value); inside {
		s.opened, s.hidden = value, line{}
	}
}

// hide remembers a heading that the open code block covers, in case the block
// never ends.
func (s *scanner) hide(l line, opens bool) {
	if opens {
		s.opened, s.hidden = l, line{}
		return
	}
	if _, ok := s.voc.match(l.text); ok && s.hidden.no == 0 && l.open() {
		s.hidden = l
	}
}

// all gives the sections under one heading.
func (d document) all(h heading) []section {
	var found []section
	for _, s := range d.sections {
		if s.head == h {
			found = append(found, s)
		}
	}
	return found
}

// lines gives what follows the heading, its own line included.
func (s section) lines() []line {
	if s.value == "" {
		return s.body
	}
	first := newLine(s.no, s.value)
	_, _, first.fence = fenceOf(first)
	return append([]line{first}, s.body...)
}

// text gives the free text of a section, empty when it says that there is
// none. The text keeps its lines; white space that all of them begin with
// goes, and so do rules and empty lines around it.
func (s section) text() string {
	lines := s.lines()
	idle := func(l line) bool { return l.blank() || rule(l.text) }
	for len(lines) > 0 && idle(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && idle(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	if len(lines) > 0 && lines[0].no != s.no {
		lines = dedent(lines)
	}
	if len(lines) == 1 && none(lines[0].text) {
		return ""
	}
	parts := make([]string, len(lines))
	for i, l := range lines {
		parts[i] = l.text
	}
	return strings.Join(parts, "\n")
}

// agreed gives the one value that all sections under a heading say, and the
// section that said it first. read reports false for a section without one.
func agreed[T comparable](d document, h heading, read func(section) (T, bool)) (T, section, error) {
	var value T
	var said section
	for _, s := range d.all(h) {
		v, ok := read(s)
		switch {
		case !ok:
		case said.no == 0:
			value, said = v, s
		case v != value:
			return value, said, contradicts(s.no, s.raw, said.no, said.raw)
		}
	}
	return value, said, nil
}

// missing is the error for a heading without a value. It names the first line
// that looked like one.
func (d document) missing(h heading, want string) error {
	for _, x := range d.doubts {
		if x.head == h {
			return wrong(x.no, strings.TrimSpace(x.raw), want)
		}
	}
	return wrong(0, "", want)
}
