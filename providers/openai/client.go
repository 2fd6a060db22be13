package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/harnessbench/bench/providers"
)

const (
	// DefaultBaseURL is where the API lives.
	DefaultBaseURL = "https://api.openai.com/v1"

	mostErrorBody = 64 << 10 // read of an error's body
	mostWholeBody = 64 << 20 // read of an answer that is no stream
)

// Config says where and how to ask.
type Config struct {
	// BaseURL is what /chat/completions or /responses follows: with the version,
	// as every server's documentation writes it. "" means DefaultBaseURL.
	BaseURL string
	APIKey  string // sent as a bearer token; "" sends none

	// HTTP makes the calls; nil means a client of its own. A Timeout set in it
	// would cut long answers that are healthy (openai/codex p658): limits belong
	// to the context. Unless it has a redirect policy, redirects are not
	// followed, because net/http would hand the key to wherever they lead.
	HTTP *http.Client

	// BenchHeaders sends the request's lane and attempt as X-Bench-Lane and
	// X-Bench-Attempt, for a provider that is a test bench.
	BenchHeaders bool

	Options Options
}

// Client asks one of the APIs. It implements providers.Provider and may be used
// by several goroutines at once.
type Client struct {
	api       API
	base, key string
	http      *http.Client
	bench     bool
	options   Options
	mostWhole int64

	mu       sync.Mutex
	encoders map[string]*Encoder // by lane: the lanes of a loop are conversations of their own
}

func newClient(a API, cfg Config) *Client {
	c := &Client{api: a, base: strings.TrimRight(cfg.BaseURL, "/"), key: cfg.APIKey, bench: cfg.BenchHeaders, options: cfg.Options,
		mostWhole: mostWholeBody, http: &http.Client{}, encoders: map[string]*Encoder{}}
	if cfg.HTTP != nil {
		h := *cfg.HTTP
		c.http = &h
	}
	if c.http.CheckRedirect == nil {
		c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	if c.base == "" {
		c.base = DefaultBaseURL
	}
	return c
}

// Stream sends the request and returns when the answer's head is there. The
// error is always a *providers.Error: of class Network where no head came,
// Canceled where ctx ended first, else what Classify says. There is no timeout
// but ctx, which governs the reading of the answer too. To let the connection
// be used again, read behind MessageStop to io.EOF before Close.
func (c *Client) Stream(ctx context.Context, req *providers.Request) (providers.Stream, error) {
	hr, err := c.request(ctx, req)
	if err != nil {
		return nil, c.scrub(&providers.Error{Class: providers.Invalid, Message: err.Error(), Cause: err})
	}
	resp, err := c.http.Do(hr)
	if err != nil {
		if ctx.Err() != nil {
			return nil, canceled(ctx, false)
		}
		return nil, c.scrub(&providers.Error{Class: providers.Network, Message: fmt.Sprintf("no answer from %s: %s", hr.URL.Host, reason(err)), Cause: err})
	}
	if resp.StatusCode/100 != 2 {
		defer resp.Body.Close()
		// What can be read of the body helps; that it breaks off changes nothing.
		body, _ := io.ReadAll(io.LimitReader(resp.Body, mostErrorBody))
		if ctx.Err() != nil {
			return nil, canceled(ctx, false)
		}
		if c.key != "" {
			body = bytes.ReplaceAll(body, []byte(c.key), []byte(removed))
		}
		return nil, c.scrub(Classify(resp.StatusCode, resp.Header, body))
	}
	return newAnswer(ctx, c, req, resp), nil
}

func (c *Client) request(ctx context.Context, req *providers.Request) (*http.Request, error) {
	u, err := url.Parse(c.base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("the base URL %q is not an http or https URL with a host, like %s", c.base, DefaultBaseURL)
	}
	if strings.ContainsFunc(c.key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return nil, errors.New("the API key contains a line break or another character that no header can carry; check how it was read")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+c.api.path(), bytes.NewReader(c.encode(req)))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	if c.bench {
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
		e = &Encoder{API: c.api, Options: c.options}
		c.encoders[lane(req)] = e
	}
	return e.Encode(nil, req)
}

const removed = "[API key removed]"

// scrub takes the key out of every text of e. Servers and proxies quote it.
func (c *Client) scrub(e *providers.Error) *providers.Error {
	e.Type, e.Message, e.RequestID, e.RetryAfter = c.clean(e.Type), c.clean(e.Message), c.clean(e.RequestID), c.clean(e.RetryAfter)
	if e.Cause != nil && c.clean(e.Cause.Error()) != e.Cause.Error() {
		e.Cause = scrubbed{c.clean(e.Cause.Error()), e.Cause}
	}
	return e
}

func (c *Client) clean(s string) string {
	if c.key == "" {
		return s
	}
	return strings.ReplaceAll(s, c.key, removed)
}

// scrubbed is an error whose text was cleaned; what it wraps still answers
// errors.Is and errors.As.
type scrubbed struct {
	text string
	err  error
}

func (s scrubbed) Error() string { return s.text }
func (s scrubbed) Unwrap() error { return s.err }

func canceled(ctx context.Context, inStream bool) *providers.Error {
	cause := context.Cause(ctx)
	return &providers.Error{Class: providers.Canceled, Message: cause.Error(), InStream: inStream, Cause: cause}
}
