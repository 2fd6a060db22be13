package asktest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers"
)

// EventStream is the content type of a stream.
const EventStream = "text/event-stream; charset=utf-8"

// Transport is an http.RoundTripper in a function.
type Transport func(*http.Request) (*http.Response, error)

func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// Reply answers every request. header is names and values in turn.
func Reply(status int, contentType string, body io.Reader, header ...string) *http.Client {
	return &http.Client{Transport: Transport(func(r *http.Request) (*http.Response, error) {
		h := http.Header{}
		if contentType != "" {
			h.Set("Content-Type", contentType)
		}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(body), Request: r}, nil
	})}
}

// Endless is a body that never ends, and has no line break.
type Endless struct{}

func (Endless) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte("x"), len(p))), nil }

// Show writes an event in one line.
func Show(ev providers.Event) string {
	names := map[providers.EventKind]string{
		providers.MessageStart: "message", providers.BlockStart: "start", providers.TextDelta: "text",
		providers.ThinkingDelta: "think", providers.SignatureDelta: "sign", providers.InputDelta: "input",
		providers.BlockStop: "stop", providers.Stop: "reason", providers.UsageEvent: "usage",
		providers.MessageStop: "end", providers.Ping: "ping", providers.Failure: "failure", providers.Other: "other",
	}
	s := names[ev.Kind]
	switch ev.Kind {
	case providers.BlockStart, providers.BlockStop, providers.TextDelta, providers.ThinkingDelta, providers.SignatureDelta, providers.InputDelta:
		s += fmt.Sprintf(" %d", ev.Index)
	case providers.Other:
		if ev.Index != 0 {
			s += fmt.Sprintf(" %d", ev.Index)
		}
	case providers.MessageStart:
		s += " " + ev.ID + " " + ev.Model
	}
	switch ev.Kind {
	case providers.TextDelta, providers.ThinkingDelta, providers.SignatureDelta, providers.InputDelta, providers.Stop, providers.Other:
		s += fmt.Sprintf(" %q", ev.Text)
	}
	if b := ev.Block; b != nil {
		s += " " + string(b.Kind)
		for _, f := range []struct{ name, v string }{{"text", b.Text}, {"signature", b.Signature}, {"id", b.ID}, {"name", b.Name}, {"input", b.Input}, {"raw", b.Raw}} {
			if f.v != "" {
				s += " " + f.name + "=" + f.v
			}
		}
	}
	if u := ev.Usage; u != nil {
		s += fmt.Sprintf(" in=%d out=%d read=%d write=%d", u.In, u.Out, u.CacheRead, u.CacheWrite)
	}
	if ev.Err != nil {
		s += fmt.Sprintf(" %v instream=%v", ev.Err, ev.Err.InStream)
	}
	return s
}

// Drain shows a stream's events to its end; the last line is the error, unless it
// is io.EOF.
func Drain(st interface {
	Next() (providers.Event, error)
}) (got []string) {
	for {
		ev, err := st.Next()
		if err != nil {
			if err != io.EOF {
				got = append(got, "error "+err.Error())
			}
			return got
		}
		got = append(got, Show(ev))
	}
}

// Equal compares lines.
func Equal(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}
