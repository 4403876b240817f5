package protocol

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MostText bounds a text that is read, in bytes.
const MostText = 256 << 10

// codeIndent is the indentation, in columns, from which a line is code: it is
// part of the text around it and never a heading or a fence. Writing uses it
// to carry texts that would otherwise be read as headings.
const codeIndent = 4

// line is one line of a cleaned text, without trailing white space.
type line struct {
	no     int // from 1, as the writer counted
	text   string
	indent int  // columns of white space in front
	quote  bool // starts with >
	fence  bool // opens or closes a code block
}

func (l line) blank() bool { return l.text == "" }

// open reports whether the line may be a heading by where it stands.
func (l line) open() bool { return !l.blank() && !l.quote && l.indent < codeIndent }

// clean makes every line break \n, every unusual blank a space, and drops
// what cannot be shown. It refuses a text above MostText.
func clean(text string) (string, error) {
	if len(text) > MostText {
		return "", wrong(0, fmt.Sprintf("%d bytes", len(text)),
			fmt.Sprintf("at most %d bytes", MostText))
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(cleanRune, text), nil
}

func cleanRune(r rune) rune {
	switch r {
	case '\n', '\t':
		return r
	case '\r', '\u2028', '\u2029':
		return '\n'
	case '\u00A0', '\u2007', '\u202F':
		return ' '
	case '\uFEFF', '\u200B', '\u2060':
		return -1
	}
	if unicode.IsControl(r) {
		return -1
	}
	return r
}

func split(text string) []line {
	parts := strings.Split(text, "\n")
	lines := make([]line, len(parts))
	for i, p := range parts {
		lines[i] = newLine(i+1, p)
	}
	return lines
}

func newLine(no int, text string) line {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	l := line{no: no, text: text}
	for _, r := range text {
		if !unicode.IsSpace(r) {
			l.quote = r == '>'
			break
		}
		l.indent++
		if r == '\t' {
			l.indent += codeIndent - 1
		}
	}
	return l
}

// dedent takes away the white space that all lines begin with.
func dedent(lines []line) []line {
	common, some := "", false
	for _, l := range lines {
		if l.blank() {
			continue
		}
		lead := leading(l.text)
		if !some {
			common, some = lead, true
		}
		for !strings.HasPrefix(lead, common) {
			_, n := utf8.DecodeLastRuneInString(common)
			common = common[:len(common)-n]
		}
	}
	if common == "" {
		return lines
	}
	out := make([]line, len(lines))
	for i, l := range lines {
		out[i] = newLine(l.no, strings.TrimPrefix(l.text, common))
	}
	return out
}

func leading(s string) string {
	return s[:len(s)-len(strings.TrimLeftFunc(s, unicode.IsSpace))]
}

var listMarker = lazily(`^(?:[-*+•·‣]|\d{1,3}[.)])[ \t]+|^\d{1,3}、[ \t]*`)

// unlist takes one list marker from the front of s.
func unlist(s string) (rest string, listed bool) {
	s = strings.TrimSpace(s)
	m := listMarker().FindString(s)
	return strings.TrimSpace(s[len(m):]), m != ""
}

// rule reports whether s is nothing but a horizontal rule.
func rule(s string) bool {
	s = strings.TrimSpace(s)
	return len(s) >= 3 && strings.Trim(s, s[:1]) == "" && strings.ContainsAny(s[:1], "-*_=")
}

// oneLine joins the lines of s with single spaces.
func oneLine(s string) string {
	if !strings.ContainsAny(s, "\r\n") {
		return strings.TrimSpace(s)
	}
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return r == '\n' || r == '\r'
	}), " ")
}
