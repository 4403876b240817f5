package config

import (
	"fmt"
	"strings"
)

// Severity says what a problem means for a start.
type Severity string

// The closed set of severities.
const (
	Error   Severity = "error"   // the file must not be used
	Warning Severity = "warning" // it can be used, probably not as meant
	Note    Severity = "note"    // harmless, said so that nobody wonders
)

// Problem is one thing that is wrong with a file a person wrote.
type Problem struct {
	File     string   `json:"file"`           // as the person would call it
	Line     int      `json:"line,omitempty"` // from 1; 0: the file as a whole
	Col      int      `json:"col,omitempty"`  // in runes from 1; 0: the line as a whole
	Severity Severity `json:"severity"`
	Code     string   `json:"code"`          // stable, such as "task.unknown_key"
	Text     string   `json:"text"`          // what is wrong, one sentence
	Fix      string   `json:"fix,omitempty"` // what to do, one sentence
}

// String writes the problem as a compiler would: `task.md:4: unknown key "x"`.
func (p Problem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Text)
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// Refused reports whether one of the problems is an Error.
func Refused(problems []Problem) bool {
	for _, p := range problems {
		if p.Severity == Error {
			return true
		}
	}
	return false
}

// Sentence is the problem with what to do about it.
func (p Problem) Sentence() string {
	text := p.String()
	switch {
	case p.Fix == "":
		return text
	case strings.HasSuffix(text, "?"), strings.HasSuffix(text, "."):
		return text + " " + p.Fix
	}
	return text + ". " + p.Fix
}

// RefusedError is a file that must not be used, one line an error.
type RefusedError struct{ Problems []Problem }

func (e *RefusedError) Error() string {
	var lines []string
	for _, p := range e.Problems {
		if p.Severity == Error {
			lines = append(lines, p.Sentence())
		}
	}
	return strings.Join(lines, "\n")
}
