package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
)

// compare holds a value of the document against the literal of the check.
func compare(got []byte, op Op, want []byte) (bool, error) {
	a, err := decode(got)
	if err != nil {
		return false, err
	}
	b, err := decode(want)
	if err != nil {
		return false, err
	}
	switch op {
	case Equals:
		return same(a, b), nil
	case Differs:
		return !same(a, b), nil
	case Below, Above:
		x, isNumber := a.(json.Number)
		if !isNumber {
			return false, errors.New("not a number")
		}
		order := compareNumbers(x, b.(json.Number))
		return (op == Below && order < 0) || (op == Above && order > 0), nil
	}
	return false, fmt.Errorf("unknown operator %q", op)
}

func decode(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	return v, nil
}

func same(a, b any) bool {
	switch x := a.(type) {
	case json.Number:
		y, ok := b.(json.Number)
		return ok && compareNumbers(x, y) == 0
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !same(x[i], y[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k, v := range x {
			w, ok := y[k]
			if !ok || !same(v, w) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

// compareNumbers is exact for integers of a reasonable length and as exact as a
// float64 for the rest: 1.0 is 1, and a huge exponent costs nothing.
func compareNumbers(a, b json.Number) int {
	x, okX := wholeNumber(a)
	y, okY := wholeNumber(b)
	if okX && okY {
		return x.Cmp(y)
	}
	f, _ := strconv.ParseFloat(a.String(), 64)
	g, _ := strconv.ParseFloat(b.String(), 64)
	switch {
	case f < g:
		return -1
	case f > g:
		return 1
	}
	return 0
}

func wholeNumber(n json.Number) (*big.Int, bool) {
	if len(n) > 400 {
		return nil, false
	}
	return new(big.Int).SetString(n.String(), 10)
}
