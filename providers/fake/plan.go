package fake

import (
	"net/http"
	"strconv"
	"time"
)

// Act is what one step of a plan does.
type Act uint8

const (
	_     Act = iota
	Write     // Data reaches the client in one piece; the first Write sends the head, also when Data is empty
	Delay     // D passes
	Gate      // until the gate Name is open
	EOF       // a clean end; sends the head if nothing was written
	Cut       // closed inside the body, or before the head when nothing was written
	Reset     // ECONNRESET, likewise
	Hang      // silence for D, or until the client goes when D is 0; after D it is a Cut
)

// Step is one step of a plan.
type Step struct {
	Act  Act
	Data []byte
	D    time.Duration
	Name string
}

// Plan is one HTTP answer as data. The in-memory transport lets the reader
// pull it, the handler pushes it; both give the client the same bytes in the
// same pieces and the same errors. A Plan without an ending ends cleanly. It
// is never changed once it is served.
type Plan struct {
	Status int
	Header http.Header
	Steps  []Step
	// Place says where the answer is written.
	Place string
	// Refused says why the request was illegal; the exchange then ends as
	// "refused".
	Refused string
}

// size is the number of bytes the plan writes.
func (p *Plan) size() int {
	n := 0
	for i := range p.Steps {
		n += len(p.Steps[i].Data)
	}
	return n
}

// first returns the first n bytes that the plan writes.
func (p *Plan) first(n int) []byte {
	out := make([]byte, 0, n)
	for i := range p.Steps {
		d := p.Steps[i].Data
		out = append(out, d[:min(len(d), n-len(out))]...)
	}
	return out
}

// builder collects the bytes of an answer, where its events end and where it
// waits; steps cuts them into pieces. It knows no protocol.
type builder struct {
	buf    []byte
	pieces []piece
	end    Step
	chunk  string // events, whole, at, or "" for pieces of size
	size   int
	at     []int // ascending
}

// piece is an event that ends at buf[to], or a wait.
type piece struct {
	to   int
	wait Step
}

func newBuilder() *builder {
	return &builder{chunk: "events", end: Step{Act: EOF}, buf: make([]byte, 0, 2048)}
}

// put appends text.
func (b *builder) put(parts ...string) {
	for _, p := range parts {
		b.buf = append(b.buf, p...)
	}
}

// quote appends a JSON string.
func (b *builder) quote(s string) { b.buf = appendQuote(b.buf, s) }

// int appends a number.
func (b *builder) int(n int) { b.buf = strconv.AppendInt(b.buf, int64(n), 10) }

// event ends an event. One without bytes sends the head.
func (b *builder) event() { b.pieces = append(b.pieces, piece{to: len(b.buf)}) }

// wait waits before whatever is written next.
func (b *builder) wait(s Step) { b.pieces = append(b.pieces, piece{wait: s}) }

// drop takes the last n bytes back, and reports whether there were as many.
func (b *builder) drop(n int) bool {
	if n > len(b.buf) {
		return false
	}
	b.buf = b.buf[:len(b.buf)-n]
	return true
}

// steps cuts the bytes into pieces and ends the plan. Places are counted over
// the whole body; a wait is a boundary too.
func (b *builder) steps() []Step {
	steps := make([]Step, 0, len(b.pieces)+1)
	from, to := 0, 0 // written up to, and waiting to be written up to
	sent := false    // the head, alone
	flush := func(end int) {
		if end > from {
			steps = append(steps, Step{Act: Write, Data: b.buf[from:end:end]})
			from = end
		}
	}
	for _, p := range b.pieces {
		switch {
		case p.wait.Act != 0:
			flush(to)
			steps = append(steps, p.wait)
		case p.to == 0:
			if !sent {
				steps = append(steps, Step{Act: Write}) // the head alone
				sent = true
			}
		default:
			to = min(p.to, len(b.buf))
			for cut := b.next(from); cut <= to; cut = b.next(from) {
				flush(cut)
			}
			if b.chunk == "events" {
				flush(to)
			}
		}
	}
	flush(to)
	return append(steps, b.end)
}

// next returns the first boundary behind place, or one that is never reached.
func (b *builder) next(place int) int {
	switch b.chunk {
	case "":
		return place - place%b.size + b.size
	case "at":
		for _, a := range b.at {
			if a > place {
				return a
			}
		}
	}
	return len(b.buf) + 1
}

// appendQuote appends s as a JSON string. Bytes that are not UTF-8 stay as they
// are: a script may want to send them.
func appendQuote(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[from:i]...)
		from = i + 1
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(b, s[from:]...), '"')
}
