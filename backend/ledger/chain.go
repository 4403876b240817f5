package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Broken says which record is the first that cannot be believed, where its
// line begins, and why. Seq 0 is the file as a whole.
type Broken struct {
	Seq    uint64 `json:"seq"`
	Offset int64  `json:"offset"`
	Why    string `json:"why"`
}

// digest is a SHA-256 in hex.
type digest [hexLen]byte

func (d digest) String() string { return string(d[:]) }

func hexDigest(data []byte) (d digest) {
	sum := sha256.Sum256(data)
	hex.Encode(d[:], sum[:])
	return d
}

// zeroSum is what record 1 names as the record before it.
var zeroSum = digest([]byte(strings.Repeat("0", hexLen)))

// chain is how far a sequence of lines was found to follow from record 1.
type chain struct {
	lines *lines
	seq   uint64
	epoch int
	sum   digest
	// start is where the line of the last record begins.
	start int64
	// broken is the first bad line; nothing is read after it.
	broken *Broken
}

func newChain(src io.ReaderAt) *chain {
	return &chain{lines: newLines(src), sum: zeroSum}
}

// next returns the next line that follows. At the end, and at a bad line,
// it returns io.EOF; the second shows in broken.
func (c *chain) next() (line, error) {
	if c.broken != nil {
		return line{}, io.EOF
	}
	start := c.lines.off
	raw, err := c.lines.next()
	if errors.Is(err, errLongLine) {
		c.fail(start, fmt.Sprintf("it is longer than the %d bytes a record can have", maxLine))
		return line{}, io.EOF
	}
	if err != nil {
		return line{}, err
	}
	l, ok := parseLine(raw)
	if !ok {
		c.fail(start, "its line is not of the form this ledger writes")
		return line{}, io.EOF
	}
	if why := c.follows(&l); why != "" {
		c.fail(start, why)
		return line{}, io.EOF
	}
	c.seq, c.epoch, c.start = l.seq, l.epoch, start
	copy(c.sum[:], l.sum)
	return l, nil
}

func (c *chain) follows(l *line) string {
	sum := hexDigest(l.raw[:len(l.raw)-signedCut])
	switch {
	case !bytes.Equal(sum[:], l.sum):
		return "its bytes are not those its digest was made of"
	case l.seq != c.seq+1:
		return fmt.Sprintf("it calls itself record %d", l.seq)
	case !bytes.Equal(c.sum[:], l.prev):
		return "it was not made to follow the record before it"
	case l.seq == 1 && l.epoch != 0, l.seq == 2 && l.epoch != 1,
		l.seq > 2 && l.epoch != c.epoch && l.epoch != c.epoch+1:
		return fmt.Sprintf("epoch %d cannot follow here", l.epoch)
	}
	return ""
}

func (c *chain) fail(offset int64, why string) {
	c.broken = &Broken{Seq: c.seq + 1, Offset: offset, Why: why}
}
