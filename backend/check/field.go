package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// step is one piece of a JSON path: a key, or an index into an array.
type step struct {
	key   string
	index int // -1: key counts
}

const maxSteps = 64

// field takes a JSON path: $, .key, ["key"] and [0].
func (s *scanner) field() []step {
	if s.next() != '$' {
		s.fail(s.at, "a JSON path that begins with $, such as $.total", "")
		return nil
	}
	s.at++
	var steps []step
	for {
		start := s.at
		switch s.next() {
		case '.':
			s.at++
			steps = append(steps, step{key: s.key(), index: -1})
		case '[':
			s.at++
			steps = append(steps, s.bracket())
		default:
			if r := s.next(); r != -1 && !unicode.IsSpace(r) && !strings.ContainsRune("=!<>", r) {
				s.fail(s.at, `.key, ["key"], [0] or an operator`, "")
			}
			return steps
		}
		if len(steps) > maxSteps {
			s.fail(start, fmt.Sprintf("at most %d steps", maxSteps), "")
		}
	}
}

func (s *scanner) key() string {
	start := s.at
	for isKeyRune(s.next()) {
		s.at++
	}
	if s.at == start {
		s.fail(start, "a key after the dot", `other characters are written ["so"]`)
	}
	return string(s.text[start:s.at])
}

func isKeyRune(r rune) bool {
	return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

func (s *scanner) bracket() step {
	piece := step{index: -1}
	if s.next() == '"' {
		piece.key = s.quoted()
	} else {
		start := s.at
		for r := s.next(); r >= '0' && r <= '9'; r = s.next() {
			s.at++
		}
		n, err := strconv.ParseInt(string(s.text[start:s.at]), 10, 32)
		if err != nil {
			s.fail(start, `an index from 0, or a key in double quotes`, "")
		}
		piece.index = int(n)
	}
	if s.next() != ']' {
		s.fail(s.at, "]", "")
		return piece
	}
	s.at++
	return piece
}

func renderField(steps []step) string {
	var out strings.Builder
	out.WriteByte('$')
	for _, p := range steps {
		switch {
		case p.index >= 0:
			fmt.Fprintf(&out, "[%d]", p.index)
		case p.key != "" && strings.IndexFunc(p.key, func(r rune) bool { return !isKeyRune(r) }) < 0:
			out.WriteString("." + p.key)
		default:
			out.WriteString("[" + quote(p.key) + "]")
		}
	}
	return out.String()
}

var errNoField = errors.New("not there")

// find returns the bytes of the value that the steps lead to, in data that is
// valid JSON. It walks tokens, so a document costs its own size and no more. As
// with every common reader, the last of two equal keys counts.
func find(data []byte, steps []step) ([]byte, error) {
	for i, p := range steps {
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		first, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var sub []byte
		switch {
		case first == json.Delim('{') && p.index < 0:
			sub, err = findKey(dec, data, p.key)
		case first == json.Delim('[') && p.index >= 0:
			sub, err = findIndex(dec, data, p.index)
		case p.key == "length" && p.index < 0:
			sub, err = length(dec, first)
		default:
			err = errNoField
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", renderField(steps[:i+1]), err)
		}
		data = sub
	}
	return bytes.TrimSpace(data), nil
}

func findKey(dec *json.Decoder, data []byte, key string) ([]byte, error) {
	var found []byte
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		start := dec.InputOffset()
		if err := skip(dec); err != nil {
			return nil, err
		}
		if name == key {
			found = bytes.TrimLeft(data[start:dec.InputOffset()], ": \t\r\n")
		}
	}
	if found == nil {
		return nil, errNoField
	}
	return found, nil
}

func findIndex(dec *json.Decoder, data []byte, index int) ([]byte, error) {
	for i := 0; dec.More(); i++ {
		start := dec.InputOffset()
		if err := skip(dec); err != nil {
			return nil, err
		}
		if i == index {
			return bytes.TrimLeft(data[start:dec.InputOffset()], ", \t\r\n"), nil
		}
	}
	return nil, errNoField
}

func length(dec *json.Decoder, first json.Token) ([]byte, error) {
	if text, ok := first.(string); ok {
		return strconv.AppendInt(nil, int64(utf8.RuneCountInString(text)), 10), nil
	}
	if first != json.Delim('[') {
		return nil, errNoField
	}
	n := int64(0)
	for ; dec.More(); n++ {
		if err := skip(dec); err != nil {
			return nil, err
		}
	}
	return strconv.AppendInt(nil, n, 10), nil
}

// skip reads one whole value.
func skip(dec *json.Decoder) error {
	for depth := 0; ; {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}
