// Package ask is the HTTP half of a codec: it sends one request and reads what
// comes, which may be a stream, a whole message, an error, or none of them.
//
//	c := ask.New(ask.Config{BaseURL: ..., Path: "/v1/messages", Key: key, Header: header, ...})
//	answer, err := c.Ask(ctx, req)
//
// A codec says in the Config what its API wants. Its own stream is the Answer and,
// where that is a stream, a decoder of it:
//
//	func (s *stream) Next() (providers.Event, error) {
//		if !s.Streams() {
//			return s.Answer.Next()
//		}
//		if s.dec == nil {
//			s.dec = &Decoder{src: s.Source()}
//		}
//		ev, err := s.dec.Next()
//		if err != nil || ev.Kind == providers.Failure {
//			err = s.Told(ev.Err, err)
//		}
//		return ev, err
//	}
//
// This stands in the codec, because here it would be a call through an interface
// for every event. Package asktest tests what comes of it.
//
// No text of an error contains the API key, whoever quotes it, nor a piece of it
// that tells something (see secret), wherever it was shortened.
package ask

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/harnessbench/bench/providers"
)

const (
	mostErrorBody = 64 << 10 // read of an error's body
	mostWholeBody = 64 << 20 // read of an answer that is no stream
)

// Config says whom to ask, and how.
type Config struct {
	BaseURL string // without a slash at its end
	Path    string // of the API, behind BaseURL
	Example string // of a base URL, for one that is wrong
	// PathOf is the path where it is not the same for every request; nil means
	// Path.
	PathOf func(*providers.Request) string
	// Lists says that a body which begins with [ is a stream too.
	Lists bool

	Key    string      // what no error may show; "" if there is none
	Header http.Header // of every request, with the key where the API wants it

	// HTTP makes the calls; nil means a client of its own. Unless it has a
	// redirect policy, redirects are not followed, because net/http would hand the
	// key to wherever they lead.
	HTTP *http.Client
	// BenchHeaders sends the request's lane and attempt.
	BenchHeaders bool
	// MostWhole is the most that is read of an answer that is no stream; 0 means
	// 64 MiB. In a Client it may be changed until the first request.
	MostWhole int64

	Encoder       func() Encoder // for a new lane
	Classify      func(status int, header http.Header, body []byte) *providers.Error
	DecodeMessage func(body []byte) ([]providers.Event, error)
	RequestID     func(http.Header) string
}

// Encoder encodes the requests of one conversation.
type Encoder interface {
	Encode(dst []byte, req *providers.Request) []byte
}

// Client asks one API. It may be used by several goroutines at once.
type Client struct {
	Config
	http *http.Client

	mu       sync.Mutex
	encoders map[string]Encoder // by lane: the lanes of a loop are conversations of their own
}

// New returns a client. A configuration that cannot work is reported by Ask.
func New(cfg Config) *Client {
	c := &Client{Config: cfg, http: &http.Client{}, encoders: map[string]Encoder{}}
	if cfg.HTTP != nil {
		h := *cfg.HTTP
		c.http = &h
	}
	if c.http.CheckRedirect == nil {
		c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	if c.MostWhole == 0 {
		c.MostWhole = mostWholeBody
	}
	return c
}

// Ask sends the request and returns when the answer's head is there. The error is
// always a *providers.Error: of class Network where no head came, Canceled where
// ctx ended first, else what Classify says. There is no timeout but ctx, which
// governs the reading of the answer too.
func (c *Client) Ask(ctx context.Context, req *providers.Request) (*Answer, error) {
	hr, err := c.request(ctx, req)
	if err != nil {
		return nil, c.scrub(&providers.Error{Class: providers.Invalid, Message: err.Error(), Cause: err})
	}
	resp, err := c.http.Do(hr)
	if err != nil {
		if ctx.Err() != nil {
			return nil, c.scrub(canceled(ctx, false))
		}
		return nil, c.scrub(&providers.Error{Class: providers.Network, Message: fmt.Sprintf("no answer from %s: %s", hr.URL.Host, reason(err)), Cause: err})
	}
	if resp.StatusCode/100 != 2 {
		defer resp.Body.Close()
		// What can be read of the body helps; that it breaks off changes nothing.
		body, _ := io.ReadAll(io.LimitReader(resp.Body, mostErrorBody))
		if ctx.Err() != nil {
			return nil, c.scrub(canceled(ctx, false))
		}
		if c.Key != "" {
			body = []byte(c.clean(string(body)))
		}
		return nil, c.scrub(c.Classify(resp.StatusCode, c.cleanHeader(resp.Header), body))
	}
	return &Answer{ctx: ctx, client: c, resp: resp, onBytes: req.OnBytes, asked: req.Stream}, nil
}

func (c *Client) request(ctx context.Context, req *providers.Request) (*http.Request, error) {
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("the base URL %q is not an http or https URL with a host, like %s", c.BaseURL, c.Example)
	}
	if strings.ContainsFunc(c.Key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return nil, errors.New("the API key contains a line break or another character that no header can carry; check how it was read")
	}
	path := c.Path
	if c.PathOf != nil {
		path = c.PathOf(req)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.BaseURL+path, bytes.NewReader(c.encode(req)))
	if err != nil {
		return nil, err
	}
	maps.Copy(r.Header, c.Header.Clone())
	r.Header.Set("Content-Type", "application/json")
	if c.BenchHeaders {
		r.Header.Set("X-Bench-Lane", lane(req))
		if req.Attempt != "" {
			r.Header.Set("X-Bench-Attempt", req.Attempt)
		}
	}
	return r, nil
}

func lane(req *providers.Request) string {
	if req.Lane == "" {
		return providers.LaneMain
	}
	return req.Lane
}

// encode returns the body in memory of its own: the transport may read it for
// longer than the call lasts.
func (c *Client) encode(req *providers.Request) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.encoders[lane(req)]
	if e == nil {
		e = c.Encoder()
		c.encoders[lane(req)] = e
	}
	return e.Encode(nil, req)
}

// scrub takes the key out of every text of e. Servers and proxies quote it.
func (c *Client) scrub(e *providers.Error) *providers.Error {
	e.Type, e.Message, e.RequestID, e.RetryAfter = c.clean(e.Type), c.clean(e.Message), c.clean(e.RequestID), c.clean(e.RetryAfter)
	if e.Cause != nil && c.clean(e.Cause.Error()) != e.Cause.Error() {
		e.Cause = scrubbed{c.clean(e.Cause.Error()), e.Cause}
	}
	return e
}

// clean takes the key out of a text.
func (c *Client) clean(s string) string { return secret(c.Key).clean(s) }

// cleanHeader takes it out of the values of a header, of which it makes a copy.
func (c *Client) cleanHeader(h http.Header) http.Header {
	h = h.Clone()
	for _, values := range h {
		for i, v := range values {
			values[i] = c.clean(v)
		}
	}
	return h
}

// scrubbed is an error whose text was cleaned. It does not unwrap, because what
// is below says the key; but that still answers errors.Is and errors.As.
type scrubbed struct {
	text string
	err  error
}

func (s scrubbed) Error() string        { return s.text }
func (s scrubbed) Is(target error) bool { return errors.Is(s.err, target) }
func (s scrubbed) As(target any) bool   { return errors.As(s.err, target) }
