package check

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxProof   = 600 // bytes
	maxSnippet = 160 // bytes of a file or a page inside a proof, before escaping
	cutMark    = " … cut"
)

// printable makes a proof safe to show anywhere: what is not a graphic
// character (controls, escapes, direction marks, broken UTF-8) is written out,
// and the whole is clipped between runes with a visible mark.
func printable(text string) string {
	var out strings.Builder
	whole := 0 // length of the output that still leaves room for the mark
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		out.WriteString(visible(text[i:i+n], r))
		i += n
		if out.Len() <= maxProof-len(cutMark) {
			whole = out.Len()
		}
		if out.Len() > maxProof {
			return out.String()[:whole] + cutMark
		}
	}
	return out.String()
}

func visible(raw string, r rune) string {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return fmt.Sprintf(`\x%02x`, raw[0])
	case unicode.IsGraphic(r):
		return raw
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r > 0xffff:
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// snippet is the beginning of a text, cut between runes.
func snippet(text []byte) string {
	if len(text) <= maxSnippet {
		return string(text)
	}
	end := maxSnippet
	for end > maxSnippet-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return string(text[:end]) + "…"
}
