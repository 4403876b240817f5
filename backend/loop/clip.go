package loop

import (
	"fmt"
	"unicode/utf8"

	"longwatch/backend/run"
)

// Bounds of what a record carries itself, in bytes as JSON writes them, chosen
// so that the largest record stays below the ledger's 16 KiB.
const (
	maxLine     = 400     // one reason, proof or detail
	maxLines    = 20      //
	maxList     = 3 << 10 // all reasons or details of one record
	maxQuestion = 2 << 10 // a question, a state update
	maxMessage  = 4 << 10 // of the person's, in a brief
	maxText     = 6 << 10 // what a role said; the whole goes to a file
	maxPlan     = 9 << 10 // a plan as it was understood, beside what was said
	maxResults  = 12 << 10
)

// clip cuts text to at most n bytes as JSON, at a rune boundary, and says so
// where there is room for that.
func clip(text string, n int) string {
	if weight(text) <= n {
		return text
	}
	return cut(text, n, runeWeight)
}

// clipPrompt is clip for text that no record carries: n counts plain bytes.
func clipPrompt(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return cut(text, n, func(text string) (int, int) {
		_, size := utf8.DecodeRuneInString(text)
		return size, size
	})
}

func cut(text string, n int, rune func(string) (weight, size int)) string {
	mark := fmt.Sprintf(" … [cut here: %d bytes in all]", len(text))
	if len(mark) >= n {
		mark = ""
	}
	room := n - len(mark)
	for i := 0; i < len(text); {
		w, size := rune(text[i:])
		if room -= w; room < 0 {
			return text[:i] + mark
		}
		i += size
	}
	return text
}

// weight is how many bytes text takes as JSON, its quotes aside. It is never
// less than the length.
func weight(text string) int {
	sum := 0
	for i := 0; i < len(text); {
		w, size := runeWeight(text[i:])
		sum += w
		i += size
	}
	return sum
}

func runeWeight(text string) (weight, size int) {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case r == '"', r == '\\', r == '\n', r == '\r', r == '\t', r == '\b', r == '\f':
		return 2, size
	case r < ' ', r == 0x2028, r == 0x2029, r == utf8.RuneError:
		return 6, size
	}
	return size, size
}

// clipAll bounds a list: the first lines, each cut, and how many more there are.
func clipAll(lines []string) []string {
	return clipTo(lines, maxList)
}

func clipTo(lines []string, room int) []string {
	var out []string
	for i, l := range lines {
		l = clip(l, maxLine)
		if room -= weight(l) + 3; i == maxLines || room < 0 {
			return append(out, fmt.Sprintf("and %d more", len(lines)-i))
		}
		out = append(out, l)
	}
	return out
}

// keep makes the record of what a role said. A text too long for the record is
// on disk before the record that names it.
func (e *Engine) keep(st Step, name, said string) (run.Text, error) {
	long := weight(said) > maxText
	file, err := e.Keeper.Keep(st.Round, name, said, long)
	if err != nil || !long {
		return run.Text{Text: said}, err
	}
	return run.Text{Text: clip(said, maxText), SHA256: digest(said), Size: len(said), File: file}, nil
}
