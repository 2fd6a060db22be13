package ask

import (
	"errors"
	"fmt"
	"io"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
	"github.com/harnessbench/bench/providers/sse"
)

// Source is where a decoder reads its events from. It knows what their errors
// mean.
type Source struct {
	*sse.Reader
	body  io.Reader
	ended func(error) *providers.Error // what an error of the body means
	clean func(string) string          // removes secrets from an error's sentence
}

// NewSource returns the source that body is, on its own.
func NewSource(body io.Reader) Source {
	s := Source{Reader: sse.NewReader(body, 0)}
	s.start(body)
	return s
}

func (s *Source) start(body io.Reader) {
	s.body, s.ended, s.clean = body, brokenOff, func(s string) string { return s }
}

// Reset makes the source one of another body, as NewSource(body) would be, and
// keeps its buffers.
func (s *Source) Reset(body io.Reader) {
	s.Reader.Reset(body)
	s.start(body)
}

// Through makes the source read its body through what f makes of it, for an API
// whose streams may be something else than server-sent events. It is called
// before the first Next.
func (s *Source) Through(f func(body io.Reader) io.Reader) { s.Reader.Reset(f(s.body)) }

// Close closes the body, if it is an io.Closer.
func (s *Source) Close() error {
	if c, ok := s.body.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Failed is what an error of Next means: a *providers.Error, or io.EOF.
func (s *Source) Failed(err error) error {
	if err == io.EOF {
		return err
	}
	if long := new(sse.TooLongError); errors.As(err, &long) {
		return ProtocolError(long.Error())
	}
	return s.ended(err)
}

// Wrong is what it means that ev, which Next just returned, cannot be decoded:
// that it is not the protocol, or, where the bytes ended inside it, nothing but
// their end, because nobody wrote it like that.
func (s *Source) Wrong(ev sse.Event, err error) error {
	if ev.Unterminated {
		return io.EOF
	}
	name := string(ev.Name)
	if name == "" {
		name = quote(ev.Data, s.clean)
	}
	return ProtocolError(s.clean(fmt.Sprintf("the event ending at line %d of the stream, %s: %v", s.Line(), name, err)))
}

// quote shortens what came for an error's sentence, and cleans it before: as much
// of it as can be seen, because an event may be long.
func quote(v []byte, clean func(string) string) string {
	const seen = 4 << 10
	return strict.Snippet([]byte(clean(string(v[:min(len(v), seen)]))))
}
