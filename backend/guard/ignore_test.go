package guard

import (
	"path"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestIgnoredMatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, path string
		dir, want     bool
	}{
		{"*.pyc", "a/b/c.pyc", false, true},
		{"*.pyc", "a/c.pyc/d", false, false},
		{"*.pyc", "c.pyx", false, false},
		{"build/", "build", true, true},
		{"build/", "build", false, false},
		{"build/", "a/build/b/c", false, true},
		{"build/", "builder/x", false, false},
		{"/build/", "a/build/x", false, false},
		{"/build/", "build/x", false, true},
		{".git/index", ".git/index", false, true},
		{".git/index", "sub/.git/index", false, true},
		{".git/index", ".git/index/x", false, false},
		{"/a/**/z", "a/z", false, true},
		{"/a/**/z", "a/b/c/z", false, true},
		{"/a/**/z", "b/a/z", false, false},
		{"a/*/z", "a/b/c/z", false, false},
		{"a/*/z", "x/a/b/z", false, true},
		{"**/x/**/y/", "q/x/r/y/s", false, true},
		{"?", "é", false, true},
		{"??", "é", false, false},
		{"?", "\xff", false, true},
		{"*", "any", false, true},
		{"a*b*c", "aXbYbZc", false, true},
		{"a*b*c", "aXbYbZ", false, false},
		{"*?x", "éx", false, true},
		{"A", "a", false, false},
		{"x/", RootPath, true, false},
	} {
		m, err := Ignored([]string{"no-such-name", c.pattern})
		if err != nil {
			t.Errorf("%q: %v", c.pattern, err)
			continue
		}
		if got := m.Match(c.path, c.dir); got != c.want {
			t.Errorf("%q on %q (folder %t): %t, want %t", c.pattern, c.path, c.dir, got, c.want)
		}
	}
	if (Matcher{}).Match("a", false) {
		t.Error("no patterns match something")
	}
}

func TestIgnoredRefusesWhatItCannotMean(t *testing.T) {
	t.Parallel()
	for _, p := range []string{
		"", "/", "//", "a//b", "!a", "[ab]", `a\b`, "a**", "**", "a/**", "./a", "../a", "a/./b", "a\x00b",
		strings.Repeat("a", maxPatternLen+1),
	} {
		if _, err := Ignored([]string{p}); err == nil {
			t.Errorf("%.20q: accepted", p)
		}
	}
	if _, err := Ignored(make([]string, maxPatterns+1)); err == nil {
		t.Error("too many patterns: accepted")
	}
	if _, err := Ignored(DefaultIgnored); err != nil {
		t.Errorf("the default patterns: %v", err)
	}
}

// FuzzMatchName compares with the standard library where both mean the same.
func FuzzMatchName(f *testing.F) {
	f.Add("a*b?c", "aXXbYc")
	f.Add("*?*?", "éü")
	f.Add("**", "")
	f.Fuzz(func(t *testing.T, pat, name string) {
		if strings.ContainsAny(pat, `[]\/`) || strings.Contains(name, "/") {
			return
		}
		// The library lets half a character match inside of a whole one.
		if !utf8.ValidString(pat) {
			return
		}
		want, err := path.Match(pat, name)
		if err != nil {
			return
		}
		if got := matchName(pat, name); got != want {
			t.Errorf("%q on %q: %t, want %t", pat, name, got, want)
		}
	})
}
