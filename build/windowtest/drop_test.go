package windowtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"longwatch/build/screen"
)

// paths are the files of the last n things that were dropped.
func (s *seat) paths(n int) []string {
	var out []string
	for _, f := range s.said("Dropped") {
		out = append(out, f["path"])
	}
	return out[max(0, len(out)-n):]
}

// drop drops URIs on the window and waits until the page has been told.
func (s *seat) drop(w screen.Window, uris ...string) {
	s.t.Helper()
	before := len(s.said("Dropped"))
	must(s.t, s.Drag(w, center(w), screen.Files(uris...)))
	s.until(fmt.Sprintf("the drop of %q has arrived", uris), func() bool {
		return len(s.said("Dropped")) == before+len(uris)
	})
}

// Whatever a file is called, its path arrives byte for byte, and the page stays
// the page that it was.
func TestDropsArriveByteForByte(t *testing.T) {
	t.Parallel()
	s := sit(t)
	_, w := s.open()
	for _, name := range []string{
		"plain.md", "with space.md", "中文 任务.md", "new\nline.md", "bad\xff\xfe.md", "hash#tag?.md", "100%25 done%.md",
		"quo'te\"$`\\;:&.md", "trailing newline\n", "-leading.md", strings.Repeat("long", 60) + ".md",
	} {
		path := s.file(name, taskText)
		inspected := s.asked("POST", "/api/inspect")
		s.drop(w, uri(path))
		if diff := cmp.Diff([]string{path}, s.paths(1)); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		s.until(fmt.Sprintf("the page shows %q", name), func() bool { return s.asked("POST", "/api/inspect") > inspected })
	}
	several := []string{s.file("one.md", taskText), s.file("two.md", taskText), s.file("three.md", taskText)}
	s.drop(w, uri(several[0]), "https://example.org/x", uri(several[1]), uri(several[2]))
	if diff := cmp.Diff([]string{several[0], "", several[1], several[2]}, s.paths(4)); diff != "" {
		t.Errorf("several, with a link among them: -want +got\n%s", diff)
	}
	s.drop(w, "file://localhost"+strings.TrimPrefix(uri(several[0]), "file://"))
	folder := filepath.Join(s.work, "a folder")
	must(t, os.MkdirAll(folder, 0o700))
	s.drop(w, uri(folder))
	s.drop(w, uri(filepath.Join(s.work, "missing.md")))
	s.drop(w, "https://example.org/page.html")
	s.drop(w, "sftp://host/tmp/a.txt")
	s.drop(w, uri(s.file("page.html", "<script>document.write(1)</script>")))
	var many []string
	for i := range 300 {
		many = append(many, uri(filepath.Join(s.work, fmt.Sprintf("many-%03d.md", i))))
	}
	s.drop(w, many...)
	for i := range 6 {
		s.drop(w, uri(s.file(fmt.Sprintf("again-%d.md", i), taskText)))
	}
	if n := len(s.said("Something was dropped")); n < 25 {
		t.Errorf("only %d drops", n)
	}
	if n := len(s.said("Page is loaded")); n != 1 {
		t.Errorf("the page was loaded %d times", n)
	}
}

// Text is not ours to take, and what hovered before it is not what is dropped.
func TestTextIsNoDrop(t *testing.T) {
	t.Parallel()
	s := sit(t)
	_, w := s.open()
	file := uri(s.file("hover.md", taskText))
	must(t, s.Hover(w, center(w), screen.Files(file)))
	if err := s.Drag(w, center(w), screen.Text("hello")); err != nil && !errors.Is(err, screen.ErrRefused) {
		t.Fatal(err)
	}
	// A drop that counts, so that one before it would be known by now.
	s.drop(w, uri(s.file("real.md", taskText)))
	if n := len(s.said("Something was dropped")); n != 1 {
		t.Errorf("%d drops: %q", n, s.paths(10))
	}
	if n := len(s.said("Page is loaded")); n != 1 {
		t.Errorf("the page was loaded %d times", n)
	}
}

// A dialog of the page is not torn away: the file waits until the person is at
// a new run.
func TestADropWaitsBehindADialogOfThePage(t *testing.T) {
	t.Parallel()
	s := sit(t)
	_, w := s.open()
	shown := s.settled(w)
	s.press(w, screen.Shift, '/') // "?" shows the keys
	s.until("the dialog is seen", func() bool {
		now, err := s.Shot(w.Rect)
		return err == nil && string(now.Pix) != shown
	})
	s.drop(w, uri(s.file("waits.md", taskText)))
	s.drop(w, uri(s.file("waits too.md", taskText)))
	if n := s.asked("POST", "/api/inspect"); n != 0 {
		t.Errorf("the page went to the new run: %d looks at the draft", n)
	}
	s.press(w, screen.Escape)
	s.press(w, screen.Ctrl, 'n')
	s.until("the file is shown", func() bool { return s.asked("POST", "/api/inspect") == 1 })
}
