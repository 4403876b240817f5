package check

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Parse reads one check. An error is a *SyntaxError; its column counts runes of
// the text as given, leading spaces included.
func Parse(text string) (Check, error) {
	s := scanner{text: []rune(strings.TrimRightFunc(text, unicode.IsSpace))}
	s.oneLine(text)
	c := s.check()
	s.end("the end of the check")
	if s.err != nil {
		return Check{}, s.err
	}
	c.Source = render(c)
	return c, nil
}

// oneLine refuses what a line of text cannot be.
func (s *scanner) oneLine(text string) {
	if len(text) > MaxText {
		s.err = &SyntaxError{
			Col: 1, Got: s.wordAt(0), Want: fmt.Sprintf("at most %d bytes", MaxText),
		}
	}
	if !utf8.ValidString(text) {
		s.err = &SyntaxError{Col: 1, Got: "invalid UTF-8", Want: "UTF-8 text"}
	}
	for i, r := range s.text {
		if unicode.IsControl(r) && r != '\t' {
			s.err = &SyntaxError{
				Col: i + 1, Got: string(r), Want: "one line without control characters",
			}
			return
		}
	}
}

func (s *scanner) check() Check {
	kinds := []string{"file", "json", "run", "http", "window", "element"}
	switch Kind(s.oneOf(kinds, "")) {
	case File:
		return s.file()
	case JSON:
		return s.json()
	case Run:
		return s.run()
	case HTTP:
		return s.http()
	case Window:
		s.oneOf([]string{"title"}, "")
		return Check{Kind: Window, Text: s.contains()}
	case Element:
		return s.element()
	}
	return Check{}
}

func (s *scanner) file() Check {
	c := Check{Kind: File, Path: s.path()}
	ops := []string{"exists", "absent", "contains", "matches", "sha256"}
	c.Op = Op(s.oneOf(ops, "a path with spaces goes in double quotes"))
	switch c.Op {
	case Contains:
		c.Text = s.quoted()
	case Matches:
		c.pattern, c.Text = s.pattern()
	case SHA256:
		c.Text = s.digest()
	}
	return c
}

func (s *scanner) json() Check {
	c := Check{Kind: JSON, Path: s.path()}
	s.space()
	c.steps = s.field()
	c.Field = renderField(c.steps)
	s.space()
	start := s.at
	for strings.ContainsRune("=!<>", s.next()) {
		s.at++
	}
	c.Op = Op(s.text[start:s.at])
	switch c.Op {
	case Equals, Differs, Below, Above:
		c.Value = s.value(c.Op)
	default:
		s.fail(start, "==, !=, < or >", "")
	}
	return c
}

func (s *scanner) run() Check {
	c := Check{Kind: Run, Shell: s.fence(), Within: DefaultWithin}
	exit, within := false, false
	for s.space(); !s.done(); s.space() {
		switch {
		case !exit && s.option("exit"):
			exit, c.Exit = true, s.number(0, 255)
		case !within && s.option("within"):
			within, c.Within = true, s.duration()
		default:
			s.fail(s.at, "exit N, within TIME or the end", "")
		}
	}
	return c
}

func (s *scanner) http() Check {
	c := Check{Kind: HTTP, URL: s.url()}
	s.oneOf([]string{"status"}, "")
	c.Status = s.number(100, 599)
	s.space()
	if !s.done() {
		c.Text = s.contains()
	}
	return c
}

func (s *scanner) element() Check {
	c := Check{Kind: Element}
	s.space()
	start := s.at
	c.Role = s.word("a role, such as button")
	if strings.Trim(c.Role, "abcdefghijklmnopqrstuvwxyz_-") != "" {
		s.fail(start, "a role in small letters, such as button", "")
	}
	c.Name = s.quoted()
	s.space()
	if !s.done() {
		s.oneOf([]string{"text"}, "")
		c.Text = s.contains()
	}
	return c
}

func (s *scanner) contains() string {
	s.oneOf([]string{"contains"}, "")
	return s.quoted()
}

func (s *scanner) number(low, high int) int {
	s.space()
	start, want := s.at, fmt.Sprintf("a number from %d to %d", low, high)
	n, err := strconv.Atoi(s.word(want))
	if err != nil || n < low || n > high {
		s.fail(start, want, "")
	}
	return n
}

func (s *scanner) duration() time.Duration {
	s.space()
	start := s.at
	want := "a time from 1s to 30m, such as 90s or 5m"
	d, err := time.ParseDuration(s.word(want))
	if err != nil || d < time.Second || d > MaxWithin {
		s.fail(start, want, "")
	}
	return d
}

func (s *scanner) digest() string {
	s.space()
	start, want := s.at, "64 hexadecimal digits"
	digest := strings.ToLower(s.word(want))
	if len(digest) != 64 || strings.Trim(digest, "0123456789abcdef") != "" {
		s.fail(start, want, "")
	}
	return digest
}

// url takes a web address. One with a password in it would end up in the
// ledger, so it is refused.
func (s *scanner) url() string {
	s.space()
	start := s.at
	want := "an address that begins with http:// or https://"
	text := s.word(want)
	u, err := url.Parse(text)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "":
		s.fail(start, want, "")
	case u.User != nil:
		s.fail(start, "an address without a user name or password", "")
	}
	return text
}
