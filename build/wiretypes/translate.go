package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
)

const heading = "// Written by build/wiretypes from backend/api/wire.go; `make types` writes it anew.\n"

// translate turns structs and string constants into TypeScript. What JSON does
// not have, or what would not arrive as it is written, is refused.
func translate(src []byte) ([]byte, error) {
	src, err := format.Source(src)
	if err != nil {
		return nil, err
	}
	f, err := parser.ParseFile(token.NewFileSet(), "wire.go", src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	t := translation{unions: map[string][]word{}}
	t.out.WriteString(heading)
	t.collect(f)
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, s := range g.Specs {
			if err := t.declare(g.Doc, s.(*ast.TypeSpec)); err != nil {
				return nil, err
			}
		}
	}
	return t.out.Bytes(), nil
}

// word is one value of a closed set and what it means.
type word struct{ value, says string }

type translation struct {
	out    bytes.Buffer
	unions map[string][]word // by the name of their type
}

// collect gathers the constants of named string types.
func (t *translation) collect(f *ast.File) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			of, ok := v.Type.(*ast.Ident)
			if !ok || len(v.Values) != 1 {
				continue
			}
			if lit, ok := v.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				value, _ := strconv.Unquote(lit.Value)
				t.unions[of.Name] = append(t.unions[of.Name], word{value, says(v.Comment)})
			}
		}
	}
}

func (t *translation) declare(doc *ast.CommentGroup, s *ast.TypeSpec) error {
	t.out.WriteString("\n")
	t.comment("", says(doc))
	switch typ := s.Type.(type) {
	case *ast.StructType:
		fmt.Fprintf(&t.out, "export interface %s {\n", s.Name.Name)
		for _, f := range typ.Fields.List {
			if err := t.field(f); err != nil {
				return fmt.Errorf("%s: %w", s.Name.Name, err)
			}
		}
		t.out.WriteString("}\n")
		return nil
	case *ast.Ident:
		words := t.unions[s.Name.Name]
		if typ.Name != "string" || len(words) == 0 {
			return fmt.Errorf("%s is not a closed set of strings", s.Name.Name)
		}
		fmt.Fprintf(&t.out, "export type %s =\n", s.Name.Name)
		for i, w := range words {
			end := ""
			if i == len(words)-1 {
				end = ";"
			}
			if w.says != "" {
				end += " // " + w.says
			}
			fmt.Fprintf(&t.out, "  | '%s'%s\n", w.value, end)
		}
		return nil
	}
	return fmt.Errorf("%s is neither a struct nor a string", s.Name.Name)
}

func (t *translation) field(f *ast.Field) error {
	if len(f.Names) != 1 || f.Tag == nil {
		return fmt.Errorf("each field needs one name and a tag")
	}
	tag, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return err
	}
	name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	if name == "" || name == "-" {
		return fmt.Errorf("%s has no name in JSON", f.Names[0])
	}
	typ, err := t.typ(f.Type)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Names[0], err)
	}
	if strings.Contains(options, "omitempty") {
		name += "?"
	} else if _, pointer := f.Type.(*ast.StarExpr); pointer {
		return fmt.Errorf("%s would be null", f.Names[0])
	}
	t.comment("  ", says(f.Comment))
	fmt.Fprintf(&t.out, "  %s: %s;\n", name, typ)
	return nil
}

var plain = map[string]string{
	"string": "string", "bool": "boolean",
	"int": "number", "int64": "number", "uint64": "number",
}

func (t *translation) typ(e ast.Expr) (string, error) {
	switch e := e.(type) {
	case *ast.Ident:
		if p, ok := plain[e.Name]; ok {
			return p, nil
		}
		if ast.IsExported(e.Name) {
			return e.Name, nil
		}
	case *ast.StarExpr:
		return t.typ(e.X)
	case *ast.ArrayType:
		of, err := t.typ(e.Elt)
		return of + "[]", err
	case *ast.MapType:
		of, err := t.typ(e.Value)
		return "{ [key: string]: " + of + " }", err
	}
	return "", fmt.Errorf("a type that JSON does not have")
}

func (t *translation) comment(indent, text string) {
	if text != "" {
		fmt.Fprintf(&t.out, "%s/** %s */\n", indent, text)
	}
}

// says is a comment as one line.
func says(c *ast.CommentGroup) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(c.Text()), " "), "*/", "* /")
}
