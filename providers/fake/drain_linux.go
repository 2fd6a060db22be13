package fake

import "golang.org/x/sys/unix"

// unsent is the number of bytes that the other end has not acknowledged.
func unsent(fd int) int {
	n, err := unix.IoctlGetInt(fd, unix.SIOCOUTQ)
	if err != nil {
		return 0
	}
	return n
}
