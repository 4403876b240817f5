package check

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"
)

const (
	maxRead   = 64 << 20 // bytes read to look into a file
	maxDigest = 4 << 30  // bytes read to digest a file
)

// judgeFile answers for everything below the workspace. It opens through
// os.Root: a link that stays inside is followed, one that leads out is refused.
func judgeFile(ctx context.Context, c Check, env Env) finding {
	root, err := os.OpenRoot(env.Root)
	if err != nil {
		return broken("the workspace cannot be opened: %v", reason(err))
	}
	defer root.Close()
	name := filepath.FromSlash(c.Path)
	if c.Op == Absent {
		return judgeAbsent(root, name)
	}
	f, got := openRegular(root, name)
	if f == nil {
		return got
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return broken("cannot be read: %v", reason(err))
	}
	switch {
	case c.Op == Exists:
		return pass("a file of %d bytes", info.Size())
	case c.Op == SHA256:
		return judgeDigest(ctx, f, c.Text)
	}
	data, err := io.ReadAll(reader{ctx, io.LimitReader(f, maxRead+1)})
	switch {
	case err != nil:
		return broken("cannot be read: %v", reason(err))
	case len(data) > maxRead:
		return fail("not looked into: larger than 64 MiB (%d bytes)", info.Size())
	}
	return judgeContent(ctx, c, data)
}

func judgeContent(ctx context.Context, c Check, data []byte) finding {
	switch c.Op {
	case Contains:
		at := bytes.Index(data, []byte(c.Text))
		return found(data, at, "does not contain it")
	case Matches:
		at, err := match(ctx, c.pattern, data)
		if err != nil {
			return broken("not judged: %v", err)
		}
		return found(data, at, "does not match")
	}
	return judgeField(c, data)
}

// judgeAbsent passes only when nothing at all has the name.
func judgeAbsent(root *os.Root, name string) finding {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return pass("nothing is there")
	case leadsOutside(err):
		return fail("leads outside the workspace")
	case err != nil:
		return broken("cannot be seen: %v", reason(err))
	case info.Mode().IsRegular():
		return fail("a file of %d bytes is there", info.Size())
	}
	return fail("%s is there", kindOf(info.Mode()))
}

// openRegular opens a regular file, or says what is there instead. The type is
// asked for before opening, because opening a device may do something, and
// again after, because the name may have changed hands in between.
func openRegular(root *os.Root, name string) (*os.File, finding) {
	info, err := root.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fail("is %s, not a file", kindOf(info.Mode()))
	}
	if err != nil {
		return nil, notOpened(root, name, err)
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, notOpened(root, name, err)
	}
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, broken("changed while it was opened")
	}
	return f, finding{}
}

func notOpened(root *os.Root, name string, err error) finding {
	switch {
	case leadsOutside(err):
		return fail("leads outside the workspace")
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		if info, err := root.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return fail("a link that leads nowhere")
		}
		return fail("not there")
	case errors.Is(err, syscall.ELOOP):
		return fail("a link that leads in a circle")
	}
	return broken("cannot be opened: %v", reason(err))
}

// leadsOutside recognises the error of os.Root, which has no name to compare.
func leadsOutside(err error) bool {
	return err != nil && strings.Contains(err.Error(), "escapes")
}

// reason drops the machine's path from an error; the check names its own.
func reason(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something special"
}

// reader stops reading when its context is done.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

func judgeDigest(ctx context.Context, f io.Reader, want string) finding {
	sum := sha256.New()
	n, err := io.Copy(sum, reader{ctx, io.LimitReader(f, maxDigest+1)})
	got := hex.EncodeToString(sum.Sum(nil))
	switch {
	case err != nil:
		return broken("cannot be read: %v", reason(err))
	case n > maxDigest:
		return fail("not digested: larger than 4 GiB")
	case got != want:
		return fail("sha256 is %s, of %d bytes", got, n)
	}
	return pass("sha256 is the same, of %d bytes", n)
}

// found reports the line at an offset, or the beginning of what was searched.
func found(data []byte, at int, missing string) finding {
	if at < 0 {
		first, _, _ := bytes.Cut(data, []byte("\n"))
		lines := bytes.Count(data, []byte("\n"))
		if len(data) > 0 && data[len(data)-1] != '\n' {
			lines++
		}
		return fail("%s: %d bytes, %d lines; begins: %s", missing, len(data), lines, snippet(first))
	}
	line := bytes.Count(data[:at], []byte("\n")) + 1
	start := bytes.LastIndexByte(data[:at], '\n') + 1
	start = max(start, at-maxSnippet/2) // a long line is shown around the place
	for start < at && !utf8.RuneStart(data[start]) {
		start++
	}
	text, _, _ := bytes.Cut(data[start:], []byte("\n"))
	return pass("line %d: %s", line, snippet(text))
}

func judgeField(c Check, data []byte) finding {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !json.Valid(data) {
		return fail("not valid JSON%s", jsonMistake(data))
	}
	got, err := find(data, c.steps)
	if err != nil {
		return fail("%v", err)
	}
	holds, err := compare(got, c.Op, c.Value)
	value := snippet(got)
	switch {
	case err != nil:
		return fail("%s is %s: %v", c.Field, value, err)
	case !holds:
		return fail("%s is %s", c.Field, value)
	}
	return pass("%s is %s", c.Field, value)
}

func jsonMistake(data []byte) string {
	var mistake *json.SyntaxError
	if err := json.Unmarshal(data, new(json.RawMessage)); !errors.As(err, &mistake) {
		return ""
	}
	at := min(int(mistake.Offset), len(data))
	return fmt.Sprintf(": line %d, %v", bytes.Count(data[:at], []byte("\n"))+1, mistake)
}
