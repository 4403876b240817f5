package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"longwatch/backend/check"
)

// FileName is what settings are called, on disk and in problems.
const FileName = "settings.toml"

// MaxFile is how many bytes of settings are read.
const MaxFile = 256 << 10

// Parse reads settings over the defaults. With an Error among the problems the
// settings are incomplete and must not be used.
func Parse(data []byte) (Settings, []Problem) {
	s := Default()
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	switch {
	case len(data) > MaxFile:
		return s, []Problem{refuse(0, "settings.too_large", "settings are larger than 256 KiB")}
	case !utf8.Valid(data):
		return s, []Problem{refuse(0, "settings.utf8", "settings are not UTF-8 text")}
	}
	meta, err := toml.Decode(string(data), &s)
	if err != nil {
		return s, []Problem{unreadable(err)}
	}
	f := layout(data)
	problems := unknownKeys(meta.Keys(), f)
	for _, v := range s.violations() {
		problems = append(problems, refuse(f.line(strings.Split(v.key, ".")), "settings.value", v.Error()))
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Line - b.Line })
	return s, problems
}

func refuse(line int, code, text string) Problem {
	return Problem{File: FileName, Line: line, Severity: Error, Code: code, Text: text}
}

// unreadable turns the decoder's error into a problem.
func unreadable(err error) Problem {
	var syntax toml.ParseError
	if errors.As(err, &syntax) {
		text := syntax.Message
		if syntax.LastKey != "" {
			text = strconv.Quote(syntax.LastKey) + ": " + text
		}
		p := refuse(syntax.Position.Line, "settings.syntax", text)
		p.Col = syntax.Position.Col
		return p
	}
	return wrongType(strings.TrimPrefix(err.Error(), "toml: "))
}

// wrongType reads the decoder's words about a value of the wrong type back,
// which exist only as text, and says them as a person would.
func wrongType(text string) Problem {
	line, key := 0, ""
	if parts := regexp.MustCompile(`^line (\d+) \(last key "(.*?)"\): (.*)$`).FindStringSubmatch(text); parts != nil {
		line, _ = strconv.Atoi(parts[1])
		key, text = parts[2], parts[3]
	}
	types := regexp.MustCompile(`value has type (\S+); destination has type (\w+)|(expected) table but found (\S+)`).FindStringSubmatch(text)
	switch {
	case types == nil:
		return refuse(line, "settings.type", text)
	case types[3] != "":
		types[1], types[2] = types[4], "map"
	}
	return refuse(line, "settings.type", fmt.Sprintf("%q is %s; wanted %s", key, said(types[1]), said(types[2])))
}

// said puts a Go or TOML type into words.
func said(kind string) string {
	switch kind {
	case "string":
		return "text"
	case "int64", "integer":
		return "a whole number"
	case "float64", "float":
		return "a number"
	case "bool", "boolean":
		return "true or false"
	case "[]any", "slice", "[]map[string]any":
		return "a list"
	case "map[string]any", "map":
		return "a table"
	}
	return "something else"
}

// unknownKeys holds every key of the file against the fields of Settings. The
// decoder's own list would miss "Agent" for "agent".
func unknownKeys(keys []toml.Key, f entries) []Problem {
	var problems []Problem
	reported := map[string]bool{}
	for _, key := range keys {
		known, free := keysBelow(key[:len(key)-1])
		last := key[len(key)-1]
		if reported[strings.Join(key[:len(key)-1], "\x00")] || (!free && known == nil) {
			reported[strings.Join(key, "\x00")] = true
			continue
		}
		if slices.Contains(known, last) || (free && AgentName(last)) {
			continue
		}
		reported[strings.Join(key, "\x00")] = true
		problems = append(problems, unknownKey(key, known, f))
	}
	return problems
}

func unknownKey(key toml.Key, known []string, f entries) Problem {
	p := refuse(f.line(key), "settings.unknown_key", fmt.Sprintf("unknown key %q", key.String()))
	if near, ok := check.Nearest(key[len(key)-1], known); ok {
		p.Text += fmt.Sprintf("; did you mean %q?", near)
		p.Fix = fmt.Sprintf("Write %s.", near)
		return p
	}
	p.Fix = "Remove the line."
	if len(known) > 0 {
		p.Fix = "Remove the line; known here are " + strings.Join(known, ", ") + "."
	}
	return p
}

// keysBelow lists what may stand in the table at a path. free means that names
// are the person's own; neither means that the path is no table of ours.
func keysBelow(path []string) (known []string, free bool) {
	at := reflect.TypeFor[Settings]()
	for _, name := range path {
		at = typeBelow(at, name)
		if at == nil {
			return nil, false
		}
	}
	switch {
	case at.Kind() == reflect.Map && at.Key() == reflect.TypeFor[Role]():
		return RoleNames(), false
	case at.Kind() == reflect.Map:
		return nil, true
	case at.Kind() == reflect.Struct:
		for i := range at.NumField() {
			known = append(known, at.Field(i).Tag.Get("toml"))
		}
	}
	return known, false
}

func typeBelow(at reflect.Type, name string) reflect.Type {
	switch at.Kind() {
	case reflect.Map:
		return at.Elem()
	case reflect.Struct:
		for i := range at.NumField() {
			if at.Field(i).Tag.Get("toml") == name {
				return at.Field(i).Type
			}
		}
	}
	return nil
}
