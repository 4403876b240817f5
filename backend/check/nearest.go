package check

import (
	"strings"
	"unicode"
)

// Nearest finds the known word that a misspelled one was probably meant to be,
// or reports false. Spellings that differ only by case, "_", "-" or space come
// first; then up to two edits (one if either word has four letters or fewer),
// where swapping two neighbours is one edit; then a beginning ("lang" for
// "language"); then a part ("rounds_limit" for "limits"). A word that is known
// as it stands is its own nearest.
func Nearest(word string, known []string) (string, bool) {
	if len(word) > 64 {
		return "", false
	}
	w := plain(word)
	if best, ok := fewestEdits(w, known); ok {
		return best, true
	}
	for _, k := range known {
		if len(w) >= 3 && strings.HasPrefix(plain(k), w) {
			return k, true
		}
	}
	for _, part := range parts(word) {
		for _, k := range known {
			if p := plain(k); len(part) >= 4 && (part == p || part+"s" == p || part == p+"s") {
				return k, true
			}
		}
	}
	return "", false
}

func fewestEdits(w string, known []string) (string, bool) {
	best, fewest := "", 3
	for _, k := range known {
		p := plain(k)
		n, allowed := edits([]rune(w), []rune(p)), 2
		if min(len(w), len(p)) <= 4 {
			allowed = 1
		}
		if n <= allowed && n < fewest && n < len(p) {
			best, fewest = k, n
		}
	}
	return best, best != ""
}

// plain drops what people vary without meaning anything by it.
func plain(word string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(word))
}

func parts(word string) []string {
	return strings.FieldsFunc(strings.ToLower(word), func(r rune) bool {
		return !unicode.IsLetter(r)
	})
}

// edits is the optimal string alignment distance: insertions, deletions,
// substitutions and swaps of neighbours.
func edits(a, b []rune) int {
	var older []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
		older, last = last, row
	}
	return last[len(b)]
}
