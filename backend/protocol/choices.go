package protocol

import (
	"fmt"
	"strings"
)

// readChoices reads `a | b`, or one choice a line. A single line without a bar
// may separate its choices by 、 or a semicolon.
func readChoices(d document, p *Plan) error {
	for _, s := range d.all(headChoices) {
		for _, l := range s.lines() {
			if l.quote || l.fence || rule(l.text) {
				continue
			}
			text := l.text
			if l.no != s.no {
				text, _ = unlist(text)
			}
			if none(text) {
				continue
			}
			p.Choices = append(p.Choices, cutChoices(text, "|｜")...)
			if p.Choices = once(p.Choices); len(p.Choices) > MostChoices {
				return wrong(l.no, text, fmt.Sprintf("at most %d choices", MostChoices))
			}
		}
	}
	if len(p.Choices) == 1 {
		p.Choices = once(cutChoices(p.Choices[0], "、;；"))
	}
	if len(p.Choices) > MostChoices {
		return wrong(0, p.Choices[0], fmt.Sprintf("at most %d choices", MostChoices))
	}
	return nil
}

func cutChoices(s, separators string) []string {
	var found []string
	for _, c := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		for _, m := range []string{"**", "`"} {
			if inner, ok := strings.CutPrefix(strings.TrimSpace(c), m); ok && strings.HasSuffix(inner, m) {
				c = strings.TrimSuffix(inner, m)
			}
		}
		if c = strings.TrimSpace(c); c != "" {
			found = append(found, c)
		}
	}
	return found
}
