package protocol

import (
	"fmt"
	"strconv"
	"strings"
)

// RoundName is how a round is cited: round_003.
func RoundName(round int) string { return fmt.Sprintf("round_%03d", round) }

var (
	roundFirst = lazily(`^(?i:@?rounds?[\s_#-]*|@|#)?0*([1-9]\d{0,5})(?:[^\pL\pN_]|$)`)
	roundZh    = lazily(`^@?第\s*0*([1-9]\d{0,5})\s*轮`)
	roundAny   = lazily(`(?i)\bround[\s_#-]*0*([1-9]\d{0,5})(?:[^\pL\pN_]|$)|第\s*0*([1-9]\d{0,5})\s*轮|@0*([1-9]\d{0,5})(?:[^\pL\pN_]|$)`)
)

// ParseRound reads the citation of a round that text begins with: round_003,
// @round_003, round 3, 第3轮 or just 3. Rounds count from 1 to 999999. What
// follows it, such as a reason, is returned without the dash between.
func ParseRound(text string) (round int, rest string, ok bool) {
	round, rest, ok = cutRound(text)
	return round, strings.TrimSpace(strings.TrimLeft(rest, " \t—–-:：")), ok
}

func cutRound(text string) (round int, rest string, ok bool) {
	text = strings.TrimLeft(text, openers)
	m := roundFirst().FindStringSubmatchIndex(text)
	if m == nil {
		m = roundZh().FindStringSubmatchIndex(text)
	}
	if m == nil {
		return 0, "", false
	}
	round, err := strconv.Atoi(text[m[2]:m[3]])
	rest = strings.TrimPrefix(strings.TrimLeft(text[m[3]:], " "), "轮")
	return round, strings.TrimLeft(rest, closers+" \t"), err == nil
}

// citedIn gives the rounds of a list of citations, in order, each once.
// Numbers alone count only where the list begins, named rounds anywhere.
func citedIn(text string) []int {
	var found []int
	for more := true; more; {
		n, rest, ok := cutRound(text)
		if !ok {
			break
		}
		found = append(found, n)
		text = strings.TrimLeft(rest, ",;，、；& ")
		text = strings.TrimPrefix(strings.TrimPrefix(text, "and "), "和")
		more = text != rest
	}
	return once(append(found, namedIn(text)...))
}

// namedIn gives the rounds that text names in full, in order, each once.
func namedIn(text string) []int {
	var found []int
	for _, m := range roundAny().FindAllStringSubmatch(text, -1) {
		if n, err := strconv.Atoi(m[1] + m[2] + m[3]); err == nil {
			found = append(found, n)
		}
	}
	return once(found)
}

// once keeps the first of each value.
func once[T comparable](values []T) []T {
	var kept []T
	seen := map[T]bool{}
	for _, v := range values {
		if !seen[v] {
			seen[v] = true
			kept = append(kept, v)
		}
	}
	return kept
}
