package window

import (
	"net/url"
	"strings"
)

// Item is one thing of a drop: a file of this machine by its path, byte for
// byte, or a link by its text.
type Item struct {
	Path string
	Link string
}

// Items reads the URIs of a drop on a machine named host. A file is one by its
// scheme, with no host or this one; its name may hold any bytes, newlines too.
// Everything else is a link. An empty URI is nothing.
func Items(uris []string, host string) []Item {
	var out []Item
	for _, u := range uris {
		if u == "" {
			continue
		}
		if path, is := filePath(u, host); is {
			out = append(out, Item{Path: path})
		} else {
			out = append(out, Item{Link: u})
		}
	}
	return out
}

// filePath is the path of a file: URI. The rest is taken as it is, because
// some programs do not escape what RFC 8089 wants escaped.
func filePath(uri, here string) (string, bool) {
	scheme, rest, has := strings.Cut(uri, ":")
	if !has || !strings.EqualFold(scheme, "file") {
		return "", false
	}
	if after, authority := strings.CutPrefix(rest, "//"); authority {
		host, path, _ := strings.Cut(after, "/")
		if host != "" && !strings.EqualFold(host, "localhost") && !strings.EqualFold(host, here) {
			return "", false
		}
		rest = "/" + path
	}
	if !strings.HasPrefix(rest, "/") {
		return "", false
	}
	// A "?" or "#" that is not escaped ends the path in any URI.
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	path, err := url.PathUnescape(rest)
	if err != nil {
		path = rest
	}
	return path, !strings.ContainsRune(path, 0)
}
