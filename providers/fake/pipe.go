package fake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/harnessbench/bench/evidence"
)

// SinkWriter is a Sink that writes each event as one line of JSON, at once. A
// process that may be killed hands one in over a pipe; whoever holds the other
// end reads the log with ReadSink and gives it to Server.Adopt.
type SinkWriter struct {
	w   io.Writer
	err error
}

// NewSinkWriter returns a sink that writes to w.
func NewSinkWriter(w io.Writer) *SinkWriter { return &SinkWriter{w: w} }

// Err returns the first error of a write. After it nothing more is written.
func (s *SinkWriter) Err() error { return s.err }

// sinkLine is one event on its way through a pipe.
type sinkLine struct {
	Kind    string              `json:"kind"` // request, status, bytes, ended
	N       int                 `json:"n,omitzero"`
	Request *evidence.Exchange  `json:"request,omitzero"`
	Status  int                 `json:"status,omitzero"`
	Head    map[string][]string `json:"head,omitzero"`
	Bytes   []byte              `json:"bytes,omitzero"`
	How     string              `json:"how,omitzero"`
}

func (s *SinkWriter) write(l sinkLine) {
	if s.err != nil {
		return
	}
	b, err := json.Marshal(l)
	if err == nil {
		_, err = s.w.Write(append(b, '\n'))
	}
	s.err = err
}

// Request implements Sink.
func (s *SinkWriter) Request(ex *evidence.Exchange) { s.write(sinkLine{Kind: "request", Request: ex}) }

// Status implements Sink.
func (s *SinkWriter) Status(n, status int, head http.Header) {
	s.write(sinkLine{Kind: "status", N: n, Status: status, Head: head})
}

// Delivered implements Sink.
func (s *SinkWriter) Delivered(n int, b []byte) { s.write(sinkLine{Kind: "bytes", N: n, Bytes: b}) }

// Ended implements Sink.
func (s *SinkWriter) Ended(n int, how string) { s.write(sinkLine{Kind: "ended", N: n, How: how}) }

// ReadSink reads what a SinkWriter wrote, up to the end or to the line in
// which the writer died; that line is left out. Each call of Delivered is one
// piece.
func ReadSink(r io.Reader) ([]*evidence.Exchange, error) {
	all, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var log []*evidence.Exchange
	byN := map[int]*evidence.Exchange{}
	for n := 1; ; n++ {
		line, rest, whole := bytes.Cut(all, []byte("\n"))
		if !whole {
			return log, nil // torn, or nothing
		}
		all = rest
		var l sinkLine
		if err := json.Unmarshal(line, &l); err != nil {
			return log, fmt.Errorf("line %d of the wire log is not an event: %w", n, err)
		}
		if l.Kind == "request" && l.Request != nil {
			log = append(log, l.Request)
			byN[l.Request.N] = l.Request
			continue
		}
		ex := byN[l.N]
		if ex == nil {
			return log, fmt.Errorf("line %d of the wire log speaks of exchange %d, which it has not announced", n, l.N)
		}
		switch l.Kind {
		case "status":
			ex.Status, ex.Head = l.Status, l.Head
		case "bytes":
			ex.Reply = append(ex.Reply, l.Bytes...)
			ex.Chunks = append(ex.Chunks, len(l.Bytes))
		case "ended":
			ex.Ending = l.How
		default:
			return log, fmt.Errorf("line %d of the wire log is of the unknown kind %q", n, l.Kind)
		}
	}
}
