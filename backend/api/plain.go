package api

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain is a text that can be shown: without control characters, but for line
// ends and tabs, and without what turns the direction of reading. Everything an
// agent said goes through it.
func plain(text string) string {
	if !strings.ContainsFunc(text, hidden) && utf8.ValidString(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}

func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r):
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
		return true
	}
	return false
}

// line is the first line of a text, at most so many bytes of it.
func line(text string, most int) string {
	text, _, _ = strings.Cut(strings.TrimSpace(plain(text)), "\n")
	return clip(text, most)
}

// clip shortens visibly.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " …"
}

// quoted is a name for people; odd bytes are quoted.
func quoted(name string) string {
	if strconv.Quote(name) != `"`+name+`"` {
		return strconv.Quote(name)
	}
	return name
}
