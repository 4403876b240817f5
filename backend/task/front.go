package task

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"longwatch/backend/check"
)

// Both are far more than any task needs. maxNesting keeps the YAML parser, which
// recurses, from being driven deep; maxKeys bounds the search for misspellings.
const (
	maxNesting = 32
	maxKeys    = 200
)

// front reads the front matter into the task.
func (r *reader) front(text string, t *Task) {
	if len(text) > MaxFront {
		r.refuse(place{line: 1}, "front_too_large", "the front matter is larger than 64 KiB", "Move long text into the body.")
		return
	}
	root, ok := r.yaml(text)
	if !ok || root == nil {
		return
	}
	if _, isMap := root.(ast.MapNode); !isMap {
		r.refuse(at(root), "not_a_mapping", "the front matter is "+kind(root)+", not lines of key: value",
			"A rule at the top of plain text is written ***.")
		return
	}
	r.mapping(root, "", r.keys(t))
}

// yaml parses to a tree without anchors, aliases, tags or a second document.
// The parser is not ours and the bytes are anybody's: if it breaks, the task is
// refused, not the program ended.
func (r *reader) yaml(text string) (root ast.Node, ok bool) {
	defer func() {
		if recover() != nil {
			r.refuse(place{line: 1}, "yaml", "the front matter cannot be read as YAML", "Check its quotes and brackets.")
			root, ok = nil, false
		}
	}()
	tokens := lexer.Tokenize("\n" + text) // the line of the opening fence
	if !r.plain(tokens) {
		return nil, false
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		r.badYAML(err)
		return nil, false
	}
	if len(file.Docs) == 0 || file.Docs[0] == nil {
		return nil, true
	}
	return file.Docs[0].Body, true
}

func (r *reader) badYAML(err error) {
	var known yaml.Error
	if !errors.As(err, &known) {
		r.refuse(place{line: 1}, "yaml", "the front matter cannot be read as YAML", "Check its quotes and brackets.")
		return
	}
	where := place{line: 1}
	if token := known.GetToken(); token != nil && token.Position != nil {
		where = place{token.Position.Line, token.Position.Column}
	}
	text, code := known.GetMessage(), "yaml"
	if strings.Contains(text, "already defined") {
		code = "duplicate_key"
	}
	r.refuse(where, code, text, "Text with a colon, a hash or a bracket goes in single quotes.")
}

// plain refuses what makes one value mean another, and nesting without end.
func (r *reader) plain(tokens token.Tokens) bool {
	depth, dashes, line := 0, 0, 0
	for _, tk := range tokens {
		if tk.Position.Line != line {
			dashes, line = 0, tk.Position.Line
		}
		what := ""
		switch tk.Type {
		case token.AnchorType:
			what = "an anchor (&)"
		case token.AliasType:
			what = "an alias (*)"
		case token.TagType:
			what = "a tag (!)"
		case token.MergeKeyType:
			what = "a merge key (<<)"
		case token.MappingKeyType:
			what = "a question mark (?)"
		case token.DirectiveType:
			what = "a directive (%)"
		case token.DocumentHeaderType, token.DocumentEndType:
			what = "a second document (--- or ...)"
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		case token.SequenceEntryType:
			dashes++
		}
		where := place{tk.Position.Line, tk.Position.Column}
		if what != "" {
			r.refuse(where, "yaml", "this is "+what+", which a task file cannot have", "Text that begins so goes in single quotes.")
			return false
		}
		if depth > maxNesting || dashes > maxNesting {
			r.refuse(where, "yaml", fmt.Sprintf("values are nested deeper than %d", maxNesting), "")
			return false
		}
	}
	return true
}

// key is one key that a mapping may have. read gets the value and how to call
// it.
type key struct {
	name string
	read func(n ast.Node, name string)
}

// mapping reads a mapping strictly: no key twice, none that is not known. where
// is its name, empty for the front matter itself, the only place where keys
// that other tools write are let pass.
func (r *reader) mapping(n ast.Node, where string, keys []key) {
	m, ok := n.(ast.MapNode)
	if !ok {
		r.wrongType(n, where, "a mapping (key: value)")
		return
	}
	seen := map[string]bool{}
	for values := m.MapRange(); values.Next(); {
		k := values.Key()
		name := keyName(k)
		if seen[name] {
			r.refuse(at(k), "duplicate_key", fmt.Sprintf("the key %s is here twice", quoted(name)), "Remove one.")
			continue
		}
		seen[name] = true
		if len(seen) > maxKeys {
			r.refuse(at(k), "too_many_keys", fmt.Sprintf("there are more than %d keys here", maxKeys), "")
			return
		}
		r.value(k, values.Value(), where, keys)
	}
}

func keyName(k ast.Node) string {
	if text, ok := scalar(k); ok {
		return text
	}
	return k.GetToken().Value
}

func (r *reader) value(k, v ast.Node, where string, keys []key) {
	name, known := keyName(k), []string{}
	for _, possible := range keys {
		if possible.name == name {
			if where != "" {
				name = where + "." + name
			}
			possible.read(v, name)
			return
		}
		known = append(known, possible.name)
	}
	r.unknown(k, where, known)
}

func (r *reader) unknown(k ast.Node, where string, known []string) {
	name := keyName(k)
	near, close := check.Nearest(name, known)
	if where == "" && (!close || foreign(name)) {
		r.note(at(k), "foreign_key", fmt.Sprintf("the key %s is not Longwatch's and is ignored", quoted(name)), "")
		return
	}
	text, fix := "unknown key "+quoted(name), "Known here are "+strings.Join(known, ", ")+"."
	if where != "" {
		text += " in " + where
	}
	if close {
		text += fmt.Sprintf("; did you mean %q?", near)
		fix = fmt.Sprintf("Write %s.", near)
	}
	r.refuse(at(k), "unknown_key", text, fix)
}

// foreign knows the keys of note-taking and publishing tools that happen to
// look like ours.
func foreign(name string) bool {
	switch name {
	case "aliases", "author", "authors", "category", "created", "date", "draft", "id", "image",
		"keywords", "layout", "name", "note", "permalink", "priority", "project", "slug", "status",
		"summary", "tags", "theme", "type", "updated", "version":
		return true
	}
	return false
}
