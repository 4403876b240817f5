package main

import (
	"fmt"
	"os"
	"syscall"
)

const rlimitProcs = 6 // RLIMIT_NPROC

func mountSmall(dir string, kib int) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk,mode=0700", kib))
}

func unmount(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }

func canMount() bool {
	dir, err := os.MkdirTemp("", "longwatch-mount-")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	return mountSmall(dir, 64) == nil && unmount(dir) == nil
}
