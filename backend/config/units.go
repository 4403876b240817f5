package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Millis is a span of time in milliseconds. In files it is written "8h", "90m"
// or "2d12h"; in JSON it is a number.
type Millis int64

// Duration converts.
func (m Millis) Duration() time.Duration { return time.Duration(m) * time.Millisecond }

const maxSpan = 365 * 24 * time.Hour

var errSpan = errors.New(`wanted a time with its unit, up to 365d, such as "90s", "45m", "8h" or "2d12h"`)

// ParseMillis reads a span of time greater than zero and at most a year.
func ParseMillis(text string) (Millis, error) {
	rest, days := text, 0
	if count, after, ok := strings.Cut(text, "d"); ok {
		n, err := strconv.Atoi(count)
		if err != nil || n < 1 || n > 365 {
			return 0, errSpan
		}
		days, rest = n, after
	}
	total := time.Duration(days) * 24 * time.Hour
	if rest != "" || days == 0 {
		d, err := time.ParseDuration(rest)
		if err != nil || d < 0 || d > maxSpan {
			return 0, errSpan
		}
		total += d
	}
	if total < time.Millisecond || total > maxSpan {
		return 0, errSpan
	}
	return Millis(total.Milliseconds()), nil
}

// UnmarshalTOML reads a text; a bare number has no unit and is refused.
func (m *Millis) UnmarshalTOML(value any) error {
	text, ok := value.(string)
	if !ok {
		return errSpan
	}
	parsed, err := ParseMillis(text)
	if err != nil {
		return err
	}
	*m = parsed
	return nil
}

// Money is micro-dollars. In files it is written "$20" or 20.5; in JSON it is a
// number of micro-dollars.
type Money int64

const maxDollars = 1_000_000

var errMoney = errors.New(`wanted dollars, up to 1000000, such as "$20" or 2.50`)

// ParseMoney reads dollars, with or without the sign before them.
func ParseMoney(text string) (Money, error) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "$")
	if text == "" || strings.Trim(text, "0123456789.") != "" {
		return 0, errMoney
	}
	dollars, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, errMoney
	}
	return Dollars(dollars)
}

// Dollars converts an amount of at least a micro-dollar.
func Dollars(amount float64) (Money, error) {
	micros := math.Round(amount * 1e6)
	if !(micros >= 1 && micros <= maxDollars*1e6) {
		return 0, errMoney
	}
	return Money(micros), nil
}

// UnmarshalTOML reads a text or a number of dollars.
func (m *Money) UnmarshalTOML(value any) error {
	var (
		parsed Money
		err    error
	)
	switch v := value.(type) {
	case string:
		parsed, err = ParseMoney(v)
	case int64:
		parsed, err = Dollars(float64(v))
	case float64:
		parsed, err = Dollars(v)
	default:
		err = errMoney
	}
	if err != nil {
		return err
	}
	*m = parsed
	return nil
}

// String writes dollars, as in $2.50.
func (m Money) String() string {
	text := strconv.FormatFloat(float64(m)/1e6, 'f', -1, 64)
	if _, cents, ok := strings.Cut(text, "."); ok && len(cents) == 1 {
		text += "0"
	}
	return fmt.Sprintf("$%s", text)
}
