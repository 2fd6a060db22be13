package fake

import (
	"net"
	"net/http"
)

// maxRequest bounds a request on loopback: twice what the real API takes.
const maxRequest = 64 << 20

// Handler answers over HTTP: each piece is flushed by itself, a cut closes the
// connection inside the body, a reset is a real RST. It listens nowhere; whoever
// serves it chooses the address.
func (w *Wire) Handler() http.Handler { return handler{w} }

type handler struct{ w *Wire }

// ServeHTTP implements http.Handler.
func (h handler) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(rw, r.Body, maxRequest)
	body, err := readBody(r)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	d := h.w.begin(r, body)
	out := http.NewResponseController(rw)
	sent := false
	head := func() {
		if !sent {
			sent = true
			d.head()
			for name, values := range d.plan.Header {
				rw.Header()[name] = values
			}
			rw.WriteHeader(d.plan.Status)
		}
	}
	for {
		s, err := d.advance(r.Context())
		if err != nil {
			panic(http.ErrAbortHandler) // the client went; close the connection
		}
		switch s.Act {
		case Write:
			head()
			if len(s.Data) > 0 {
				d.wrote(s.Data)
			}
			_, err := rw.Write(s.Data)
			if err == nil {
				err = out.Flush()
			}
			if err != nil {
				d.end("dropped")
				panic(http.ErrAbortHandler)
			}
		case EOF:
			head()
			d.end("eof")
			return
		case Cut:
			d.end("cut")
			if !sent {
				closeConn(out, false)
			}
			panic(http.ErrAbortHandler)
		case Reset:
			d.end("reset")
			closeConn(out, true)
			panic(http.ErrAbortHandler)
		}
	}
}

// closeConn closes the connection under the response: with a FIN, or with an
// RST. Where it cannot be taken over (HTTP/2), the caller's abort has to do.
func closeConn(out *http.ResponseController, reset bool) {
	conn, _, err := out.Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok && reset {
		drain(tcp)
		_ = tcp.SetLinger(0) // a Close then sends RST; on failure it sends FIN
	}
	_ = conn.Close() // nothing can be done about it
}
