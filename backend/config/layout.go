package config

import "strings"

// entry is one line of a TOML file that sets a key or opens a table.
type entry struct {
	path string // joined by "\x00"
	line int
}

// layout finds out which key stands on which line, which the decoder keeps to
// itself. It only serves messages, so it reads lines, not TOML: a line inside
// a long text that looks like a key can at worst make a line number wrong.
func layout(data []byte) entries {
	var found entries
	table := []string{}
	for i, text := range strings.Split(string(data), "\n") {
		text = strings.TrimSpace(text)
		switch {
		case strings.HasPrefix(text, "["):
			name, _, _ := strings.Cut(strings.TrimLeft(text, "["), "]")
			table = keyPieces(name)
			found = append(found, entry{strings.Join(table, "\x00"), i + 1})
		case strings.Contains(text, "=") && !strings.HasPrefix(text, "#"):
			name, _, _ := strings.Cut(text, "=")
			whole := append(table[:len(table):len(table)], keyPieces(name)...)
			found = append(found, entry{strings.Join(whole, "\x00"), i + 1})
		}
	}
	return found
}

type entries []entry

// line finds a key; one that stands inside a table written on one line is found
// at that line. 0 means that nothing like it was seen.
func (e entries) line(key []string) int {
	for n := len(key); n > 0; n-- {
		path := strings.Join(key[:n], "\x00")
		for _, at := range e {
			if at.path == path || strings.HasPrefix(at.path, path+"\x00") {
				return at.line
			}
		}
	}
	return 0
}

func keyPieces(name string) []string {
	pieces := strings.Split(name, ".")
	for i, p := range pieces {
		pieces[i] = strings.Trim(strings.TrimSpace(p), `"'`)
	}
	return pieces
}
