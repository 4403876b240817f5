// Package check holds machine checks: one line of text that a person or a model
// writes, and that Longwatch itself evaluates to pass or fail with a proof.
//
// The grammar, one check a line:
//
//	file PATH exists | absent | contains "S" | matches /re/ | sha256 HEX
//	json PATH $.a["b"][0].length == | != | < | > VALUE
//	run `shell` [exit N] [within 60s]
//	run `` shell with `backticks` `` [exit N] [within 60s]
//	http URL status N [contains "S"]
//	window title contains "S"
//	element ROLE "NAME" [text contains "S"]
//
// PATH is relative to the workspace, "quoted" if it has spaces; it is never
// absolute and never has a "..". "S" knows the escapes \" \\ \n \r \t \uXXXX. A
// pattern is RE2; ^ and $ are the ends of a line, flags go inside as in (?i), a
// slash is written \/. VALUE is any JSON; < and > compare numbers; a field that
// is not there satisfies no comparison, != included. ".length" counts the
// elements of an array and the characters of a string, and is an ordinary key
// of an object. As in Markdown, as many backticks close a command as opened it.
// Windows and elements parse, but are not available yet.
//
// Reading is strict and errors point at a column. Evaluating never leaves the
// workspace, never hangs on a FIFO, reads a bounded number of bytes, and says
// what it saw in at most 600 bytes of printable text. Nothing but a check that
// was judged and holds is a pass: what could not be judged is an error, never a
// guess. The package starts no process: running a command is handed in.
package check

import (
	"encoding/json"
	"regexp"
	"time"
)

// Kind is the first word of a check.
type Kind string

// The closed set of kinds.
const (
	File    Kind = "file"
	JSON    Kind = "json"
	Run     Kind = "run"
	HTTP    Kind = "http"
	Window  Kind = "window"
	Element Kind = "element"
)

// Op is what a file or a JSON field is held against.
type Op string

// The closed set of operators: the first five for files, the others for JSON.
const (
	Exists   Op = "exists"
	Absent   Op = "absent"
	Contains Op = "contains"
	Matches  Op = "matches"
	SHA256   Op = "sha256"
	Equals   Op = "=="
	Differs  Op = "!="
	Below    Op = "<"
	Above    Op = ">"
)

// Limits of the language.
const (
	MaxText       = 8 << 10          // bytes of one check
	MaxPattern    = 1 << 10          // bytes of one regular expression
	DefaultWithin = 60 * time.Second // for a command that names no time
	MaxWithin     = 30 * time.Minute
)

// Check is one parsed check. Only Parse and UnmarshalText make a usable one; in
// JSON it is its text.
type Check struct {
	Kind   Kind
	Op     Op              // file and json
	Path   string          // file and json: clean, slashes, relative to the workspace
	Text   string          // the text looked for, the pattern, or the lower-case digest
	Field  string          // json: the path, as in $.a["b c"][0]
	Value  json.RawMessage // json: the literal, compact
	Shell  string          // run: the command line
	Exit   int             // run: the exit code wanted
	Within time.Duration   // run: when to give up
	URL    string          // http
	Status int             // http: the status wanted
	Role   string          // element
	Name   string          // element
	Source string          // the canonical text

	pattern *regexp.Regexp
	steps   []step
}

// String writes the check in its one canonical spelling, which parses to the
// same check.
func (c Check) String() string { return c.Source }

// Equal reports whether both checks ask the same.
func (c Check) Equal(o Check) bool { return c.Source == o.Source }

// MarshalText writes the canonical text.
func (c Check) MarshalText() ([]byte, error) { return []byte(c.Source), nil }

// UnmarshalText parses; its errors are those of Parse.
func (c *Check) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err != nil {
		return err
	}
	*c = parsed
	return nil
}
