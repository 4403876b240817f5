package loop

import (
	"fmt"
	"unicode/utf8"

	"longwatch/backend/run"
)

// Bounds of what a record carries itself. A record body is at most 16 KiB, and
// JSON may double the size of text.
const (
	maxLine     = 400     // one reason, proof or detail
	maxQuestion = 4 << 10 // a question, a state update
	maxText     = 6 << 10 // what a role said; the whole goes to a file
	maxLines    = 20
)

// clip cuts text to at most n bytes, at a rune boundary, and says so.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	mark := fmt.Sprintf(" … [cut here: %d bytes in all]", len(text))
	cut := max(0, n-len(mark))
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	if cut == 0 {
		return text[:runeEnd(text, n)]
	}
	return text[:cut] + mark
}

func runeEnd(text string, n int) int {
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

func clipAll(lines []string) []string {
	var out []string
	for i, l := range lines {
		if i == maxLines {
			return append(out, fmt.Sprintf("and %d more", len(lines)-i))
		}
		out = append(out, clip(l, maxLine))
	}
	return out
}

// keep makes the record of what a role said. A text too long for the record is
// on disk before the record that names it.
func (e *Engine) keep(st Step, name, said string) (run.Text, error) {
	long := len(said) > maxText
	file, err := e.Keeper.Keep(st.Round, name, said, long)
	if err != nil || !long {
		return run.Text{Text: said}, err
	}
	return run.Text{Text: clip(said, maxText), SHA256: digest(said), Size: len(said), File: file}, nil
}
