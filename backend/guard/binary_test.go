package guard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"
)

func TestBinaryRunsAsLauncher(t *testing.T) {
	t.Parallel()
	own, err := Binary()
	check(t, err)
	defer own.Close()
	text, err := os.ReadFile(self(t))
	check(t, err)
	sum := sha256.Sum256(text)
	if want := hex.EncodeToString(sum[:]); own.Digest != want {
		t.Errorf("digest %s, want %s", own.Digest, want)
	}
	p, err := (&Launcher{Self: own.Path}).Start(context.Background(), target(t, "exit", "6"))
	check(t, err)
	check(t, p.Release())
	if got := p.Wait(); got.Code != 6 {
		t.Errorf("exit %+v", got)
	}
}
