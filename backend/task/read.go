package task

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"longwatch/backend/config"
	"longwatch/backend/safefs"
)

// Read returns the bytes of a task file, or the one reason why it cannot be
// one. Nothing is followed, waited for or opened that is not a regular file.
func Read(path string) ([]byte, []Problem) {
	data, err := safefs.ReadRegular(path, MaxFile)
	var p Problem
	if err != nil {
		p = notRead(path, err)
	} else {
		p = examine(data)
	}
	if p.Text == "" {
		return data, nil
	}
	p.File = label(path)
	return nil, []Problem{p}
}

func refusal(code, text, fix string) Problem {
	return Problem{Severity: config.Error, Code: "task." + code, Text: text, Fix: fix}
}

// notRead says why a file could not be read. What kind of thing it is was
// decided by safefs; looking again only finds the words.
func notRead(path string, err error) Problem {
	info, statErr := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return refusal("missing", "there is no such file", "Check the name, or drop the file again.")
	case errors.Is(err, fs.ErrPermission):
		return refusal("unreadable", "the file may not be read by you", "Give yourself read permission, then try again.")
	case errors.Is(err, safefs.ErrSymlink):
		return refusal("symlink", "this is a symbolic link, not a file", "Use the file that it leads to.")
	case errors.Is(err, safefs.ErrTooLarge):
		size := "more than that"
		if statErr == nil {
			size = fmt.Sprintf("%d KiB", (info.Size()+1023)>>10)
		}
		return refusal("too_large", fmt.Sprintf("a task file has at most 256 KiB, this one has %s", size),
			"Keep the task short and name large files in attachments.")
	case errors.Is(err, safefs.ErrNotRegular) && statErr == nil:
		return notRegular(info.Mode())
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	return refusal("unreadable", fmt.Sprintf("the file cannot be read: %v", err), "Check the disk or the network folder it is on.")
}

func notRegular(mode fs.FileMode) Problem {
	const fix = "Use a Markdown file."
	switch {
	case mode.IsDir():
		return refusal("folder", "this is a folder, not a task file", "Use a Markdown file inside it.")
	case mode&fs.ModeSymlink != 0:
		return refusal("symlink", "this is a symbolic link, not a file", "Use the file that it leads to.")
	case mode&fs.ModeNamedPipe != 0:
		return refusal("fifo", "this is a FIFO (a pipe with a name), not a file", fix)
	case mode&fs.ModeSocket != 0:
		return refusal("socket", "this is a socket, not a file", fix)
	case mode&fs.ModeDevice != 0:
		return refusal("device", "this is a device, not a file", fix)
	}
	return refusal("special", "this is not a regular file", fix)
}

// examine says why bytes cannot be a task, or returns an empty problem.
func examine(data []byte) Problem {
	text := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	switch {
	case len(data) > MaxFile:
		return refusal("too_large", fmt.Sprintf("a task file has at most 256 KiB, this one has %d KiB", (len(data)+1023)>>10),
			"Keep the task short and name large files in attachments.")
	case len(text) == 0:
		return refusal("empty", "the file is empty", "Write what is to be done.")
	case isUTF16(data):
		return refusal("utf16", "the text is UTF-16, not UTF-8", "Save it again with the encoding UTF-8.")
	case looksBinary(text):
		return refusal("binary", "this is a binary file, not text", "Use a Markdown file.")
	case !utf8.Valid(text):
		p := refusal("utf8", "the text is not valid UTF-8 here", "Save it again with the encoding UTF-8.")
		p.Line = badLine(text)
		return p
	case len(bytes.TrimSpace(text)) == 0:
		return refusal("blank", "the file has only spaces and empty lines", "Write what is to be done.")
	}
	return Problem{}
}

// isUTF16 knows the byte order mark, and text whose every second byte is zero.
func isUTF16(data []byte) bool {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return true
	}
	head := data[:min(len(data), 512)&^1]
	zeros := [2]int{}
	for i, b := range head {
		if b == 0 {
			zeros[i%2]++
		}
	}
	half := len(head) / 2
	return half > 3 && (zeros[0] == 0 || zeros[1] == 0) && (zeros[0]+zeros[1])*10 >= half*7
}

// looksBinary finds a zero byte, or many other bytes that no text has.
func looksBinary(text []byte) bool {
	odd := 0
	for _, b := range text {
		switch {
		case b == 0:
			return true
		case b < 0x20 && b != '\n' && b != '\r' && b != '\t' && b != '\f' && b != 0x1b:
			odd++
		}
	}
	return odd*20 > len(text)
}

func badLine(text []byte) int {
	line := 1
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			break
		}
		if r == '\n' {
			line++
		}
		text = text[n:]
	}
	return line
}

// label is how problems call a file: its base name, safe to print.
func label(name string) string {
	base := filepath.Base(name)
	if name == "" || base == "." || base == "/" {
		return "task.md"
	}
	return printable(base)
}

// printable replaces what could move a cursor or turn the reading direction.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsGraphic(r) {
			return '?'
		}
		return r
	}, text)
}
