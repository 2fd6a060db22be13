package anthropic

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask"
)

const (
	// DefaultBaseURL is where the API lives.
	DefaultBaseURL = "https://api.anthropic.com"
	// DefaultVersion is the version of the API that this package speaks.
	DefaultVersion = "2023-06-01"
)

// Config says where and how to ask.
type Config struct {
	BaseURL string // without /v1/messages; "" means DefaultBaseURL
	APIKey  string // sent as x-api-key; "" sends none
	Version string // anthropic-version; "" means DefaultVersion

	// HTTP makes the calls; nil means a client of its own. A Timeout set in it
	// would cut long answers that are healthy (openai/codex p658): limits belong
	// to the context. Unless it has a redirect policy, redirects are not
	// followed, because net/http would hand the key to wherever they lead.
	HTTP *http.Client

	// BenchHeaders sends the request's lane and attempt as X-Bench-Lane and
	// X-Bench-Attempt, for a provider that is a test bench.
	BenchHeaders bool
}

// Client asks the Messages API. It implements providers.Provider and may be
// used by several goroutines at once.
type Client struct{ http *ask.Client }

// New returns a client. A configuration that cannot work is reported by Stream.
func New(cfg Config) *Client {
	header := http.Header{}
	header.Set("Anthropic-Version", cmp.Or(cfg.Version, DefaultVersion))
	if cfg.APIKey != "" {
		header.Set("X-Api-Key", cfg.APIKey)
	}
	return &Client{ask.New(ask.Config{
		BaseURL: strings.TrimRight(cmp.Or(cfg.BaseURL, DefaultBaseURL), "/"), Path: "/v1/messages", Example: DefaultBaseURL,
		Key: cfg.APIKey, Header: header, HTTP: cfg.HTTP, BenchHeaders: cfg.BenchHeaders,
		Encoder: func() ask.Encoder { return &Encoder{} }, Classify: Classify, DecodeMessage: DecodeMessage, RequestID: headID,
	})}
}

// Stream sends the request and returns when the answer's head is there. The
// error is always a *providers.Error: of class Network where no head came,
// Canceled where ctx ended first, else what Classify says. There is no timeout
// but ctx, which governs the reading of the answer too. To let the connection
// be used again, read behind MessageStop to io.EOF before Close.
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
		s.dec = &Decoder{src: s.Source()}
	}
	ev, err := s.dec.Next()
	if err != nil || ev.Kind == providers.Failure {
		err = s.Told(ev.Err, err)
	}
	return ev, err
}
