package protocol

import (
	"fmt"
	"unicode/utf8"
)

// ParseError says where a text could not be read, what stood there and what
// would have been understood. It is meant to be shown to the role that wrote
// the text, so that one repair is enough.
type ParseError struct {
	Line int    // from 1; 0 when the error is about the whole text
	Got  string // at most about 80 characters; empty when something is missing
	Want string
}

// Error writes `line 7: got "Next: maybe"; wanted one of gui, cli, …`.
func (e *ParseError) Error() string {
	s := ""
	if e.Line > 0 {
		s = fmt.Sprintf("line %d: ", e.Line)
	}
	if e.Got != "" {
		s += fmt.Sprintf("got %q; ", e.Got)
	}
	return s + "wanted " + e.Want
}

func wrong(line int, got, want string) error {
	return &ParseError{Line: line, Got: clip(got), Want: want}
}

// contradicts is the error for a second value where one was said already.
func contradicts(line int, got string, before int, said string) error {
	return wrong(line, got, fmt.Sprintf("one value; line %d says %q", before, clip(said)))
}

// clip shortens s for a message, at a rune boundary.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	cut := most
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
