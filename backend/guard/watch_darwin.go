package guard

// watchable: kqueue would take one descriptor a file, and FSEvents cgo.
const watchable = false
