package check

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SyntaxError says where a check stops making sense and what would have.
type SyntaxError struct {
	Col  int    // where, in runes, from 1
	Got  string // what stands there, empty at the end of the text
	Want string // what would be understood
	Hint string // what was probably meant, may be empty
}

// Error writes the error as one sentence that begins with the column.
func (e *SyntaxError) Error() string {
	got := "the end"
	if e.Got != "" {
		got = strconv.Quote(e.Got)
	}
	text := fmt.Sprintf("column %d: got %s; wanted %s", e.Col, got, e.Want)
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// scanner walks the text of one check. The first error sticks: after it every
// method returns its zero value, so that a parser reads as the grammar does.
type scanner struct {
	text []rune
	at   int
	err  *SyntaxError
}

// fail notes the first error, at a rune offset.
func (s *scanner) fail(at int, want, hint string) {
	if s.err != nil {
		return
	}
	s.err = &SyntaxError{Col: at + 1, Got: s.wordAt(at), Want: want, Hint: hint}
}

func (s *scanner) done() bool { return s.err != nil || s.at >= len(s.text) }

func (s *scanner) next() rune {
	if s.done() {
		return -1
	}
	return s.text[s.at]
}

func (s *scanner) space() {
	for !s.done() && unicode.IsSpace(s.text[s.at]) {
		s.at++
	}
}

// wordAt is the run of non-spaces at an offset, clipped: for messages.
func (s *scanner) wordAt(at int) string {
	end := at
	for end < len(s.text) && !unicode.IsSpace(s.text[end]) && end < at+40 {
		end++
	}
	return string(s.text[at:end])
}

// word takes a run of non-spaces.
func (s *scanner) word(want string) string {
	s.space()
	start := s.at
	for !s.done() && !unicode.IsSpace(s.text[s.at]) {
		s.at++
	}
	if s.at == start {
		s.fail(start, want, "")
	}
	return string(s.text[start:s.at])
}

// oneOf takes a word that must be known.
func (s *scanner) oneOf(known []string, hint string) string {
	s.space()
	start := s.at
	got := s.word(list(known))
	for _, k := range known {
		if got == k {
			return k
		}
	}
	if near, ok := Nearest(got, known); ok {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	s.fail(start, list(known), hint)
	return ""
}

// option takes the word if it comes next.
func (s *scanner) option(word string) bool {
	s.space()
	if s.done() || s.wordAt(s.at) != word {
		return false
	}
	s.at += utf8.RuneCountInString(word)
	return true
}

// end accepts only spaces up to the end.
func (s *scanner) end(want string) {
	s.space()
	if !s.done() {
		s.fail(s.at, want, "")
	}
}

// text in double quotes, not empty: an empty text is found in everything.
func (s *scanner) quoted() string {
	s.space()
	start, want := s.at, `a text in double quotes`
	if s.next() != '"' {
		hint := ""
		if r := s.next(); r == '“' || r == '”' || r == '\'' {
			hint = `use straight double quotes: "`
		}
		s.fail(start, want, hint)
		return ""
	}
	var out strings.Builder
	for s.at++; s.next() != '"'; s.at++ {
		if s.done() {
			s.fail(len(s.text), fmt.Sprintf("a closing quote for column %d", start+1), "")
			return ""
		}
		s.quotedRune(&out)
	}
	s.at++
	if out.Len() == 0 {
		s.fail(start, want+" that is not empty", "")
	}
	return out.String()
}

func (s *scanner) quotedRune(out *strings.Builder) {
	if s.next() != '\\' {
		out.WriteRune(s.next())
		return
	}
	start := s.at
	s.at++
	switch r := s.next(); r {
	case '"', '\\', '/':
		out.WriteRune(r)
	case 'n':
		out.WriteByte('\n')
	case 'r':
		out.WriteByte('\r')
	case 't':
		out.WriteByte('\t')
	case 'u':
		digits := string(s.text[s.at+1 : min(s.at+5, len(s.text))])
		n, err := strconv.ParseUint(digits, 16, 16)
		if err != nil || len(digits) != 4 || !utf8.ValidRune(rune(n)) {
			s.fail(start, `four hex digits after \u`, "")
			return
		}
		out.WriteRune(rune(n))
		s.at += 4
	default:
		s.fail(start, `one of \" \\ \n \r \t \uXXXX`, `write a backslash as \\`)
	}
}

// quote is the inverse of quoted.
func quote(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteString(`\` + string(r))
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\r':
			out.WriteString(`\r`)
		case r == '\t':
			out.WriteString(`\t`)
		case unicode.IsControl(r) || r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String() + `"`
}

// list writes "a, b or c".
func list(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
