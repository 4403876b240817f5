package guard

// watchable: inotify takes one watch a folder.
const watchable = true
