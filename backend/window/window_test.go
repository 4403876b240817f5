package window

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/api"
	"longwatch/backend/safefs"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// stateFolder is an empty one at a real path.
func stateFolder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return dir
}

func windowFolder(t *testing.T) *safefs.Dir {
	t.Helper()
	d, err := folder(stateFolder(t))
	must(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func TestItemsAreFilesByteForByteAndLinks(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Item{
		"file:///tmp/plain.md":                 {Path: "/tmp/plain.md"},
		"file:/tmp/one-slash.md":               {Path: "/tmp/one-slash.md"},
		"FILE://LocalHost/tmp/a":               {Path: "/tmp/a"},
		"file://this-machine/tmp/a":            {Path: "/tmp/a"},
		"file://elsewhere/tmp/a":               {Link: "file://elsewhere/tmp/a"},
		"file:///tmp/new%0Aline.md":            {Path: "/tmp/new\nline.md"},
		"file:///tmp/bad%FF%FE.md":             {Path: "/tmp/bad\xff\xfe.md"},
		"file:///tmp/%E4%B8%AD%E6%96%87":       {Path: "/tmp/中文"},
		"file:///tmp/中文":                       {Path: "/tmp/中文"},
		"file:///tmp/a%23b%3Fc":                {Path: "/tmp/a#b?c"},
		"file:///tmp/a#b":                      {Path: "/tmp/a"},
		"file:///tmp/100%25%20done%25":         {Path: "/tmp/100% done%"},
		"file:///tmp/not escaped 100% done.md": {Path: "/tmp/not escaped 100% done.md"},
		"file:///tmp/nul%00.md":                {Link: "file:///tmp/nul%00.md"},
		"file:relative":                        {Link: "file:relative"},
		"https://example.org/":                 {Link: "https://example.org/"},
		"no uri":                               {Link: "no uri"},
	} {
		got := Items([]string{"", in}, "this-machine")
		if diff := cmp.Diff([]Item{want}, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", in, diff)
		}
	}
}

func FuzzItems(f *testing.F) {
	f.Add("file:///tmp/a%20b")
	f.Add("file://host/%zz#?")
	f.Fuzz(func(t *testing.T, uri string) {
		for _, i := range Items([]string{uri}, "host") {
			if (i.Path == "") == (i.Link == "") {
				t.Errorf("%q is both or neither: %+v", uri, i)
			}
			if i.Path != "" && (i.Path[0] != '/' || strings.ContainsRune(i.Path, 0)) {
				t.Errorf("%q leads to %q", uri, i.Path)
			}
		}
	})
}

func TestOffersFitOneEventAndTasksComeFirst(t *testing.T) {
	t.Parallel()
	offer := func(path string) api.Offer {
		switch name := filepath.Base(path); {
		case strings.HasSuffix(name, ".md"):
			return api.Offer{Name: name, Offer: "offer-" + name}
		case strings.HasSuffix(name, "-folder"):
			return api.Offer{Name: name, Folder: true, Offer: "offer-" + name}
		default:
			return api.Offer{Name: name, Problem: "is no task"}
		}
	}
	got := Offers([]Item{{Path: "/a.png"}, {Link: "https://x"}, {Path: "/b-folder"}, {Path: "/c.md"}, {Path: "/d.md"}}, offer)
	want := []api.Offer{
		offer("c.md"), offer("d.md"), offer("b-folder"), offer("a.png"),
		{Name: "https://x", Problem: ProblemLink},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	var many []Item
	for i := range 500 {
		many = append(many, Item{Path: fmt.Sprintf("/%s-%d.png", strings.Repeat("long", 50), i)})
	}
	many[60] = Item{Path: "/the-task.md"}
	got = Offers(many, offer)
	last := got[len(got)-1]
	if got[0].Name != "the-task.md" || last.Problem != ProblemMany || last.Name != fmt.Sprint(500-len(got)+1) {
		t.Errorf("of 500: first %+v, last %+v of %d", got[0], last, len(got))
	}
	size := 0
	for _, o := range got {
		size += len(o.Name) + len(o.Offer) + len(o.Problem) + 30
	}
	if size > largestEvent {
		t.Errorf("about %d bytes", size)
	}
	if huge := Offers([]Item{{Link: strings.Repeat("界", 99999)}}, offer); len(huge[0].Name) > longestLink+8 {
		t.Errorf("a link of %d bytes", len(huge[0].Name))
	}
}

func TestALookIsKeptAndNeverWorthAnError(t *testing.T) {
	t.Parallel()
	d := windowFolder(t)
	usual := Look{Width: usualWidth, Height: usualHeight}
	if diff := cmp.Diff(usual, LoadLook(d)); diff != "" {
		t.Errorf("without a file: -want +got\n%s", diff)
	}
	want := Look{Width: 1000, Height: 700, X: -20, Y: 30, Placed: true, Maximised: true, Dark: true}
	must(t, want.Save(d))
	if diff := cmp.Diff(want, LoadLook(d)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for text, want := range map[string]Look{
		"":              usual,
		"rubbish":       usual,
		`{"width":"x"}`: usual,
		`{"width":10,"height":10,"x":5,"placed":true,"dark":true}`: {Width: usualWidth, Height: usualHeight, X: 5, Dark: true},
		`{"width":1000,"height":900000000}`:                        usual,
		`{"x":99999999,"placed":true}`:                             usual,
		strings.Repeat(" ", 5000):                                  usual,
	} {
		must(t, d.WriteFile(lookName, []byte(text)))
		if diff := cmp.Diff(want, LoadLook(d)); diff != "" {
			t.Errorf("%.40q: -want +got\n%s", text, diff)
		}
	}
}

func TestTheLogStaysSmallAndKeepsTheNewest(t *testing.T) {
	t.Parallel()
	d := windowFolder(t)
	l, err := OpenLog(d)
	must(t, err)
	l.most = 4000
	for i := range 1000 {
		_, err := fmt.Fprintf(l, "line %d\n", i)
		must(t, err)
	}
	must(t, l.Close())
	data, err := d.ReadFile(logName, 4000)
	must(t, err)
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if lines[len(lines)-1] != "line 999" || !strings.HasPrefix(lines[0], "(older lines") || len(lines) < 50 {
		t.Errorf("%d lines, from %q to %q", len(lines), lines[0], lines[len(lines)-1])
	}
	for i, line := range lines[1:] {
		if want := fmt.Sprintf("line %d", 1000-len(lines)+1+i); line != want {
			t.Fatalf("line %d is %q, want %q", i+1, line, want)
		}
	}
	l, err = OpenLog(d)
	must(t, err)
	defer l.Close()
	l.most = 4000
	huge := bytes.Repeat([]byte("x"), 9000)
	if n, err := l.Write(huge); n != len(huge) || err != nil {
		t.Errorf("a huge line: %d, %v", n, err)
	}
	st, err := l.File().Stat()
	must(t, err)
	if st.Size() > 4000 {
		t.Errorf("the log has %d bytes", st.Size())
	}
}

func TestNoticesComeTenASecondAtMost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed := make(chan api.Changed)
		ctx, end := context.WithCancel(t.Context())
		var at []time.Duration
		began := time.Now()
		done := make(chan struct{})
		go func() {
			defer close(done)
			Forward(ctx, feed, func(api.Changed) { at = append(at, time.Since(began)) })
		}()
		for range 11 {
			feed <- api.Changed{}
		}
		time.Sleep(time.Hour)
		feed <- api.Changed{} // after a rest there is no wait
		time.Sleep(time.Millisecond)
		end()
		<-done
		for i, d := range at[:11] {
			if want := time.Duration(i) * apart; d != want {
				t.Errorf("notice %d after %s, want %s", i, d, want)
			}
		}
		if len(at) != 12 || at[11] != 10*apart+time.Hour {
			t.Errorf("the last one after %s", at[len(at)-1])
		}
	})
}

func TestTheFeedsEndEndsForwarding(t *testing.T) {
	t.Parallel()
	feed := make(chan api.Changed)
	close(feed)
	Forward(context.Background(), feed, func(api.Changed) { t.Error("a notice out of nothing") })
}

func TestAPathTooLongForASocketStillWorks(t *testing.T) {
	t.Parallel()
	home := filepath.Join(stateFolder(t), strings.Repeat("long", 20), strings.Repeat("long", 20))
	must(t, os.MkdirAll(home, 0o700))
	takeTwice(t, home)
}
