package ledger

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// attack is something a process with our rights can do to the file.
type attack struct {
	name string
	do   func(t *testing.T, b *book, data []byte)
	// live: the writer at work notices at its next append.
	live bool
	// chain: a reader notices without head and keys.
	chain bool
	// why is a part of the reason that Verify gives.
	why string
}

func edit(t *testing.T, b *book, data []byte) {
	at := bytes.Index(data, []byte(`{"n":5}`)) + 5
	data[at] = '6'
	b.put(t, data)
}

func lineAttack(change func(lines [][]byte) [][]byte) func(*testing.T, *book, []byte) {
	return func(t *testing.T, b *book, data []byte) {
		b.put(t, bytes.Join(change(splitLines(data)), nil))
	}
}

func swapLines(l [][]byte) [][]byte {
	l[4], l[5] = l[5], l[4]
	return l
}

func rewriteAll(t *testing.T, b *book, data []byte) {
	lines := splitLines(data)
	lines[4] = bytes.Replace(lines[4], []byte(`{"n":2}`), []byte(`{"n":9}`), 1)
	b.put(t, rechain(lines[:len(lines)-1]))
}

// rewriteWithOwnKey is the best forgery there is: another writer's, from the
// first record to the last anchor.
func rewriteWithOwnKey(t *testing.T, b *book, _ []byte) {
	other := newBook(t)
	w := other.begin(t)
	add(t, w, 30)
	must(t, w.Close())
	b.put(t, other.bytes(t))
}

func attacks() []attack {
	return []attack{
		{"edit one byte", edit, false, true, "digest"},
		{"swap two lines", lineAttack(swapLines), false, true, "record"},
		{"delete a line", lineAttack(func(l [][]byte) [][]byte { return append(l[:4], l[5:]...) }), true, true, "record"},
		{"append a line without chain", func(t *testing.T, b *book, data []byte) {
			b.put(t, append(data, "{\"seq\":64,\"type\":\"clean\"}\n"...))
		}, true, true, "form"},
		{"append a line with valid chain", func(t *testing.T, b *book, data []byte) {
			b.put(t, append(data, forge(data)...))
		}, true, false, "forged or unknown tail"},
		{"cut the tail at a line", lineAttack(func(l [][]byte) [][]byte { return l[:len(l)-3] }), true, false, "cut off"},
		{"tear the last line", func(t *testing.T, b *book, data []byte) {
			b.put(t, data[:len(data)-20])
		}, true, false, "cut off"},
		{"restore an old copy", lineAttack(func(l [][]byte) [][]byte { return l[:2] }), true, false, "old copy"},
		{"rewrite everything with a recomputed chain", rewriteAll, false, true, "anchor"},
		{"rewrite everything with another key", rewriteWithOwnKey, true, false, "no writer announced"},
		{"rename another file over it", func(t *testing.T, b *book, data []byte) {
			must(t, b.dir.WriteFile(b.name, append(data, forge(data)...)))
		}, true, false, "forged or unknown tail"},
		{"unlink it", func(t *testing.T, b *book, _ []byte) {
			must(t, os.Remove(b.path()))
		}, true, true, "gone"},
		{"replace it by a symlink", func(t *testing.T, b *book, _ []byte) {
			must(t, b.dir.Rename(b.name, "real"))
			must(t, os.Symlink("real", b.path()))
		}, true, true, "symbolic link"},
		{"replace it by a FIFO", func(t *testing.T, b *book, _ []byte) {
			must(t, os.Remove(b.path()))
			must(t, unix.Mkfifo(b.path(), 0o600))
		}, true, true, "FIFO"},
		{"replace it by a folder", func(t *testing.T, b *book, _ []byte) {
			must(t, os.Remove(b.path()))
			must(t, os.Mkdir(b.path(), 0o700))
		}, true, true, "folder"},
		{"make a hard link to it", func(t *testing.T, b *book, _ []byte) {
			must(t, os.Link(b.path(), b.path()+".2"))
		}, true, true, "second name"},
		{"give it to another user", func(t *testing.T, b *book, _ []byte) {
			if os.Geteuid() != 0 {
				t.Skip("only root can")
			}
			must(t, os.Chown(b.path(), 1000, 1000))
		}, true, true, "another user"},
	}
}

func TestAttackIsFound(t *testing.T) {
	t.Parallel()
	for _, a := range attacks() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			b := newBook(t)
			w := b.begin(t)
			add(t, w, 20)
			_, err := w.Append(Draft{Kind: "audited", Class: "evidence", Body: []byte(`{}`), Seal: true})
			must(t, err)
			add(t, w, 6)
			a.do(t, b, b.bytes(t))
			checkOffline(t, b, a)
			checkLive(t, b, w, a.live)
		})
	}
}

func checkOffline(t *testing.T, b *book, a attack) {
	t.Helper()
	r := b.verify(t)
	if r.Broken == nil || !strings.Contains(r.Broken.Why, a.why) {
		t.Errorf("with head: %+v, want a reason with %q", r.Broken, a.why)
	}
	bare, err := Verify(b.dir, b.name, nil)
	if found := err != nil || bare.Broken != nil; found != a.chain {
		t.Errorf("without head: found %v, want %v: %+v %v", found, a.chain, bare.Broken, err)
	}
	var broken *BrokenError
	if !a.live { // else the writer at work, or what stands there, is refused first
		return
	}
	if _, err := Open(b.dir, b.name, b.options()); !errors.As(err, &broken) && !errors.Is(err, ErrHeld) {
		t.Errorf("Open: %v", err)
	}
}

func checkLive(t *testing.T, b *book, w *Writer, want bool) {
	t.Helper()
	size := w.Size()
	_, err := w.Append(draft("worked", 1))
	var broken *BrokenError
	if found := errors.As(err, &broken) && errors.Is(err, ErrTampered); found != want {
		t.Errorf("next append: %v, want noticed %v", err, want)
	}
	if want && w.Size() != size {
		t.Error("the append was counted")
	}
	if _, again := w.Append(draft("worked", 1)); want && again != err {
		t.Errorf("append after that: %v, want the first error", again)
	}
	_ = w.Close()
	if !want { // missed while at work, found at the next start
		if _, err := Open(b.dir, b.name, b.options()); !errors.As(err, &broken) {
			t.Errorf("next start: %v", err)
		}
	}
}

func TestMissingHeadIsUnattestedNotBroken(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	w := b.begin(t)
	add(t, w, 2)
	must(t, w.Close())
	must(t, b.heads.RemoveAll("run.json"))
	must(t, b.heads.RemoveAll("run.json.live"))
	if r := b.verify(t); r.Broken != nil || r.End != EndUnattested {
		t.Errorf("report %+v", r)
	}
	w = b.begin(t)
	if w.Report().End != EndUnattested {
		t.Errorf("Open saw %+v", w.Report())
	}
	must(t, w.Close())
	if r := b.verify(t); r.Broken != nil || r.End != EndAttested {
		t.Errorf("afterwards %+v", r)
	}
}

func TestForgedTailOnAClosedLedgerIsFoundAfterAReboot(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	w := b.begin(t)
	add(t, w, 2)
	must(t, w.Close())
	data := b.bytes(t)
	b.put(t, append(data, forge(data)...))
	b.boot = "boot-2"
	if r := b.verify(t); r.Broken == nil || r.Broken.Seq != 6 {
		t.Errorf("report %+v", r)
	}
}
