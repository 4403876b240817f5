package cli

import "testing"

func TestTooMuchStorageIsSaidOnce(t *testing.T) {
	t.Parallel()
	if got := overCap(2<<30, 2); got != "" {
		t.Errorf("at the cap: %q", got)
	}
	want := "warning: all runs take 2.0 GiB, more than storage.total_gib = 2; `longwatch purge` deletes old ones\n"
	if got := overCap(2<<30+1, 2); got != want {
		t.Errorf("above it: %q", got)
	}
}

func TestSizesAreWords(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1536: "1.5 KiB", 20 << 20: "20 MiB", 5 << 40: "5.0 TiB"} {
		if got := bytesWords(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
