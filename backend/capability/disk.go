package capability

import "golang.org/x/sys/unix"

// FreeBytes is how much an ordinary user may still write to the disk that a
// folder is on.
func FreeBytes(folder string) (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(folder, &st); err != nil {
		return 0, err
	}
	return st.Bavail * uint64(st.Bsize), nil
}
