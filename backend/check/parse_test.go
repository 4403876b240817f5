package check

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

func TestParseWritesOneCanonicalSpelling(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"file a.txt exists":                                 "file a.txt exists",
		"  file   ./a//b.txt\tabsent  ":                     "file a/b.txt absent",
		`file "with space.txt" contains "a\"b\n中"`:          `file "with space.txt" contains "a\"b\n中"`,
		`file "plain.txt" contains "\u4e2d\/"`:              `file plain.txt contains "中/"`,
		`file a matches /^a\/b [c]$/`:                       `file a matches /^a\/b [c]$/`,
		"file a sha256 " + strings.ToUpper(digest):          "file a sha256 " + digest,
		`json a $ != { "x": [1, 2] }`:                       `json a $ != {"x":[1,2]}`,
		`json a $["k"]["a b"][0].length>1`:                  `json a $.k["a b"][0].length > 1`,
		`json a $.中文.b-c_1 == "x y"`:                        `json a $.中文.b-c_1 == "x y"`,
		"run `true`":                                        "run `true`",
		"run `false` within 2m exit 1":                      "run `false` exit 1 within 2m0s",
		"run `x` exit 0 within 60s":                         "run `x`",
		"run ``echo `date` `` within 2s":                    "run `` echo `date` `` within 2s",
		"run ` printf x\\  `":                               "run `printf x\\ `",
		"run `` `a` ``":                                     "run `` `a` ``",
		"http http://localhost:8080/x?y=1 status 200":       "http http://localhost:8080/x?y=1 status 200",
		`http https://example.org status 404 contains "no"`: `http https://example.org status 404 contains "no"`,
		`window title contains "Save"`:                      `window title contains "Save"`,
		`element push_button "OK"`:                          `element push_button "OK"`,
		`element text "Name" text contains "Ada"`:           `element text "Name" text contains "Ada"`,
	} {
		c, err := Parse(text)
		if err != nil {
			t.Errorf("Parse(%q): %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, c.String()); diff != "" {
			t.Errorf("Parse(%q) (-want +got)\n%s", text, diff)
		}
		again, err := Parse(c.String())
		if err != nil || !again.Equal(c) {
			t.Errorf("the canonical text %q does not parse to itself: %q, %v", c, again, err)
		}
	}
}

