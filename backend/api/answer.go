package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"syscall"

	"longwatch/backend/config"
	"longwatch/backend/ledger"
	"longwatch/backend/operator"
	"longwatch/backend/rundir"
	"longwatch/backend/safefs"
)

// maxBody bounds a request's body, in bytes: a task file of 256 KiB, with what
// JSON makes of its line ends and quotes.
const maxBody = 512 << 10

// refusal is a failure with its status.
type refusal struct {
	status int
	Failure
}

func (r *refusal) Error() string { return r.Message }

func refuse(status int, code, format string, args ...any) *refusal {
	return &refusal{status, Failure{Code: code, Message: fmt.Sprintf(format, args...)}}
}

func (r *refusal) hint(text string) *refusal {
	r.Hint = text
	return r
}

// The codes of failures.
const (
	codeNotFound  = "not_found"
	codeBusy      = "busy"
	codeRefused   = "refused"
	codeUnread    = "unreadable"
	codeTooLarge  = "too_large"
	codeSignedOut = "signed_out"
	codeStale     = "gate_stale"
	codeNoWorker  = "no_worker"
	codeDiskFull  = "disk_full"
	codeInternal  = "internal"
)

// failure says an error in the words of the wire.
func failure(err error) *refusal {
	var own *refusal
	var broken *ledger.BrokenError
	var ended *operator.EndedError
	var settings *config.RefusedError
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &large):
		return refuse(http.StatusRequestEntityTooLarge, codeTooLarge, "the request has more than %d KiB", maxBody>>10)
	case errors.Is(err, rundir.ErrNoRun):
		return refuse(http.StatusNotFound, codeNotFound, "there is no such run").hint("It may have been deleted.")
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EROFS):
		return refuse(http.StatusInsufficientStorage, codeDiskFull, "%s", err).hint("Make room on the disk; nothing that was recorded is lost.")
	case errors.Is(err, safefs.ErrHeld):
		return refuse(http.StatusConflict, codeBusy, "%s", err)
	case errors.As(err, &broken):
		return refuse(http.StatusUnprocessableEntity, codeUnread, "%s", err).hint("`longwatch verify` says more; nothing was changed.")
	case errors.As(err, &ended):
		return refuse(http.StatusServiceUnavailable, codeNoWorker, "%s", err).hint("Nothing is lost; go on when the cause is gone.")
	case errors.Is(err, operator.ErrNotTaken):
		return refuse(http.StatusServiceUnavailable, codeNoWorker, "%s", err).hint("It stays in the inbox and is taken when a worker comes.")
	case errors.As(err, &settings), errors.Is(err, rundir.ErrWorkspace), errors.Is(err, rundir.ErrCannotStart),
		errors.Is(err, rundir.ErrForeign):
		return refuse(http.StatusConflict, codeRefused, "%s", err)
	case errors.Is(err, operator.ErrComplete):
		return refuse(http.StatusConflict, codeRefused, "%s", err).hint("Say what to do next.")
	}
	return refuse(http.StatusInternalServerError, codeInternal, "%s", err)
}

// fail answers with a failure. What should not happen is logged too.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	f := failure(err)
	if f.status == http.StatusInternalServerError {
		slog.Error("Request failed", "path", r.URL.Path, "err", err)
	}
	f.Message = plain(f.Message)
	tell(w, r, f.status, f.Failure)
}

// tell writes JSON. It has a tag, so that asking again for the same costs
// nothing but the question.
func tell(w http.ResponseWriter, r *http.Request, status int, v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		http.Error(w, "", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	if status == http.StatusOK && r.Method == http.MethodGet {
		sum := sha256.Sum256(b.Bytes())
		tag := `"` + hex.EncodeToString(sum[:12]) + `"`
		h.Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

// reading answers with what it reads.
func reading(a answer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := a(r)
		if err != nil {
			fail(w, r, err)
			return
		}
		tell(w, r, http.StatusOK, v)
	})
}

// writing bounds the body of what changes something.
func writing(a answer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		v, err := a(r)
		switch {
		case err != nil:
			fail(w, r, err)
		case v == nil:
			w.WriteHeader(http.StatusNoContent)
		default:
			tell(w, r, http.StatusOK, v)
		}
	})
}

// decode reads the body of a request strictly: one JSON value with no field
// that is not known.
func decode[T any](r *http.Request) (v T, err error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return v, refuse(http.StatusUnsupportedMediaType, codeRefused, "the body must be application/json")
	}
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	err = dec.Decode(&v)
	var large *http.MaxBytesError
	if err == nil {
		_, err = dec.Token()
		if errors.Is(err, io.EOF) {
			return v, nil
		}
		if !errors.As(err, &large) {
			err = errors.New("something follows the JSON value")
		}
	}
	if errors.As(err, &large) {
		return v, err
	}
	return v, refuse(http.StatusBadRequest, codeRefused, "%s", strings.TrimPrefix(err.Error(), "json: "))
}

// nothing answers where nothing is.
var nothing = reading(func(*http.Request) (any, error) {
	return nil, refuse(http.StatusNotFound, codeNotFound, "there is nothing here")
})

func notAllowed(methods []string) http.Handler {
	allow := strings.Join(methods, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allow)
		fail(w, r, refuse(http.StatusMethodNotAllowed, codeRefused, "%s is not for this; %s is", quoted(r.Method), allow))
	})
}

func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, rundir.ErrNoRun) }
