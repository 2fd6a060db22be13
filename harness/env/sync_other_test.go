//go:build !linux

package env

import "syscall"

func bareSync(fd int) error { return syscall.Fsync(fd) }