func TestParsePointsAtTheColumn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                         `column 1: got the end; wanted file, json, run, http, window or element`,
		"fil a exists":             `column 1: got "fil"; wanted file, json, run, http, window or element (did you mean "file"?)`,
		"file a.b exist":           `column 10: got "exist"; wanted exists, absent, contains, matches or sha256 (did you mean "exists"?)`,
		"file 中文 exis":             `column 9: got "exis"; wanted exists, absent, contains, matches or sha256 (did you mean "exists"?)`,
		"file a b.txt exists":      `column 8: got "b.txt"; wanted exists, absent, contains, matches or sha256 (a path with spaces goes in double quotes)`,
		"file /etc/passwd exists":  `column 6: got "/etc/passwd"; wanted a path relative to the workspace (a check sees only the workspace)`,
		"file ~/x exists":          `column 6: got "~/x"; wanted a path relative to the workspace (a check sees only the workspace)`,
		"file a/../../b exists":    `column 6: got "a/../../b"; wanted a path relative to the workspace, without ".."`,
		"file out/ exists":         `column 6: got "out/"; wanted a file, not a folder`,
		"file a exists now":        `column 15: got "now"; wanted the end of the check`,
		"file a contains “x”":      `column 17: got "“x”"; wanted a text in double quotes (use straight double quotes: ")`,
		`file a contains ""`:       `column 17: got "\"\""; wanted a text in double quotes that is not empty`,
		`file a contains "x`:       `column 19: got the end; wanted a closing quote for column 17`,
		`file a contains "\x"`:     `column 18: got "\\x\""; wanted one of \" \\ \n \r \t \uXXXX (write a backslash as \\)`,
		`file a contains "\ud800"`: `column 18: got "\\ud800\""; wanted four hex digits after \u`,
		"file a matches /a(b/":     `column 17: got "a(b/"; wanted a regular expression (RE2) (missing closing ))`,
		"file a matches /x[z-a]/":  `column 19: got "z-a]/"; wanted a regular expression (RE2) (invalid character class range)`,
		"file a matches /a/i":      `column 19: got "i"; wanted the end of the check (flags go inside, as in /(?i)ok/; a slash inside is \/)`,
		"file a matches /" + strings.Repeat("a", MaxPattern+1) + "/": `column 16: got "/` + strings.Repeat("a", 39) + `"; wanted a pattern of at most 1024 bytes`,
		"file a sha256 abc":            `column 15: got "abc"; wanted 64 hexadecimal digits`,
		"json a total == 1":            `column 8: got "total"; wanted a JSON path that begins with $, such as $.total`,
		"json a $.a = 1":               `column 12: got "="; wanted ==, !=, < or >`,
		"json a $.a == yes":            `column 15: got "yes"; wanted a JSON value (a text is written in double quotes, as in "ok")`,
		`json a $.a < "1"`:             `column 14: got "\"1\""; wanted a number`,
		"json a $[-1] == 1":            `column 10: got "-1]"; wanted an index from 0, or a key in double quotes`,
		"run make":                     "column 5: got \"make\"; wanted a command between backticks",
		"run ``a` b":                   "column 11: got the end; wanted `` to close column 5",
		"run ` `":                      "column 5: got \"`\"; wanted a command that is not empty",
		"run `a` exit 256":             "column 14: got \"256\"; wanted a number from 0 to 255",
		"run `a` exit 1 exit 2":        "column 16: got \"exit\"; wanted exit N, within TIME or the end",
		"run `a` within 31m":           "column 16: got \"31m\"; wanted a time from 1s to 30m, such as 90s or 5m",
		"run `a` within 5":             "column 16: got \"5\"; wanted a time from 1s to 30m, such as 90s or 5m",
		"http ftp://x status 200":      `column 6: got "ftp://x"; wanted an address that begins with http:// or https://`,
		"http http://u:p@x status 200": `column 6: got "http://u:p@x"; wanted an address without a user name or password`,
		"http http://x status 99":      `column 22: got "99"; wanted a number from 100 to 599`,
		`element Button "OK"`:          `column 9: got "Button"; wanted a role in small letters, such as button`,
		"file a\nexists":               `column 7: got "\n"; wanted one line without control characters`,
		"file a \xff exists":           `column 1: got "invalid UTF-8"; wanted UTF-8 text`,
	} {
		_, err := Parse(text)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("Parse(%q) = %v, want a *SyntaxError", text, err)
			continue
		}
		if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Errorf("Parse(%q) (-want +got)\n%s", text, diff)
		}
	}
}

func TestCheckTravelsAsItsText(t *testing.T) {
	t.Parallel()
	c, err := Parse(`file a matches /b/`)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal([]Check{c})
	if err != nil || string(data) != `["file a matches /b/"]` {
		t.Fatalf("Marshal = %s, %v", data, err)
	}
	var back []Check
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if back[0].pattern == nil || !back[0].Equal(c) {
		t.Fatalf("the check that came back cannot be judged: %+v", back[0])
	}
	if err := json.Unmarshal([]byte(`["file a exist"]`), &back); err == nil {
		t.Fatal("a check that does not parse came back from JSON")
	}
}

func TestNearestFindsWhatWasMeant(t *testing.T) {
	t.Parallel()
	known := []string{"title", "home", "limits", "language", "model", "grant", "final_audit", "on_fail"}
	for word, want := range map[string]string{
		"title": "title", "Title": "title", "tilte": "title", "titel": "title", "limit": "limits", "lang": "language",
		"rounds_limit": "limits", "hmoe": "home", "final-audit": "final_audit", "FinalAudit": "final_audit", "onfail": "on_fail",
		"name": "", "tags": "", "date": "", "x": "", "": "", strings.Repeat("title", 20): "",
	} {
		got, ok := Nearest(word, known)
		if got != want || ok != (want != "") {
			t.Errorf("Nearest(%q) = %q, %v; want %q", word, got, ok, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"file a exists", `file "a b" contains "\u0041"`, "run ``a`b`` exit 3 within 5s", `json a $["x"][0] == {"a":1}`,
		"http http://[::1]:80/ status 200", `element x "y" text contains "z"`, "file a matches /(a|b)*/", "run `", "json a $..a", `json 0 $["00`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse(text)
		var syntax *SyntaxError
		if errors.As(err, &syntax) {
			if n := len([]rune(text)); syntax.Col < 1 || syntax.Col > n+1 {
				t.Fatalf("column %d is not in a text of %d", syntax.Col, n)
			}
			return
		}
		again, err := Parse(c.String())
		if err != nil || again.String() != c.String() {
			t.Fatalf("%q is written %q, which reads as %q, %v", text, c, again, err)
		}
	})
}
