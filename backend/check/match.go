package check

import (
	"context"
	"io"
	"regexp"
	"unicode/utf8"
)

// match returns where the pattern first matches, or -1. A long text is fed rune
// by rune, which is slower but can be stopped: the time of RE2 is linear, and
// 64 MiB against a large pattern is still minutes.
func match(ctx context.Context, re *regexp.Regexp, data []byte) (int, error) {
	var at []int
	if len(data) <= 1<<20 {
		at = re.FindIndex(data)
	} else {
		at = re.FindReaderIndex(&runes{ctx: ctx, data: data})
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if at == nil {
		return -1, nil
	}
	return at[0], nil
}

type runes struct {
	ctx  context.Context
	data []byte
	at   int
	read int
}

func (r *runes) ReadRune() (rune, int, error) {
	if r.read%4096 == 0 && r.ctx.Err() != nil {
		return 0, 0, r.ctx.Err()
	}
	if r.at >= len(r.data) {
		return 0, 0, io.EOF
	}
	c, n := utf8.DecodeRune(r.data[r.at:])
	r.at += n
	r.read++
	return c, n, nil
}
