package ledger

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkAppend(b *testing.B) {
	body := []byte(`{"detail":"` + strings.Repeat("x", 220) + `"}`)
	d := Draft{Kind: "worked", Class: "work", Body: body}
	for name, add := range map[string]func(*Writer) error{
		"append": func(w *Writer) error { _, err := w.Append(d); return err },
		"note":   func(w *Writer) error { _, err := w.Note(d); return err },
		"batch of 10": func(w *Writer) error {
			_, err := w.Append(d, d, d, d, d, d, d, d, d, d)
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			w := newBook(b).begin(b)
			for b.Loop() {
				must(b, add(w))
			}
			must(b, w.Close())
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			k := newBook(b)
			k.grow(b, n)
			for b.Loop() {
				w, err := Open(k.dir, k.name, k.options())
				must(b, err)
				must(b, w.Close())
			}
		})
	}
}
