package fake

import (
	"net"
	"time"
)

// drain waits until the client's machine has all that was written. An RST
// throws away what is still on its way, and then a reader would miss bytes
// that the log calls delivered. A client that stopped reading is given up
// after a while.
func drain(conn *net.TCPConn) {
	const patience, pause = 10 * time.Second, 200 * time.Microsecond
	raw, err := conn.SyscallConn()
	if err != nil {
		return
	}
	for waited := time.Duration(0); waited < patience; waited += pause {
		left := 0
		if err := raw.Control(func(fd uintptr) { left = unsent(int(fd)) }); err != nil || left == 0 {
			return
		}
		time.Sleep(pause) // a real socket: there is no event for this
	}
}
