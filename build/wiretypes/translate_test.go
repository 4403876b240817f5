package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	wire  = "../../backend/api/wire.go"
	types = "../../frontend/src/lib/bridge/types.gen.ts"
)

func TestPageHasTheTypesOfTheWire(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile(wire)
	if err != nil {
		t.Fatal(err)
	}
	want, err := translate(src)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(types)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the page's types are stale; `make types` writes them (-want +got):\n%s", diff)
	}
}

func TestTranslateKeepsNamesCommentsAndWhatMayBeAbsent(t *testing.T) {
	t.Parallel()
	got, err := translate([]byte(`package api

// Color is a set.
type Color string

const (
	Red  Color = "red" // like blood
	Blue Color = "blue"
)

// Thing has
// two lines.
type Thing struct {
	ID    string            ` + "`json:\"id\"`" + ` // of it
	Used  *int64            ` + "`json:\"used,omitempty\"`" + `
	Of    []Color           ` + "`json:\"of\"`" + `
	Facts map[string]string ` + "`json:\"facts,omitempty\"`" + `
}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := heading + `
/** Color is a set. */
export type Color =
  | 'red' // like blood
  | 'blue';

/** Thing has two lines. */
export interface Thing {
  /** of it */
  id: string;
  used?: number;
  of: Color[];
  facts?: { [key: string]: string };
}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTranslateRefusesWhatWouldNotArriveAsWritten(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"a field without a name":  "type T struct { A string }",
		"a type of elsewhere":     "type T struct { A time.Time `json:\"a\"` }",
		"a pointer that is null":  "type T struct { A *int `json:\"a\"` }",
		"a set without words":     "type T string",
		"a type that is no thing": "type T []string",
	} {
		if out, err := translate([]byte("package api\n" + src)); err == nil {
			t.Errorf("%s was taken: %s", name, out)
		}
	}
}
