package cli

import (
	"io"
	"os"

	"golang.org/x/term"

	"longwatch/backend/check"
)

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// isTerminalWriter reports whether colours make sense.
func isTerminalWriter(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isTerminal(f) && os.Getenv("NO_COLOR") == ""
}

// checkedFile is the file a check looks at, if it looks at one that is there.
func checkedFile(text string) string {
	c, err := check.Parse(text)
	if err != nil || c.Op == check.Absent {
		return ""
	}
	return c.Path
}
