//go:build !linux

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// forget drops what was typed and not read yet: it is no answer to a question
// that nobody had seen.
func forget(f *os.File) error {
	return unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCFLUSH, unix.TCIFLUSH)
}
