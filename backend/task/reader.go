package task

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"

	"longwatch/backend/check"
	"longwatch/backend/config"
)

// reader collects what is wrong while it walks the front matter. Its methods
// name a value by the path a person would say: "limits.rounds".
type reader struct {
	file     string
	lines    int // of the whole file
	problems []Problem
}

type place struct{ line, col int }

func (r *reader) add(at place, severity config.Severity, p Problem) {
	if len(r.problems) >= 10*MaxProblems {
		return
	}
	p.File, p.Severity = r.file, severity
	p.Line, p.Col = min(max(at.line, 0), r.lines), max(at.col, 0)
	r.problems = append(r.problems, p)
}

func (r *reader) refuse(at place, code, text, fix string) {
	r.add(at, config.Error, refusal(code, text, fix))
}

func (r *reader) warn(at place, code, text, fix string) {
	r.add(at, config.Warning, refusal(code, text, fix))
}

func (r *reader) note(at place, code, text, fix string) {
	r.add(at, config.Note, refusal(code, text, fix))
}

func (r *reader) refused() bool { return config.Refused(r.problems) }

// sorted returns the problems by line. When there are too many, errors are the
// ones that stay.
func (r *reader) sorted() []Problem {
	rank := func(p Problem) int {
		return slices.Index([]config.Severity{config.Error, config.Warning, config.Note}, p.Severity)
	}
	if len(r.problems) > MaxProblems {
		slices.SortStableFunc(r.problems, func(a, b Problem) int { return rank(a) - rank(b) })
		r.problems = r.problems[:MaxProblems]
	}
	slices.SortStableFunc(r.problems, func(a, b Problem) int { return a.Line - b.Line })
	return r.problems
}

// at is where a value begins. A mapping's own token is its first colon.
func at(n ast.Node) place {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		n = m.Values[0].Key
	}
	if token := n.GetToken(); token != nil && token.Position != nil {
		return place{token.Position.Line, token.Position.Column}
	}
	return place{}
}

// quoted shows a piece of the file, short and safe to print.
func quoted(text string) string {
	if utf8.RuneCountInString(text) > 60 {
		text = string([]rune(text)[:59]) + "…"
	}
	return strconv.Quote(text)
}

func (r *reader) wrongType(n ast.Node, name, want string) {
	if _, empty := n.(*ast.NullNode); empty {
		r.refuse(at(n), "no_value", fmt.Sprintf("%s has no value; wanted %s", name, want), "Give it one, or remove the line.")
		return
	}
	fix := ""
	if strings.HasPrefix(want, "text") {
		fix = "Put it in double quotes."
	}
	r.refuse(at(n), "type", fmt.Sprintf("%s is %s; wanted %s", name, kind(n), want), fix)
}

func kind(n ast.Node) string {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping (key: value)"
	case *ast.SequenceNode:
		return "a list"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return "true or false"
	case *ast.StringNode, *ast.LiteralNode:
		return "text"
	}
	return "something else"
}

// block takes text of any number of lines.
func (r *reader) block(n ast.Node, name string) string {
	text, ok := scalar(n)
	switch {
	case !ok:
		r.wrongType(n, name, "text")
	case strings.TrimSpace(text) == "":
		r.refuse(at(n), "no_value", name+" is empty", "Give it a value, or remove the line.")
	case strings.ContainsFunc(text, func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' }):
		r.refuse(at(n), "value", name+" contains control characters", "Remove them.")
	case len(text) > 16<<10:
		r.refuse(at(n), "value", name+" is longer than 16 KiB", "Move it into a file.")
	default:
		return strings.TrimRight(text, "\n")
	}
	return ""
}

func scalar(n ast.Node) (string, bool) {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.LiteralNode:
		return v.Value.Value, true
	}
	return "", false
}

// text takes text on one line.
func (r *reader) text(n ast.Node, name string) string {
	text := strings.TrimSpace(r.block(n, name))
	if strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsGraphic(c) }) {
		r.refuse(at(n), "value", name+" is not one line of plain text", "")
		return ""
	}
	return text
}

// named takes text that people read in lists.
func (r *reader) named(n ast.Node, name string) string {
	text := r.text(n, name)
	if utf8.RuneCountInString(text) > MaxTitle {
		r.refuse(at(n), "value", fmt.Sprintf("%s is longer than %d characters", name, MaxTitle), "Shorten it.")
		return ""
	}
	return text
}

// word takes one of the known words.
func (r *reader) word(n ast.Node, name string, known []string) string {
	text, ok := scalar(n)
	if !ok {
		r.wrongType(n, name, "one of "+strings.Join(known, ", "))
		return ""
	}
	if slices.Contains(known, text) {
		return text
	}
	problem := fmt.Sprintf("%s is %s; wanted %s", name, quoted(text), strings.Join(known, ", "))
	if near, ok := check.Nearest(text, known); ok {
		problem += fmt.Sprintf("; did you mean %q?", near)
	}
	r.refuse(at(n), "value", problem, "")
	return ""
}

func (r *reader) flag(n ast.Node, name string) bool {
	b, ok := n.(*ast.BoolNode)
	if !ok {
		r.wrongType(n, name, "true or false")
		return false
	}
	return b.Value
}

// number takes a whole number in a range that begins above zero.
func (r *reader) number(n ast.Node, name string, high int64) int64 {
	want := fmt.Sprintf("a whole number from 1 to %d", high)
	whole, ok := n.(*ast.IntegerNode)
	if !ok {
		r.wrongType(n, name, want)
		return 0
	}
	if v, ok := whole.Value.(uint64); ok && v >= 1 && v <= uint64(high) {
		return int64(v)
	}
	r.refuse(at(n), "range", fmt.Sprintf("%s is %s; wanted %s", name, quoted(whole.String()), want), "")
	return 0
}

func (r *reader) span(n ast.Node, name string, most config.Millis) config.Millis {
	text, ok := scalar(n)
	if !ok {
		r.wrongType(n, name, `a time with its unit, such as 90s, 45m or 8h`)
		return 0
	}
	span, err := config.ParseMillis(text)
	switch {
	case err != nil:
		r.refuse(at(n), "value", fmt.Sprintf("%s is %s; %v", name, quoted(text), err), "")
	case span > most:
		r.refuse(at(n), "range", fmt.Sprintf("%s is %s; wanted at most %v", name, quoted(text), most.Duration()), "")
		return 0
	}
	return span
}

// list takes a list of at most most elements.
func (r *reader) list(n ast.Node, name string, most int, each func(n ast.Node, name string)) {
	l, ok := n.(*ast.SequenceNode)
	switch {
	case !ok:
		r.wrongType(n, name, "a list")
	case len(l.Values) > most:
		r.refuse(at(n), "range", fmt.Sprintf("%s has %d elements; wanted at most %d", name, len(l.Values), most), "")
	default:
		for i, v := range l.Values {
			each(v, fmt.Sprintf("%s[%d]", name, i+1))
		}
	}
}

func (r *reader) texts(n ast.Node, name string, most int) (all []string) {
	r.list(n, name, most, func(n ast.Node, name string) {
		if text := r.text(n, name); text != "" {
			all = append(all, text)
		}
	})
	return all
}
