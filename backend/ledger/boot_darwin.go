package ledger

import "golang.org/x/sys/unix"

// currentBoot names this boot of the machine; empty if nobody can say, which
// then counts as always the same one.
func currentBoot() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}
