package cli

import "testing"

func TestSizesAreWords(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1536: "1.5 KiB", 20 << 20: "20 MiB", 5 << 40: "5.0 TiB"} {
		if got := bytesWords(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
