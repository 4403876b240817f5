package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Limits of a record. A line that is longer than maxLine cannot be ours, so
// a reader never keeps more than that of one in memory.
const (
	// MaxBody bounds a compacted body, in bytes.
	MaxBody = 16 << 10
	// MaxBatch bounds how many drafts one Append or Note takes.
	MaxBatch = 100

	maxLine = 64 << 10
	maxWord = 64
)

// Kinds that the package writes itself; drafts may not use them.
const (
	KindAnchored = "anchored"
	KindTailCut  = "tail_cut"

	classAccounting = "accounting"
)

// Errors about a draft. Nothing was written and the writer goes on.
var (
	ErrBodyTooLarge  = errors.New("body is too large")
	ErrBadDraft      = errors.New("draft is not a record")
	ErrBatchTooLarge = errors.New("too many drafts at once")
)

// Draft is a record to be: kind and class are words of a-z and _, the body
// is one JSON object. Seal asks for an anchor after the batch.
type Draft struct {
	Kind, Class string
	Body        json.RawMessage
	Seal        bool
}

// Record is one line. At is unix milliseconds.
type Record struct {
	V     int             `json:"v"`
	Seq   uint64          `json:"seq"`
	Epoch int             `json:"epoch"`
	At    int64           `json:"at"`
	Kind  string          `json:"kind"`
	Class string          `json:"class"`
	Body  json.RawMessage `json:"body"`
	Prev  string          `json:"prev"`
	Sum   string          `json:"sum"`
}

// checked returns the draft with its body compacted.
func (d Draft) checked() (Draft, error) {
	if d.Kind == KindAnchored || d.Kind == KindTailCut {
		return d, fmt.Errorf("%w: kind %q is the ledger's own", ErrBadDraft, d.Kind)
	}
	if !isWord(d.Kind) || !isWord(d.Class) {
		return d, fmt.Errorf("%w: kind %q and class %q must be 1 to %d of a-z and _",
			ErrBadDraft, d.Kind, d.Class, maxWord)
	}
	body, err := compact(d.Body)
	if err != nil {
		return d, fmt.Errorf("%s record: %w", d.Kind, err)
	}
	d.Body = body
	return d, nil
}

func compact(body []byte) ([]byte, error) {
	var buf bytes.Buffer
	if err := json.Compact(&buf, body); err != nil {
		return nil, fmt.Errorf("%w: body: %w", ErrBadDraft, err)
	}
	small := buf.Bytes()
	switch {
	case small[0] != '{':
		return nil, fmt.Errorf("%w: body is not an object", ErrBadDraft)
	case !utf8.Valid(small):
		return nil, fmt.Errorf("%w: body is not UTF-8", ErrBadDraft)
	case len(small) > MaxBody:
		return nil, fmt.Errorf("%w: %d bytes, the limit is %d", ErrBodyTooLarge, len(small), MaxBody)
	}
	return small, nil
}

func isWord[T string | []byte](s T) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && (c < 'a' || c > 'z') {
			return false
		}
	}
	return len(s) > 0 && len(s) <= maxWord
}

// appendLine adds r's line to buf and sets r.Sum.
func appendLine(buf []byte, r *Record) []byte {
	start := len(buf)
	buf = append(buf, `{"v":1,"seq":`...)
	buf = strconv.AppendUint(buf, r.Seq, 10)
	buf = append(buf, `,"epoch":`...)
	buf = strconv.AppendInt(buf, int64(r.Epoch), 10)
	buf = append(buf, `,"at":`...)
	buf = strconv.AppendInt(buf, r.At, 10)
	buf = append(buf, `,"kind":"`...)
	buf = append(buf, r.Kind...)
	buf = append(buf, `","class":"`...)
	buf = append(buf, r.Class...)
	buf = append(buf, `","body":`...)
	buf = append(buf, r.Body...)
	buf = append(buf, `,"prev":"`...)
	buf = append(buf, r.Prev...)
	buf = append(buf, '"')
	sum := sha256.Sum256(buf[start:])
	r.Sum = hex.EncodeToString(sum[:])
	buf = append(buf, `,"sum":"`...)
	buf = append(buf, r.Sum...)
	return append(buf, '"', '}', '\n')
}
