package ledger

import (
	"os"
	"strings"
)

// currentBoot names this boot of the machine; empty if nobody can say, which
// then counts as always the same one.
func currentBoot() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
