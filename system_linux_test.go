package main

const rlimitProcs = 6 // RLIMIT_NPROC
