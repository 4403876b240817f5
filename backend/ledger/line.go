package ledger

import (
	"bytes"
	"encoding/json"
	"math"
)

// line is a record's parts as they lie in the file, nothing decoded. It is
// only good until the next line is read.
type line struct {
	raw   []byte
	seq   uint64
	epoch int
	at    int64
	kind  []byte
	class []byte
	body  []byte
	prev  []byte
	sum   []byte
}

const (
	hexLen   = 64
	prevMark = `,"prev":"`
	sumMark  = `","sum":"`
	lineEnd  = "\"}\n"
	tailLen  = len(prevMark) + hexLen + len(sumMark) + hexLen + len(lineEnd)
	// signedCut is how much of a line's end its sum does not cover.
	signedCut = len(sumMark) - 1 + hexLen + len(lineEnd)
)

// parseLine takes a terminated line apart. It accepts the one form that
// appendLine writes and nothing that merely means the same.
func parseLine(raw []byte) (l line, ok bool) {
	if len(raw) < tailLen {
		return l, false
	}
	head, tail := cursor{raw[:len(raw)-tailLen], true}, cursor{raw[len(raw)-tailLen:], true}
	tail.literal(prevMark)
	l.prev = tail.take(hexLen)
	tail.literal(sumMark)
	l.sum = tail.take(hexLen)
	tail.literal(lineEnd)

	l.raw = raw
	head.literal(`{"v":1,"seq":`)
	l.seq = head.number(math.MaxUint64)
	head.literal(`,"epoch":`)
	l.epoch = int(head.number(math.MaxInt32))
	head.literal(`,"at":`)
	l.at = int64(head.number(math.MaxInt64))
	head.literal(`,"kind":"`)
	l.kind = head.word()
	head.literal(`","class":"`)
	l.class = head.word()
	head.literal(`","body":`)
	l.body = head.rest
	return l, head.ok && tail.ok && len(l.body) <= MaxBody && isOneObject(l.body)
}

// record copies the line. Kinds and classes are few: known keeps one string
// of each.
func (l *line) record(known map[string]string) Record {
	return Record{
		V: 1, Seq: l.seq, Epoch: l.epoch, At: l.at,
		Kind: intern(known, l.kind), Class: intern(known, l.class),
		Body: json.RawMessage(bytes.Clone(l.body)),
		Prev: string(l.prev), Sum: string(l.sum),
	}
}

func intern(known map[string]string, word []byte) string {
	if s, ok := known[string(word)]; ok {
		return s
	}
	s := string(word)
	known[s] = s
	return s
}

// cursor reads from the front; after the first mismatch it only says no.
type cursor struct {
	rest []byte
	ok   bool
}

func (c *cursor) literal(s string) {
	c.ok = c.ok && len(c.rest) >= len(s) && string(c.rest[:len(s)]) == s
	if c.ok {
		c.rest = c.rest[len(s):]
	}
}

func (c *cursor) take(n int) []byte {
	if !c.ok || len(c.rest) < n {
		c.ok = false
		return nil
	}
	taken := c.rest[:n]
	c.rest = c.rest[n:]
	return taken
}

func (c *cursor) word() []byte {
	n := max(bytes.IndexByte(c.rest, '"'), 0)
	word := c.take(n)
	c.ok = c.ok && isWord(word)
	return word
}

// number reads a decimal as strconv prints it: no sign, no leading zero.
func (c *cursor) number(limit uint64) uint64 {
	var n uint64
	var digits int
	for digits < len(c.rest) && c.rest[digits] >= '0' && c.rest[digits] <= '9' {
		d := uint64(c.rest[digits] - '0')
		if n > (limit-d)/10 {
			c.ok = false
			return 0
		}
		n = n*10 + d
		digits++
	}
	zeros := digits > 1 && c.rest[0] == '0'
	c.take(digits)
	c.ok = c.ok && digits > 0 && !zeros
	return n
}

// isOneObject checks that the braces close at the last byte and not before.
// Without it a line could carry a second "body" that other JSON readers
// would believe instead of ours. It does not check the JSON inside.
func isOneObject(body []byte) bool {
	if len(body) == 0 || body[0] != '{' {
		return false
	}
	depth, quoted := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			depth--
			if depth == 0 {
				return i == len(body)-1
			}
		}
	}
	return false
}
