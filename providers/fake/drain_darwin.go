package fake

import "golang.org/x/sys/unix"

// unsent is the number of bytes that the other end has not acknowledged.
func unsent(fd int) int {
	n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_NWRITE)
	if err != nil {
		return 0
	}
	return n
}
