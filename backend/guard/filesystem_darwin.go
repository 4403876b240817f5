package guard

// timesTell is false: nobody has measured that APFS moves ctime for every
// store through a memory map, so files are always hashed here.
func timesTell(int) bool { return false }

// syncFS is never called while timesTell is false.
func syncFS(int) error { return nil }

// nextData leaves holes to the plain read.
func nextData(int, int64) (data, end int64, ok bool) { return 0, 0, false }
