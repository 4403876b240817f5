package guard

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	maxPatterns   = 1000
	maxPatternLen = 1024
)

// DefaultIgnored are the names that looking at a project, or building it,
// writes by itself.
var DefaultIgnored = []string{
	".git/index",
	".git/index.lock",
	"__pycache__/",
	"*.pyc",
	".pytest_cache/",
	".mypy_cache/",
	".ruff_cache/",
	"node_modules/.cache/",
	".DS_Store",
}

// Matcher says whether a path is one of those a set of patterns names. The
// zero value matches nothing.
type Matcher struct{ patterns []pattern }

type pattern struct {
	parts []string // "**" stands for any number of parts
	tree  bool     // only a folder, and then everything below
}

// Ignored compiles patterns, a subset of what gitignore files hold:
//
//   - any characters of one name      ?   one character
//     **     any number of folders           x/  the folder x and everything below
//     /x     x in the root                   x   x at any depth, also for a/b
//
// Without a final slash a pattern names the entry alone, not what is below it.
// Brackets, backslashes and a leading "!" are refused rather than guessed at.
// Patterns come from the settings and the task. No .gitignore is ever read: a
// role could write one and so hide what it does.
func Ignored(patterns []string) (Matcher, error) {
	if len(patterns) > maxPatterns {
		return Matcher{}, fmt.Errorf("%d patterns: the limit is %d", len(patterns), maxPatterns)
	}
	m := Matcher{patterns: make([]pattern, 0, len(patterns))}
	for _, text := range patterns {
		p, err := compile(text)
		if err != nil {
			return Matcher{}, fmt.Errorf("pattern %q: %w", text, err)
		}
		m.patterns = append(m.patterns, p)
	}
	return m, nil
}

func compile(text string) (pattern, error) {
	switch {
	case len(text) > maxPatternLen:
		return pattern{}, fmt.Errorf("longer than %d bytes", maxPatternLen)
	case strings.ContainsRune(text, 0):
		return pattern{}, errors.New("holds a NUL")
	case strings.HasPrefix(text, "!"):
		return pattern{}, errors.New(`"!" cannot take back an earlier pattern`)
	case strings.ContainsAny(text, `[]\`):
		return pattern{}, errors.New("brackets and backslashes have no meaning here")
	}
	body, tree := strings.CutSuffix(text, "/")
	body, rooted := strings.CutPrefix(body, "/")
	p := pattern{parts: strings.Split(body, "/"), tree: tree}
	for _, part := range p.parts {
		switch {
		case part == "":
			return pattern{}, errors.New("empty, or with two slashes in a row")
		case part == "." || part == "..":
			return pattern{}, fmt.Errorf("%q is not a name", part)
		case part != "**" && strings.Contains(part, "**"):
			return pattern{}, errors.New(`"**" must stand alone between slashes`)
		}
	}
	if p.parts[len(p.parts)-1] == "**" {
		return pattern{}, errors.New(`ends in "**": say "name/" for a folder with all below`)
	}
	if !rooted {
		p.parts = append([]string{"**"}, p.parts...)
	}
	return p, nil
}

// Match reports whether path, which is a folder if dir, is named by a pattern
// or lies in a folder that is. For a Change, dir is Kind == "dir".
func (m Matcher) Match(path string, dir bool) bool {
	if len(m.patterns) == 0 || path == RootPath {
		return false
	}
	names := strings.Split(path, "/")
	for _, p := range m.patterns {
		if p.match(names, dir) {
			return true
		}
	}
	return false
}

func (p pattern) match(names []string, dir bool) bool {
	if !p.tree {
		return matchParts(p.parts, names)
	}
	for n := range names {
		if n+1 == len(names) && !dir {
			return false
		}
		if matchParts(p.parts, names[:n+1]) {
			return true
		}
	}
	return false
}

// matchParts compares whole names. On a mismatch only the last "**" needs to
// take one name more, so the time is bounded by the product of the lengths.
func matchParts(parts, names []string) bool {
	p, n, star, from := 0, 0, -1, 0
	for n < len(names) {
		switch {
		case p < len(parts) && parts[p] == "**":
			star, from = p, n
			p++
		case p < len(parts) && matchName(parts[p], names[n]):
			p++
			n++
		case star >= 0:
			from++
			p, n = star+1, from
		default:
			return false
		}
	}
	for p < len(parts) && parts[p] == "**" {
		p++
	}
	return p == len(parts)
}

// matchName does the same for the characters of one name. A byte that is not
// UTF-8 counts as a character.
func matchName(pat, name string) bool {
	p, n, star, from := 0, 0, -1, 0
	for n < len(name) {
		_, size := utf8.DecodeRuneInString(name[n:])
		switch {
		case p < len(pat) && pat[p] == '*':
			star, from = p, n
			p++
		case p < len(pat) && pat[p] == '?':
			p++
			n += size
		case p < len(pat) && pat[p] == name[n]:
			p++
			n++
		case star >= 0:
			_, size = utf8.DecodeRuneInString(name[from:])
			from += size
			p, n = star+1, from
		default:
			return false
		}
	}
	for p < len(pat) && pat[p] == '*' {
		p++
	}
	return p == len(pat)
}
