package cassettes

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/harnessbench/bench/providers/fake"
)

// plan is the recorded answer of interaction i, to be delivered.
func (p *Player) plan(i int) *fake.Plan {
	r := &p.c.tape[i].Response
	out := &fake.Plan{Status: r.Code, Header: r.Headers.Clone(), Place: p.c.Place(i)}
	// The body was decoded when it was recorded or read; these headers would
	// have a client decode or count it again.
	for _, name := range []string{"Content-Encoding", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Trailer"} {
		out.Header.Del(name)
	}
	body := []byte(r.Body)
	if out.Header.Get("Content-Type") == "" { // some recorders keep no headers
		if kind := sniff(body); kind != "" {
			out.Header.Set("Content-Type", kind)
		}
	}
	for _, piece := range pieces(body, p.o.Piece) {
		out.Steps = append(out.Steps, fake.Step{Act: fake.Write, Data: piece})
	}
	return out
}

const (
	typeJSON   = "application/json"
	typeStream = "text/event-stream"
)

// sniff tells a stream and JSON by how they begin.
func sniff(body []byte) string {
	b := bytes.TrimLeft(body, " \t\r\n\ufeff")
	switch {
	case bytes.HasPrefix(b, []byte("event:")), bytes.HasPrefix(b, []byte("data:")), bytes.HasPrefix(b, []byte(":")):
		return typeStream
	case bytes.HasPrefix(b, []byte("{")), bytes.HasPrefix(b, []byte("[")):
		return typeJSON
	}
	return ""
}

// pieces cuts a body: into pieces of n bytes, or, with 0, behind each event of
// a stream.
func pieces(body []byte, n int) (out [][]byte) {
	stream := sniff(body) == typeStream
	for len(body) > 0 {
		to := len(body)
		if n > 0 {
			to = min(n, to)
		} else if stream {
			to = event(body)
		}
		out = append(out, body[:to:to])
		body = body[to:]
	}
	return out
}

// event is the length of the first event with its blank line, whichever line
// ends the stream uses.
func event(b []byte) int {
	blank := false // nothing on this line yet, and a line before it
	for i := 0; i < len(b); {
		n := 0
		switch {
		case b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n':
			n = 2
		case b[i] == '\r', b[i] == '\n':
			n = 1
		}
		if n > 0 && blank {
			return i + n
		}
		blank = n > 0
		i += max(n, 1)
	}
	return len(b)
}

// refusal answers the request that made a finding, and those after it, so that
// a loop ends: an error of the kind that is never retried.
func refusal(f *Finding) *fake.Plan {
	var b strings.Builder
	b.WriteString(`{"type":"error","error":{"type":"invalid_request_error","message":`)
	b.WriteString(quote(f.String()))
	b.WriteString("}}")
	return &fake.Plan{
		Status: http.StatusBadRequest,
		Header: http.Header{"Content-Type": {typeJSON}, "X-Bench-Finding": {f.Rule}},
		Steps:  []fake.Step{{Act: fake.Write, Data: []byte(b.String())}},
		Place:  f.Place,
	}
}
