package openai

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask"
)

// DefaultBaseURL is where the API lives.
const DefaultBaseURL = "https://api.openai.com/v1"

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
	api  API
	http *ask.Client
}

func newClient(a API, cfg Config) *Client {
	header := http.Header{}
	if cfg.APIKey != "" {
		header.Set("Authorization", "Bearer "+cfg.APIKey)
	}
	return &Client{a, ask.New(ask.Config{
		BaseURL: cmp.Or(strings.TrimRight(cfg.BaseURL, "/"), DefaultBaseURL), Path: a.path(), Example: DefaultBaseURL,
		Key: cfg.APIKey, Header: header, HTTP: cfg.HTTP, BenchHeaders: cfg.BenchHeaders,
		Encoder: func() ask.Encoder { return &Encoder{API: a, Options: cfg.Options} }, Classify: Classify, DecodeMessage: a.DecodeMessage, RequestID: requestID,
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
	return &answer{Answer: a, api: c.api}, nil
}

// answer is an answer being read; see package ask.
type answer struct {
	*ask.Answer
	api API
	dec *Decoder
}

func (a *answer) Next() (providers.Event, error) {
	if !a.Streams() {
		return a.Answer.Next()
	}
	if a.dec == nil {
		a.dec = newDecoder(a.api, a.Source())
	}
	ev, err := a.dec.Next()
	if err != nil || ev.Kind == providers.Failure {
		err = a.Told(ev.Err, err)
	}
	return ev, err
}
