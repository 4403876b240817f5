package task

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxRequirement keeps a requirement short enough to be quoted in every brief.
const maxRequirement = 2000 // characters

// markdown finds checkboxes and the first heading of a body. It knows as much
// of Markdown as is needed not to find them where they are not meant: fenced
// and indented code, block quotes and HTML comments.
type markdown struct {
	r       *reader
	boxes   []Requirement
	heading string

	fence     string // the characters that opened a code block, empty outside
	fenceLine int
	comment   int  // the line that opened an HTML comment, 0 outside
	list      bool // in a list, where indented lines are not code
	open      bool // the last checkbox still takes lines
	blank     bool // the line before was empty
	full      bool // too many checkboxes, said once

	shape shapes
}

type shapes struct{ box, almost, item, heading, inline *regexp.Regexp }

func readBody(r *reader, body string, first int) *markdown {
	m := &markdown{r: r, blank: true, shape: shapes{
		box:     regexp.MustCompile(`^\s*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\](?:[ \t]+(.*))?$`),
		almost:  regexp.MustCompile(`^\s*(?:[-*+]|\d{1,9}[.)])\s*\[\s*[xX]?\s*\](?:\s|$)`),
		item:    regexp.MustCompile(`^\s*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)`),
		heading: regexp.MustCompile(`^ {0,3}#{1,6}(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`),
		inline:  regexp.MustCompile(`<!--.*?-->`),
	}}
	for i, line := range strings.Split(body, "\n") {
		m.line(strings.TrimRight(line, " \t"), first+i)
	}
	m.finish()
	return m
}

func (m *markdown) line(text string, n int) {
	trimmed := strings.TrimLeft(text, " \t")
	indent := len(strings.ReplaceAll(text[:len(text)-len(trimmed)], "\t", "    "))
	wasBlank := m.blank
	m.blank = trimmed == ""
	switch {
	case m.inside(trimmed):
	case trimmed == "":
		m.open = false
	case indent >= 4 && !m.list: // code, or a paragraph going on
	case m.opens(trimmed, n):
	case m.shape.box.MatchString(text):
		m.box(text, n)
	case m.shape.item.MatchString(text) || m.shape.almost.MatchString(text):
		m.list, m.open = true, false
		if m.shape.almost.MatchString(text) {
			m.r.warn(place{line: n}, "almost_checkbox", "this is not read as a checkbox",
				"Write - [ ] and a space before the text.")
		}
	case m.shape.heading.MatchString(text):
		m.list, m.open = false, false
		if m.heading == "" {
			m.heading = m.shape.heading.FindStringSubmatch(text)[1]
		}
	case m.open:
		last := &m.boxes[len(m.boxes)-1]
		if utf8.RuneCountInString(last.Text) <= maxRequirement { // else refused already
			last.Text += " " + trimmed
		}
	case indent == 0 && wasBlank:
		m.list = false
	}
}

// inside takes the lines of a code block or a comment that is open.
func (m *markdown) inside(trimmed string) bool {
	switch {
	case m.fence != "":
		if strings.HasPrefix(trimmed, m.fence) && strings.Trim(trimmed, m.fence[:1]) == "" {
			m.fence = ""
		}
		return true
	case m.comment > 0:
		if strings.Contains(trimmed, "-->") {
			m.comment = 0
		}
		return true
	}
	return false
}

// opens takes the lines that open a code block, a comment or a quote.
func (m *markdown) opens(trimmed string, n int) bool {
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(trimmed, c)
		if length := len(trimmed) - len(rest); length >= 3 && (c == "~" || !strings.Contains(rest, c)) {
			m.fence, m.fenceLine, m.open = trimmed[:length], n, false
			return true
		}
	}
	switch {
	case strings.HasPrefix(trimmed, "<!--"):
		m.open = false
		if !strings.Contains(trimmed, "-->") {
			m.comment = n
		}
		return true
	case strings.HasPrefix(trimmed, ">"):
		m.open = false
		return true
	}
	return false
}

func (m *markdown) box(text string, n int) {
	found := m.shape.box.FindStringSubmatch(text)
	m.list, m.open = true, false
	switch {
	case strings.TrimSpace(m.shape.inline.ReplaceAllString(found[2], "")) == "":
		m.r.warn(place{line: n}, "empty_checkbox", "this checkbox has no text and is ignored", "Write what must be true.")
		return
	case len(m.boxes) == MaxSteps:
		if !m.full {
			m.r.refuse(place{line: n}, "too_many_checkboxes",
				fmt.Sprintf("there are more than %d checkboxes", MaxSteps), "Group them.")
		}
		m.full = true
		return
	}
	m.open = true
	m.boxes = append(m.boxes, Requirement{
		ID: requirementID(len(m.boxes) + 1), Text: found[2], Ticked: found[1] != " ", Line: n,
	})
}

func (m *markdown) finish() {
	for i := range m.boxes {
		b := &m.boxes[i]
		b.Text = strings.TrimSpace(m.shape.inline.ReplaceAllString(b.Text, ""))
		if utf8.RuneCountInString(b.Text) > maxRequirement {
			m.r.refuse(place{line: b.Line}, "long_checkbox",
				fmt.Sprintf("this checkbox is longer than %d characters", maxRequirement),
				"Put the details below it, after an empty line.")
		}
	}
	if m.fence != "" {
		m.r.warn(place{line: m.fenceLine}, "open_fence",
			"the code block that begins here is never closed: no checkbox below it is read", "Close it with "+m.fence[:3]+".")
	}
	if m.comment > 0 {
		m.r.warn(place{line: m.comment}, "open_comment",
			"the comment that begins here is never closed: no checkbox below it is read", "Close it with -->.")
	}
}

func requirementID(n int) string { return fmt.Sprintf("R%d", n) }
