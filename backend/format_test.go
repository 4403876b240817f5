package backend_test

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// The format is described where people and scripts look for it. These tests
// hold the description to the structs, field by field.

const formatFile = "../docs/format.md"

// described is a part of the format: what stands below a heading, up to the
// next one of its level.
func described(t *testing.T, heading string) string {
	t.Helper()
	b, err := os.ReadFile(formatFile)
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut("\n"+string(b), "\n"+heading+"\n")
	if !ok {
		t.Fatalf("%s has no heading %q", formatFile, heading)
	}
	level, _, _ := strings.Cut(heading, " ")
	text, _, _ = strings.Cut(text, "\n"+level+" ")
	return text
}

var fieldName = regexp.MustCompile(`[a-z][a-z0-9_]*`)

func lacks(text string, fields []string) (out []string) {
	words := fieldName.FindAllString(text, -1)
	for _, f := range fields {
		if !slices.Contains(words, f) {
			out = append(out, f)
		}
	}
	return out
}

// fieldsOf lists the JSON names of a struct, those of embedded ones as its own,
// and the structs its other fields hold.
func fieldsOf(ty reflect.Type) (names []string, inner []reflect.Type) {
	for i := range ty.NumField() {
		f := ty.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			more, deeper := fieldsOf(f.Type)
			names, inner = append(names, more...), append(inner, deeper...)
			continue
		}
		if name == "-" || !f.IsExported() {
			continue
		}
		names = append(names, name)
		for held := f.Type; ; held = held.Elem() {
			if held.Kind() == reflect.Struct {
				inner = append(inner, held)
			}
			if k := held.Kind(); k != reflect.Pointer && k != reflect.Slice && k != reflect.Map {
				break
			}
		}
	}
	return names, inner
}

func TestEveryFieldOfEveryEventIsDescribed(t *testing.T) {
	t.Parallel()
	rows := map[string]string{} // by kind
	for line := range strings.Lines(described(t, "### Kinds")) {
		if cells := strings.SplitN(line, "|", 4); len(cells) == 4 {
			for kind := range strings.SplitSeq(cells[1], ",") {
				rows[strings.TrimSpace(kind)] = cells[3]
			}
		}
	}
	record := described(t, "## A ledger record")
	seen := map[reflect.Type]bool{}
	for kind, class := range run.Kinds() {
		event, err := run.Decode(kind, class, []byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		names, inner := fieldsOf(reflect.TypeOf(event))
		if missing := lacks(rows[string(kind)], names); len(missing) > 0 {
			t.Errorf("the row of %s lacks %v", kind, missing)
		}
		for len(inner) > 0 {
			ty := inner[0]
			inner = inner[1:]
			if seen[ty] {
				continue
			}
			seen[ty] = true
			names, deeper := fieldsOf(ty)
			if missing := lacks(record, names); len(missing) > 0 {
				t.Errorf("%s of %s: nothing describes %v", ty, kind, missing)
			}
			inner = append(inner, deeper...)
		}
	}
	if len(seen) < 8 {
		t.Errorf("only %d structs are held by events: the test looks at the wrong things", len(seen))
	}
}

func TestEveryFieldOfFilesForOthersIsDescribed(t *testing.T) {
	t.Parallel()
	for heading, ty := range map[string]reflect.Type{
		"## A command": reflect.TypeFor[rundir.Command](),
		"## run.json":  reflect.TypeFor[rundir.Spec](),
	} {
		names, _ := fieldsOf(ty)
		if missing := lacks(described(t, heading), names); len(missing) > 0 || len(names) < 5 {
			t.Errorf("%s lacks %v of %v", heading, missing, names)
		}
	}
}
