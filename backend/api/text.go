package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"strings"

	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// document is bytes that somebody else made, and what they are served as.
type document struct {
	kind string
	data []byte
}

// raw answers with bytes that can do nothing in a page: as text, or as a picture
// whose bytes say so.
func raw(a func(r *http.Request) (document, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d, err := a(r)
		if err != nil {
			fail(w, r, err)
			return
		}
		h := w.Header()
		h.Set("Content-Type", d.kind)
		h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
		h.Set("Content-Disposition", "inline")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(d.data)
	})
}

const textKind = "text/plain; charset=utf-8"

// task answers with the task file of a run.
func (s *Server) task(r *http.Request) (d document, err error) {
	err = s.look(r, func(l *live) error {
		data, err := l.dir.Task(l.state.Created)
		d = document{textKind, []byte(plain(string(data)))}
		return err
	})
	return d, unread(err)
}

// text answers with a text that a record names by its digest.
func (s *Server) text(r *http.Request) (d document, err error) {
	digest, err := digestOf(r)
	if err != nil {
		return d, err
	}
	err = s.look(r, func(l *live) error {
		file, there := named(l.state, digest)
		if !there {
			return refuse(http.StatusNotFound, codeNotFound, "no record names a text with this digest")
		}
		data, err := l.dir.Kept(file)
		if err != nil {
			return err
		}
		d = document{textKind, []byte(plain(string(data)))}
		return same(data, digest)
	})
	return d, unread(err)
}

// evidence answers with a picture that a record names.
func (s *Server) evidence(r *http.Request) (d document, err error) {
	digest, err := digestOf(r)
	if err != nil {
		return d, err
	}
	err = s.look(r, func(l *live) error {
		if !l.track.captured[digest] {
			return refuse(http.StatusNotFound, codeNotFound, "no record names a picture with this digest")
		}
		data, err := l.dir.Evidence(digest)
		if err != nil {
			return err
		}
		if d = (document{picture(data), data}); d.kind == "" {
			return refuse(http.StatusNotFound, codeNotFound, "it is neither a PNG nor a JPEG")
		}
		return same(data, digest)
	})
	return d, unread(err)
}

// picture is the kind of a picture by its first bytes, empty for anything that
// is not shown.
func picture(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	}
	return ""
}

func digestOf(r *http.Request) (string, error) {
	digest := r.PathValue("digest")
	if b, err := hex.DecodeString(digest); err != nil || len(b) != sha256.Size || strings.ToLower(digest) != digest {
		return "", refuse(http.StatusNotFound, codeNotFound, "%s is not a digest", quoted(clip(digest, 80)))
	}
	return digest, nil
}

func same(data []byte, digest string) error {
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != digest {
		return refuse(http.StatusUnprocessableEntity, codeUnread, "the file is not what its record names: it was changed")
	}
	return nil
}

// unread is an error of reading what a run has on disk: a page cannot do more
// than say so.
func unread(err error) error {
	var own *refusal
	switch {
	case err == nil, errors.As(err, &own), errors.Is(err, rundir.ErrNoRun):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return refuse(http.StatusNotFound, codeNotFound, "the file is not there any more")
	}
	return refuse(http.StatusUnprocessableEntity, codeUnread, "%s", err)
}

// named finds the file of a text by its digest.
func named(s *run.State, digest string) (file string, there bool) {
	look := func(t *run.Text) {
		if t != nil && t.SHA256 == digest && t.File != "" {
			file = t.File
		}
	}
	list := func(c run.Changes) {
		if c.SHA256 == digest && c.File != "" {
			file = c.File
		}
	}
	look(s.Reply)
	for _, r := range s.Rounds {
		look(r.PlanSaid)
		for i := range r.Failed {
			look(r.Failed[i].Said)
		}
		if r.Executed != nil {
			look(&r.Executed.Said)
		}
		for _, a := range []*run.Audited{r.Audited, r.Final} {
			if a != nil {
				look(&a.Report)
			}
		}
		for _, c := range r.Changes {
			list(c.Changes)
		}
		for _, v := range r.Violations {
			list(v.Changes)
		}
	}
	return file, file != ""
}
