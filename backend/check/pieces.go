package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// path takes a file's name in the workspace.
func (s *scanner) path() string {
	s.space()
	start := s.at
	var name string
	if s.next() == '"' {
		name = s.quoted()
	} else {
		name = s.word("a path in the workspace")
	}
	if s.err != nil {
		return ""
	}
	want := "a path relative to the workspace"
	switch {
	case strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~"):
		s.fail(start, want, "a check sees only the workspace")
	case slices.Contains(strings.Split(name, "/"), ".."):
		s.fail(start, want+`, without ".."`, "")
	case strings.ContainsAny(name, "\x00\n\r"):
		s.fail(start, want+", on one line", "")
	case strings.HasSuffix(name, "/") || path.Clean(name) == ".":
		s.fail(start, "a file, not a folder", "")
	}
	return path.Clean(name)
}

// pattern takes /re/ and compiles it. A slash inside is written \/. As in grep,
// ^ and $ are the ends of a line: files end with a newline that nobody thinks of.
func (s *scanner) pattern() (*regexp.Regexp, string) {
	s.space()
	start := s.at
	if s.next() != '/' {
		s.fail(start, "a pattern between slashes, such as /^ok$/", "")
		return nil, ""
	}
	for s.at++; s.next() != '/'; s.at++ {
		if s.next() == '\\' {
			s.at++
		}
		if s.done() {
			s.fail(len(s.text), fmt.Sprintf("a slash that closes column %d", start+1), "")
			return nil, ""
		}
	}
	source := string(s.text[start+1 : s.at])
	s.at++
	switch {
	case source == "":
		s.fail(start, "a pattern that is not empty", "")
	case len(source) > MaxPattern:
		s.fail(start, fmt.Sprintf("a pattern of at most %d bytes", MaxPattern), "")
	case !s.done() && s.next() != ' ':
		s.fail(s.at, "the end of the check", `flags go inside, as in /(?i)ok/; a slash inside is \/`)
	}
	re, err := regexp.Compile("(?m)" + source)
	if err != nil {
		s.badPattern(start+1, source, err)
	}
	return re, source
}

// badPattern points at the piece of the pattern that does not compile.
func (s *scanner) badPattern(at int, source string, err error) {
	want := "a regular expression (RE2)"
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		s.fail(at, want, "")
		return
	}
	if i := strings.Index(source, bad.Expr); i >= 0 {
		at += utf8.RuneCountInString(source[:i])
	}
	s.fail(at, want, bad.Code.String())
}

// fence takes a command between backticks; as in Markdown, as many close it as
// opened it. Spaces around it are not part of it.
func (s *scanner) fence() string {
	s.space()
	start := s.at
	open := s.ticks()
	if open == 0 {
		s.fail(start, "a command between backticks", "")
		return ""
	}
	from := s.at
	for {
		for !s.done() && s.next() != '`' {
			s.at++
		}
		if s.done() {
			want := fmt.Sprintf("%s to close column %d", strings.Repeat("`", open), start+1)
			s.fail(len(s.text), want, "")
			return ""
		}
		end := s.at
		if s.ticks() == open {
			return s.command(start, string(s.text[from:end]))
		}
	}
}

func (s *scanner) command(start int, shell string) string {
	trimmed := strings.TrimSpace(shell)
	if trimmed == "" {
		s.fail(start, "a command that is not empty", "")
	}
	if strings.HasSuffix(trimmed, `\`) && !strings.HasSuffix(shell, `\`) {
		trimmed += " " // the last space is escaped, so it means something
	}
	if r := s.next(); r != -1 && r != ' ' && r != '\t' {
		s.fail(s.at, "a space after the command", "")
	}
	return trimmed
}

func (s *scanner) ticks() int {
	start := s.at
	for s.next() == '`' {
		s.at++
	}
	return s.at - start
}

// value takes the rest of the text as JSON.
func (s *scanner) value(op Op) json.RawMessage {
	s.space()
	if s.err != nil {
		return nil
	}
	start := s.at
	rest := []byte(string(s.text[start:]))
	s.at = len(s.text)
	var compact bytes.Buffer
	if err := json.Compact(&compact, rest); err != nil {
		s.fail(start, "a JSON value", `a text is written in double quotes, as in "ok"`)
		return nil
	}
	first := compact.Bytes()[0]
	if isNumber := first == '-' || (first >= '0' && first <= '9'); !isNumber && (op == Below || op == Above) {
		s.fail(start, "a number", "")
	}
	return compact.Bytes()
}

// render writes the canonical text.
func render(c Check) string {
	text := string(c.Kind) + " "
	switch c.Kind {
	case File:
		text += renderPath(c.Path) + " " + string(c.Op)
		switch c.Op {
		case Contains:
			text += " " + quote(c.Text)
		case Matches:
			text += " /" + c.Text + "/"
		case SHA256:
			text += " " + c.Text
		}
	case JSON:
		text += fmt.Sprintf("%s %s %s %s", renderPath(c.Path), c.Field, c.Op, c.Value)
	case Run:
		text += renderRun(c)
	case HTTP:
		text += fmt.Sprintf("%s status %d", c.URL, c.Status)
		if c.Text != "" {
			text += " contains " + quote(c.Text)
		}
	case Window:
		text += "title contains " + quote(c.Text)
	case Element:
		text += c.Role + " " + quote(c.Name)
		if c.Text != "" {
			text += " text contains " + quote(c.Text)
		}
	}
	return text
}

func renderPath(name string) string {
	quoted := quote(name)
	escapes := len(quoted) != len(name)+2
	if escapes || strings.ContainsFunc(name, unicode.IsSpace) {
		return quoted
	}
	return name
}

func renderRun(c Check) string {
	fence := "`"
	for strings.Contains(c.Shell, fence) {
		fence += "`"
	}
	pad := ""
	if strings.Trim(c.Shell, "`") != c.Shell {
		pad = " "
	}
	text := fence + pad + c.Shell + pad + fence
	if c.Exit != 0 {
		text += fmt.Sprintf(" exit %d", c.Exit)
	}
	if c.Within != DefaultWithin {
		text += " within " + c.Within.String()
	}
	return text
}
