package task

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

func encode16(text string, big, mark bool) string {
	var out []byte
	units := utf16.Encode([]rune(text))
	if mark {
		units = append([]uint16{0xfeff}, units...)
	}
	for _, u := range units {
		pair := []byte{byte(u), byte(u >> 8)}
		if big {
			pair[0], pair[1] = pair[1], pair[0]
		}
		out = append(out, pair...)
	}
	return string(out)
}

func TestReadRefusesEachThingInItsOwnWords(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "lw") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, content := range map[string]string{
		"good.md": "do it", "empty.md": "", "bom.md": "\xef\xbb\xbf", "blank.md": " \n\t\r\n", "zip.md": "PK\x03\x04\x00\x01", "odd.md": strings.Repeat("a\x01\x02", 9),
		"le.md": encode16("do it 中文", false, true), "be.md": encode16("do it", true, true), "bare.md": encode16("do it now", false, false),
		"latin.md": "one\ntwo\nd\xe9j\xe0\n", "full.md": strings.Repeat("a", MaxFile), "large.md": strings.Repeat("a", MaxFile+1),
	} {
		if err := os.WriteFile(in(name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("good.md", in("link.md")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(in("fifo.md"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", in("sock.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	for path, want := range map[string]string{
		in("good.md"):  "",
		in("full.md"):  "",
		in("none.md"):  "none.md: there is no such file",
		dir:            filepath.Base(dir) + ": this is a folder, not a task file",
		in("link.md"):  "link.md: this is a symbolic link, not a file",
		in("fifo.md"):  "fifo.md: this is a FIFO (a pipe with a name), not a file",
		in("sock.md"):  "sock.md: this is a socket, not a file",
		"/dev/null":    "null: this is a device, not a file",
		in("large.md"): "large.md: a task file has at most 256 KiB, this one has 257 KiB",
		in("empty.md"): "empty.md: the file is empty",
		in("bom.md"):   "bom.md: the file is empty",
		in("blank.md"): "blank.md: the file has only spaces and empty lines",
		in("zip.md"):   "zip.md: this is a binary file, not text",
		in("odd.md"):   "odd.md: this is a binary file, not text",
		in("le.md"):    "le.md: the text is UTF-16, not UTF-8",
		in("be.md"):    "be.md: the text is UTF-16, not UTF-8",
		in("bare.md"):  "bare.md: the text is UTF-16, not UTF-8",
		in("latin.md"): "latin.md:3: the text is not valid UTF-8 here",
	} {
		data, problems := Read(path)
		got := ""
		if len(problems) > 0 {
			got = problems[0].String()
			if problems[0].Fix == "" || data != nil {
				t.Errorf("%s: no fix, or bytes beside a refusal", path)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Read(%s) (-want +got)\n%s", path, diff)
		}
	}
}

func TestReadNamesWhatMayNotBeRead(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	path := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(path, []byte("x"), 0o200); err != nil {
		t.Fatal(err)
	}
	if _, problems := Read(path); len(problems) != 1 || problems[0].Code != "task.unreadable" {
		t.Errorf("got %v", problems)
	}
}
