package protocol

import (
	"strconv"
	"strings"
	"time"
	"unicode"
)

// mostDuration keeps sums far from overflow; what uses a duration sets its own
// limit.
const mostDuration = 3650 * 24 * time.Hour

const wantDuration = "a duration such as 90s, 2m, 6h or 1d"

var units = map[string]time.Duration{
	"ms": time.Millisecond,
	"s":  time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second, "秒": time.Second, "秒钟": time.Second,
	"m": time.Minute, "min": time.Minute, "mins": time.Minute, "minute": time.Minute, "minutes": time.Minute, "分": time.Minute, "分钟": time.Minute,
	"h": time.Hour, "hr": time.Hour, "hrs": time.Hour, "hour": time.Hour, "hours": time.Hour, "时": time.Hour, "小时": time.Hour, "个小时": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour, "天": 24 * time.Hour, "日": 24 * time.Hour,
}

// ParseDuration reads 90s, 2m, 6h, 1d, 1h30m, "2 minutes" or 2分钟; a remark
// may follow. A number without a unit means nothing. The error is a
// *ParseError without a line.
func ParseDuration(text string) (time.Duration, error) {
	rest := plain(text)
	var sum time.Duration
	some := false
	for rest != "" && rest[0] >= '0' && rest[0] <= '9' {
		n, unit, after := cutUnit(rest)
		if unit == 0 || n > int64(mostDuration/unit) || sum+time.Duration(n)*unit > mostDuration {
			return 0, wrong(0, text, wantDuration)
		}
		sum += time.Duration(n) * unit
		some = true
		rest = after
	}
	if _, ok := setOff(rest, ""); !ok || !some {
		return 0, wrong(0, text, wantDuration)
	}
	return sum, nil
}

func cutUnit(s string) (n int64, unit time.Duration, rest string) {
	digits := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, 0, ""
	}
	s = strings.TrimLeft(s[len(digits):], " ")
	name := s[:len(s)-len(strings.TrimLeftFunc(s, unicode.IsLetter))]
	rest = s[len(name):]
	if next := strings.TrimLeft(rest, " "); next != "" && next[0] >= '0' && next[0] <= '9' {
		rest = next
	}
	return n, units[name], rest
}

// FormatDuration writes d, in milliseconds at the finest, the way
// ParseDuration reads it, in the largest unit that needs no fraction.
func FormatDuration(d time.Duration) string {
	for _, u := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}} {
		if d >= u.of && d%u.of == 0 {
			return strconv.FormatInt(int64(d/u.of), 10) + u.name
		}
	}
	return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
}

// readsDuration reports whether s is a duration, or says that there is none.
func readsDuration(s string) bool {
	_, err := ParseDuration(s)
	return err == nil || none(s)
}
