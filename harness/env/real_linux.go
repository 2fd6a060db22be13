package env

import (
	"os"

	"golang.org/x/sys/unix"
)

// fdatasync makes a file's bytes durable, and its length, which is needed to
// read them; not its times, which costs a second write of the journal.
func fdatasync(f *os.File) error {
	return control(f, func(fd int) error {
		for {
			if err := unix.Fdatasync(fd); err != unix.EINTR {
				return err
			}
		}
	})
}
