package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"longwatch/backend/safefs"
)

// childEnv makes the test binary play a writer: "<part> <folder>".
const childEnv = "LEDGER_TEST_CHILD"

func TestMain(m *testing.M) {
	if part, dir, ok := strings.Cut(os.Getenv(childEnv), " "); ok {
		if err := child(part, dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func child(part, path string) error {
	b, err := bookAt(path)
	if err != nil {
		return err
	}
	w, err := Open(b.dir, b.name, b.options())
	if err != nil {
		return err
	}
	if _, err := w.Begin("resumed", "state", nil); err != nil {
		return err
	}
	switch part {
	case "append":
		return appendForever(w)
	case "fill":
		return appendUntilFull(w)
	default:
		return fmt.Errorf("no part %q", part)
	}
}

// appendForever says after each Append what is acknowledged.
func appendForever(w *Writer) error {
	for i := 0; ; i++ {
		if _, err := w.Note(draft("noted", i)); err != nil {
			return err
		}
		batch := []Draft{draft("one", i), draft("two", i)}[:1+i%2]
		batch[0].Seal = i%7 == 0
		records, err := w.Append(batch...)
		if err != nil {
			return err
		}
		last := records[len(records)-1]
		fmt.Println(last.Seq, last.Sum)
	}
}

// appendUntilFull runs into a file size limit, which, like a full disk,
// writes the part that fits.
func appendUntilFull(w *Writer) error {
	signal.Ignore(unix.SIGXFSZ)
	limit := uint64(w.Size()) + 5000
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		return err
	}
	for i := 0; ; i++ {
		_, err := w.Append(draft("one", i), draft("two", i), draft("three", i))
		if err == nil {
			continue
		}
		if !errors.Is(err, unix.EFBIG) {
			return err
		}
		_, again := w.Append(draft("one", i))
		closed := w.Close()
		if again == nil || closed == nil || again.Error() != err.Error() || closed.Error() != err.Error() {
			return fmt.Errorf("after %w: Append %w, Close %w", err, again, closed)
		}
		fmt.Println(w.Seq(), w.Size())
		return nil
	}
}

// book is one ledger in a folder, and its head in another.
type book struct {
	dir, heads *safefs.Dir
	name, boot string
}

func bookAt(path string) (*book, error) {
	dir, err := safefs.MakeDir(filepath.Join(path, "run"))
	if err != nil {
		return nil, err
	}
	heads, err := safefs.MakeDir(filepath.Join(path, "heads"))
	if err != nil {
		return nil, err
	}
	return &book{dir, heads, "ledger.jsonl", "boot-1"}, nil
}

// newBook holds record 1 and no epoch.
func newBook(t testing.TB) *book {
	t.Helper()
	path, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	must(t, os.Chmod(path, 0o700))
	b, err := bookAt(path)
	must(t, err)
	t.Cleanup(func() { _ = errors.Join(b.dir.Close(), b.heads.Close()) })
	b.create(t)
	return b
}

// failer is what testing.TB and rapid.T have in common here.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func (b *book) create(t failer) {
	t.Helper()
	if _, err := Create(b.dir, b.name, 1, draft("created", 0)); err != nil {
		t.Fatal(err)
	}
}

func (b *book) head() HeadStore { return FileHead(b.heads, "run.json") }

func (b *book) options() Options { return Options{Head: b.head(), BootID: b.boot} }

// begin opens the ledger and an epoch in it.
func (b *book) begin(t failer) *Writer {
	t.Helper()
	w, err := Open(b.dir, b.name, b.options())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Begin("resumed", "state", nil); err != nil {
		t.Fatal(err)
	}
	return w
}

func (b *book) verify(t failer) Report {
	t.Helper()
	r, err := verify(b.dir, b.name, b.options())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (b *book) path() string { return filepath.Join(b.dir.Path(), b.name) }

func (b *book) bytes(t failer) []byte {
	t.Helper()
	data, err := os.ReadFile(b.path())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// put overwrites the ledger in place, as an attacker with our rights can.
func (b *book) put(t failer, data []byte) {
	t.Helper()
	if err := os.WriteFile(b.path(), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// abandon ends a writer as a crash does: nothing more is written.
func abandon(t failer, w *Writer) {
	t.Helper()
	if err := errors.Join(safefs.Drop(w.file), w.file.Close()); err != nil {
		t.Fatal(err)
	}
}

func draft(kind string, n int) Draft {
	return Draft{Kind: kind, Class: "work", Body: fmt.Appendf(nil, `{"n":%d}`, n)}
}

func add(t failer, w *Writer, n int) {
	t.Helper()
	for i := range n {
		if _, err := w.Append(draft("worked", i)); err != nil {
			t.Fatal(err)
		}
	}
}

func splitLines(data []byte) [][]byte { return bytes.SplitAfter(data, []byte("\n")) }

// forge makes a line that follows the chain, with a body of the attacker's.
func forge(data []byte) []byte {
	a := newAudit(bytes.NewReader(data), Head{})
	_ = a.read(false)
	r := Record{
		V: 1, Seq: a.chain.seq + 1, Epoch: a.chain.epoch, At: 7,
		Kind: "audited", Class: "evidence", Body: []byte(`{"forged":true}`), Prev: a.chain.sum.String(),
	}
	return appendLine(nil, &r)
}

// rechain numbers and chains lines anew, as an attacker without keys can.
func rechain(lines [][]byte) []byte {
	var out []byte
	prev := zeroSum.String()
	for i, raw := range lines {
		l, ok := parseLine(raw)
		if !ok {
			return append(out, raw...)
		}
		r := l.record(map[string]string{})
		r.Seq, r.Prev = uint64(i+1), prev
		out = appendLine(out, &r)
		prev = r.Sum
	}
	return out
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
