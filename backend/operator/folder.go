package operator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// mostNumbered bounds the search for a folder name that is free.
const mostNumbered = 1000

// longestName bounds a folder's name, in bytes.
const longestName = 80

// Fresh is where a new workspace for a title would be: a folder below
// ~/Longwatch, with a number behind its name where that exists and is not
// empty. It makes nothing; see [Make].
func Fresh(title string) (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("there is no home folder to make a workspace in: %w", err)
	}
	base := filepath.Join(home, "Longwatch", folderName(title))
	for n := 1; n <= mostNumbered; n++ {
		path := base
		if n > 1 {
			path = fmt.Sprintf("%s %d", base, n)
		}
		if free, err := vacant(path); free || err != nil {
			return path, err
		}
	}
	return "", fmt.Errorf("%s: there are too many of that name", base)
}

// vacant reports whether nothing is at a path, or an empty folder.
func vacant(path string) (bool, error) {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil || !st.IsDir() {
		return false, err
	}
	f, err := os.Open(path)
	if err != nil {
		return false, nil
	}
	defer f.Close()
	_, err = f.Readdirnames(1)
	return err != nil, nil
}

// Make makes the fresh folder of a title and returns where it is. Another one
// that was made meanwhile is not used.
func Make(title string) (string, error) {
	for {
		path, err := Fresh(title)
		if err != nil {
			return "", err
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		err = os.Mkdir(path, 0o755)
		if errors.Is(err, fs.ErrExist) {
			if free, _ := vacant(path); free {
				return path, nil
			}
			continue
		}
		return path, err
	}
}

// Unmake removes a folder that Make made and nobody has put anything in.
func Unmake(path string) { _ = os.Remove(path) }

// folderName makes a name for a folder of a title: what a file system, a shell
// or a person could stumble over is left out.
func folderName(title string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`/\:*?"<>|`, r), unicode.IsControl(r), r == unicode.ReplacementChar:
			return ' '
		case !unicode.IsGraphic(r):
			return -1
		}
		return r
	}, title)
	name = strings.Join(strings.Fields(name), " ")
	if len(name) > longestName {
		name = strings.ToValidUTF8(name[:longestName], "")
	}
	name = strings.TrimLeft(strings.TrimRight(name, " ."), " .-~")
	if name == "" {
		return "Task"
	}
	return name
}

// Sample copies a sample task into a fresh folder and returns that.
func Sample(from fs.FS, title string) (string, error) {
	to, err := Make(title)
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(to, from); err != nil {
		return "", errors.Join(err, os.RemoveAll(to))
	}
	return to, nil
}
