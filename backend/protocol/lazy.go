package protocol

import (
	"regexp"
	"sync"
)

// lazily compiles an expression when it is first used. Every process of ours
// has this package in it, most never read a word, and compiling all of them
// would be half of such a process's start.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
