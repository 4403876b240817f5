package main

const rlimitProcs = 7 // RLIMIT_NPROC
