package gemini

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask"
)

// DefaultBaseURL is where the API lives.
const DefaultBaseURL = "https://generativelanguage.googleapis.com/v1beta"

// Config says where and how to ask.
type Config struct {
	// BaseURL is what /models/... follows: with the version, and for Vertex up to
	// the publisher. "" means DefaultBaseURL.
	BaseURL string
	APIKey  string // sent as x-goog-api-key, never in the URL; "" sends none

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

// Client asks the API. It implements providers.Provider and may be used by
// several goroutines at once.
type Client struct{ http *ask.Client }

// New returns a client. A configuration that cannot work is reported by Stream.
func New(cfg Config) *Client {
	header := http.Header{}
	if cfg.APIKey != "" {
		header.Set("X-Goog-Api-Key", cfg.APIKey)
	}
	return &Client{ask.New(ask.Config{
		BaseURL: cmp.Or(strings.TrimRight(cfg.BaseURL, "/"), DefaultBaseURL), PathOf: PathOf, Lists: true, Example: DefaultBaseURL,
		Key: cfg.APIKey, Header: header, HTTP: cfg.HTTP, BenchHeaders: cfg.BenchHeaders,
		Encoder: func() ask.Encoder { return &Encoder{Options: cfg.Options} }, Classify: Classify, DecodeMessage: DecodeMessage, RequestID: headID,
	})}
}

// Stream sends the request and returns when the answer's head is there. The
// error is always a *providers.Error: of class Network where no head came,
// Canceled where ctx ended first, else what Classify says. There is no timeout
// but ctx, which governs the reading of the answer too. To let the connection
// be used again, read to io.EOF before Close.
func (c *Client) Stream(ctx context.Context, req *providers.Request) (providers.Stream, error) {
	a, err := c.http.Ask(ctx, req)
	if err != nil {
		return nil, err
	}
	return &stream{Answer: a}, nil
}

// stream is an answer being read; see package ask.
type stream struct {
	*ask.Answer
	dec *Decoder
}

func (s *stream) Next() (providers.Event, error) {
	if !s.Streams() {
		return s.Answer.Next()
	}
	if s.dec == nil {
		s.dec = newDecoder(s.Source())
	}
	ev, err := s.dec.Next()
	if err != nil || ev.Kind == providers.Failure {
		err = s.Told(ev.Err, err)
	}
	return ev, err
}
