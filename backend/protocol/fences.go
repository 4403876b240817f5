package protocol

import "strings"

// mostLead is how many non-empty lines may stand before a code block that
// surrounds the whole answer.
const mostLead = 3

// fences follows code blocks through the lines of a text. A fence with a
// language name inside a block opens a nested one, as models write it.
type fences struct {
	open []fence
}

type fence struct {
	char byte
	n    int
}

// feed takes the next line. It reports whether the line belongs to a code
// block, and whether it is what opens or closes one.
func (f *fences) feed(l line) (inside, marker bool) {
	m, info, ok := fenceOf(l)
	deep := len(f.open)
	switch {
	case !ok:
		return deep > 0, false
	case deep == 0:
		f.open = append(f.open, m)
		return true, true
	case info == "" && m.char == f.open[deep-1].char && m.n >= f.open[deep-1].n:
		f.open = f.open[:deep-1]
		return true, true
	case info != "" && !strings.ContainsAny(info, " \t"):
		f.open = append(f.open, m)
		return true, true
	}
	return true, false
}

func fenceOf(l line) (m fence, info string, ok bool) {
	t := strings.TrimSpace(l.text)
	if l.indent >= codeIndent || t == "" || t[0] != '`' && t[0] != '~' {
		return fence{}, "", false
	}
	rest := strings.TrimLeft(t, t[:1])
	m = fence{t[0], len(t) - len(rest)}
	if m.n < 3 || strings.Contains(rest, "`") {
		return fence{}, "", false
	}
	return m, strings.TrimSpace(rest), true
}

// unwrap gives what is inside when a code block, or an indentation, surrounds
// everything but a short lead. Nothing may follow a surrounding block: an
// answer that goes on after it was only quoting.
func unwrap(lines []line, v *vocabulary) []line {
	if at, ok := afterLead(lines, v, func(l line) bool { _, _, f := fenceOf(l); return f }); ok {
		lines = unfenced(lines, at)
	}
	at, ok := afterLead(lines, v, func(l line) bool { return l.indent >= codeIndent })
	if !ok {
		return lines
	}
	for _, l := range lines[at:] {
		if !l.blank() && l.indent < codeIndent {
			return lines
		}
	}
	return dedent(lines[at:])
}

// afterLead finds the first line that satisfies starts, with nothing but a
// short lead without headings before it.
func afterLead(lines []line, v *vocabulary, starts func(line) bool) (int, bool) {
	lead := 0
	for i, l := range lines {
		if l.blank() {
			continue
		}
		if starts(l) {
			return i, true
		}
		if _, heads := v.match(l.text); heads || lead == mostLead {
			return 0, false
		}
		lead++
	}
	return 0, false
}

func unfenced(lines []line, at int) []line {
	var f fences
	end := len(lines)
	for i := at; i < len(lines); i++ {
		if f.feed(lines[i]); len(f.open) == 0 {
			end = i
			break
		}
	}
	for i := end + 1; i < len(lines); i++ {
		if !lines[i].blank() {
			return lines
		}
	}
	return lines[at+1 : end]
}
