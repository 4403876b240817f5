package check

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func evaluate(t *testing.T, root, text string) Result {
	t.Helper()
	c, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return Evaluate(t.Context(), c, Env{Root: root, Now: func() time.Time { return time.Time{} }})
}

func write(t *testing.T, root, name, content string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// workspace has one of everything that a name can lead to.
func workspace(t *testing.T) string {
	t.Helper()
	outside, root := t.TempDir(), t.TempDir()
	write(t, outside, "secret", "outside")
	write(t, root, "a.txt", "one\ntwo 中文\nthree\n")
	write(t, root, "with space.txt", "x")
	write(t, root, "empty", "")
	write(t, root, "dir/in.txt", "inside")
	write(t, root, "control", "\x1b[31mred\u202e\xff")
	write(t, root, "a.json", "\xef\xbb\xbf"+`{"n": 3, "f": 1.50, "s": "x", "list": [1, {"k": null}], "a": 1, "a": 2, "big": 9007199254740993, "length": 7, "o": {"y": [1], "x": 2}}`)
	write(t, root, "bad.json", "{\n\"a\": 1,\n}")
	for link, to := range map[string]string{
		"inside": "dir/in.txt", "dangling": "nowhere", "circle": "circle", "out": filepath.Join(outside, "secret"), "outdir": outside, "up": "../" + filepath.Base(outside) + "/secret",
	} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(root, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestFileChecksSayWhatTheySaw(t *testing.T) {
	t.Parallel()
	root := workspace(t)
	for _, row := range []struct {
		check  string
		status Status
		proof  string
	}{
		{"file a.txt exists", Pass, "a file of 21 bytes"},
		{`file "with space.txt" exists`, Pass, "a file of 1 bytes"},
		{"file inside exists", Pass, "a file of 6 bytes"},
		{"file none exists", Fail, "not there"},
		{"file a.txt/below exists", Fail, "not there"},
		{"file dir exists", Fail, "is a folder, not a file"},
		{"file fifo exists", Fail, "is a FIFO, not a file"},
		{`file fifo contains "x"`, Fail, "is a FIFO, not a file"},
		{"file dangling exists", Fail, "a link that leads nowhere"},
		{"file circle exists", Fail, "a link that leads in a circle"},
		{"file out exists", Fail, "leads outside the workspace"},
		{"file up exists", Fail, "leads outside the workspace"},
		{"file outdir/secret exists", Fail, "leads outside the workspace"},
		{"file none absent", Pass, "nothing is there"},
		{"file none/below absent", Pass, "nothing is there"},
		{"file a.txt absent", Fail, "a file of 21 bytes is there"},
		{"file dir absent", Fail, "a folder is there"},
		{"file dangling absent", Fail, "a link is there"},
		{"file outdir/none absent", Fail, "leads outside the workspace"},
		{`file a.txt contains "two"`, Pass, "line 2: two 中文"},
		{`file a.txt contains "o 中文\nt"`, Pass, "line 2: two 中文"},
		{`file a.txt contains "four"`, Fail, "does not contain it: 21 bytes, 3 lines; begins: one"},
		{`file empty contains "x"`, Fail, "does not contain it: 0 bytes, 0 lines; begins: "},
		{`file control contains "red"`, Pass, `line 1: \x1b[31mred\u202e\xff`},
		{"file a.txt matches /^three$/", Pass, "line 3: three"},
		{`file a.txt matches /\Athree/`, Fail, "does not match: 21 bytes, 3 lines; begins: one"},
		{"file empty sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", Pass, "sha256 is the same, of 0 bytes"},
		{"file empty sha256 " + digest, Fail, "sha256 is e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855, of 0 bytes"},
	} {
		want := Result{Check: row.check, Status: row.status, Proof: row.proof}
		if diff := cmp.Diff(want, evaluate(t, root, row.check)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", row.check, diff)
		}
	}
}

func TestJSONChecksCompareValues(t *testing.T) {
	t.Parallel()
	root := workspace(t)
	for _, row := range []struct {
		check  string
		status Status
		proof  string
	}{
		{"json a.json $.n == 3.0", Pass, "$.n is 3"},
		{"json a.json $.n != 3", Fail, "$.n is 3"},
		{"json a.json $.n > 2", Pass, "$.n is 3"},
		{"json a.json $.n < 3", Fail, "$.n is 3"},
		{"json a.json $.f == 1.5", Pass, "$.f is 1.50"},
		{`json a.json $.s == "x"`, Pass, `$.s is "x"`},
		{"json a.json $.s > 1", Fail, `$.s is "x": not a number`},
		{"json a.json $.list.length == 2", Pass, "$.list.length is 2"},
		{"json a.json $.s.length == 1", Pass, "$.s.length is 1"},
		{"json a.json $.length == 7", Pass, "$.length is 7"},
		{"json a.json $.list[1].k == null", Pass, "$.list[1].k is null"},
		{"json a.json $.a == 2", Pass, "$.a is 2"},
		{"json a.json $.big == 9007199254740992", Fail, "$.big is 9007199254740993"},
		{`json a.json $.o == {"x": 2, "y": [1.0]}`, Pass, `$.o is {"y": [1], "x": 2}`},
		{"json a.json $.none != 1", Fail, "$.none: not there"},
		{"json a.json $.list[2] == 1", Fail, "$.list[2]: not there"},
		{"json a.json $.n.k == 1", Fail, "$.n.k: not there"},
		{"json a.json $.n < 1e999999999", Pass, "$.n is 3"},
		{"json bad.json $.a == 1", Fail, "not valid JSON: line 3, invalid character '}' looking for beginning of object key string"},
		{"json empty $ == 1", Fail, "not valid JSON: line 1, unexpected end of JSON input"},
	} {
		got := evaluate(t, root, row.check)
		if got.Status != row.status || got.Proof != row.proof {
			t.Errorf("%s: %s, %q; want %s, %q", row.check, got.Status, got.Proof, row.status, row.proof)
		}
	}
}

func TestOversizedFileIsNotLookedInto(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "sparse", "begin")
	if err := os.Truncate(filepath.Join(root, "sparse"), maxRead+1); err != nil {
		t.Fatal(err)
	}
	got := evaluate(t, root, `file sparse contains "begin"`)
	if want := "not looked into: larger than 64 MiB (67108865 bytes)"; got.Status != Fail || got.Proof != want {
		t.Fatalf("got %s, %q; want %q", got.Status, got.Proof, want)
	}
}

func TestPatternOnLongTextCanBeStopped(t *testing.T) {
	t.Parallel()
	c, err := Parse(`file a matches /needle$/`)
	if err != nil {
		t.Fatal(err)
	}
	data := []byte(strings.Repeat("中", 1<<20) + "needle")
	if at, err := match(t.Context(), c.pattern, data); at != len(data)-6 || err != nil {
		t.Fatalf("match = %d, %v; want %d", at, err, len(data)-6)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := match(ctx, c.pattern, data); !errors.Is(err, context.Canceled) {
		t.Fatalf("match of a cancelled context = %v", err)
	}
}

func TestSocketAndMissingWorkspaceAreNamed(t *testing.T) {
	t.Parallel()
	root, err := os.MkdirTemp("", "lw") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(root)
	l, err := net.Listen("unix", filepath.Join(root, "sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if got := evaluate(t, root, "file sock exists"); got.Proof != "is a socket, not a file" {
		t.Errorf("socket: %+v", got)
	}
	got := evaluate(t, filepath.Join(root, "none"), "file a exists")
	if got.Status != Broken || got.Proof != "the workspace cannot be opened: no such file or directory" {
		t.Errorf("missing workspace: %+v", got)
	}
}

func TestRunJudgesWhatTheShellSays(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		check  string
		shell  ShellResult
		err    error
		status Status
		proof  string
	}{
		{"run `x`", ShellResult{Output: []byte("a\nb\n")}, nil, Pass, "exit 0; output: a | b"},
		{"run `x`", ShellResult{}, nil, Pass, "exit 0; no output"},
		{"run `x`", ShellResult{Exit: 2, Output: []byte("1\n2\n3\n4")}, nil, Fail, "exit 2, wanted 0; output ends: 2 | 3 | 4"},
		{"run `x` exit 2", ShellResult{Exit: 2}, nil, Pass, "exit 2; no output"},
		{"run `x` within 5s", ShellResult{TimedOut: true}, nil, Fail, "still running after 5s; no output"},
		{"run `x`", ShellResult{Signal: "killed"}, nil, Fail, "ended by signal killed; no output"},
		{"run `x`", ShellResult{}, errors.New("no sandbox"), Broken, "could not be run: no sandbox"},
	} {
		c, err := Parse(row.check)
		if err != nil {
			t.Fatal(err)
		}
		got := Evaluate(t.Context(), c, Env{Shell: func(_ context.Context, command string, within time.Duration, _ int) (ShellResult, error) {
			if command != c.Shell || within != c.Within {
				t.Errorf("the shell got %q, %v", command, within)
			}
			return row.shell, row.err
		}})
		if got.Status != row.status || got.Proof != row.proof {
			t.Errorf("%s: %s, %q; want %s, %q", row.check, got.Status, got.Proof, row.status, row.proof)
		}
	}
}

func TestWhatCannotBeJudgedIsNoPass(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Status{
		`window title contains "x"`: Unavailable, `element button "x"`: Unavailable, "run `true`": Unavailable,
	} {
		if got := evaluate(t, t.TempDir(), text); got.Status != want || got.Passed() {
			t.Errorf("%s: %+v, want %s", text, got, want)
		}
	}
	if got := Evaluate(t.Context(), Check{}, Env{}); got.Status != Broken {
		t.Errorf("the zero check: %+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c, _ := Parse("file a absent")
	if got := Evaluate(ctx, c, Env{Root: t.TempDir()}); got.Status != Broken {
		t.Errorf("a cancelled check: %+v", got)
	}
}

func TestProofIsBoundedAndPrintable(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		strings.Repeat("中", 400), strings.Repeat("\x00", 400), strings.Repeat("\xff", 400), strings.Repeat("a", 599) + "中", strings.Repeat("a", 601),
	} {
		got := printable(text)
		if len(got) > maxProof || !utf8.ValidString(got) || !strings.HasSuffix(got, cutMark) || len(got) < maxProof-20 {
			t.Errorf("printable(%.20q…) has %d bytes and ends %q", text, len(got), got[max(0, len(got)-20):])
		}
	}
	if whole := strings.Repeat("a", maxProof); printable(whole) != whole {
		t.Error("a proof that fits is cut")
	}
}
