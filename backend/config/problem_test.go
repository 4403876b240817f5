package config

import "testing"

func TestASentenceEndsOnce(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]Problem{
		"t.md:3: it is odd":               {File: "t.md", Line: 3, Text: "it is odd"},
		"t.md:3: it is odd. Mend it.":     {File: "t.md", Line: 3, Text: "it is odd", Fix: "Mend it."},
		`t.md:3: did you mean "a"? So.`:   {File: "t.md", Line: 3, Text: `did you mean "a"?`, Fix: "So."},
		"t.md:3: it has a full stop. So.": {File: "t.md", Line: 3, Text: "it has a full stop.", Fix: "So."},
	} {
		if got := p.Sentence(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
