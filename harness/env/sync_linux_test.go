package env

import "syscall"

func bareSync(fd int) error { return syscall.Fdatasync(fd) }
