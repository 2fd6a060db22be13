// Package protocol is the list of wire protocols that this module speaks, and
// for each of them its codec, under one name everywhere: in scenarios
// (`protocol chat`), in the agent's flags and in evidence.
//
//	p, err := protocol.Named("chat")
//	client := p.Client(protocol.Config{BaseURL: url, APIKey: key})
//
//	p := protocol.Of(exchange.Path) // whoever reads a wire log
//	req, err := p.DecodeRequest(exchange.Path, exchange.Body)
//
// A new protocol is one more entry of All.
package protocol

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/anthropic"
	"github.com/harnessbench/bench/providers/gemini"
	"github.com/harnessbench/bench/providers/openai"
)

// The names.
const (
	Anthropic = "anthropic" // the Messages API
	Chat      = "chat"      // OpenAI's Chat Completions, and all that imitate it
	Responses = "responses" // OpenAI's Responses
	Gemini    = "gemini"    // Google's generateContent and streamGenerateContent
)

// Config says where and how a client asks.
type Config struct {
	// BaseURL is what the protocol's own path follows; "" is the vendor's.
	BaseURL string
	APIKey  string
	// HTTP makes the calls; nil means a client of its own.
	HTTP *http.Client
	// BenchHeaders sends the request's lane and attempt as X-Bench-Lane and
	// X-Bench-Attempt, for a provider that is a test bench.
	BenchHeaders bool
}

// Stream yields the events of one answer, and io.EOF or a *providers.Error
// behind them.
type Stream interface {
	Next() (providers.Event, error)
}

// Protocol is one wire protocol. It is never changed.
type Protocol struct {
	Name string
	// Root is what stands between a server's address and the protocol's own
	// path: "/v1" where clients want the version in their base URL.
	Root string
	// Vendor is the base URL of whoever made the protocol, KeyVar and BaseVar the
	// environment's variables that its own clients read a key and a base URL from.
	Vendor, KeyVar, BaseVar string

	// Client returns a provider that asks over HTTP.
	Client func(Config) providers.Provider
	// Decoder reads the bytes of a stream.
	Decoder func(io.Reader) Stream
	// DecodeMessage reads a whole answer.
	DecodeMessage func([]byte) ([]providers.Event, error)
	// DecodeRequest reads a request as a server sees it. The path is the
	// request's: some protocols have the model there.
	DecodeRequest func(path string, body []byte) (*providers.Request, error)
	// EncodeRequest appends a request's body.
	EncodeRequest func([]byte, *providers.Request) []byte
	// Classify tells what an HTTP answer means that is not a success.
	Classify func(status int, header http.Header, body []byte) *providers.Error

	// Endless: its streams have no terminal event; a clean end of the bytes behind
	// a stop reason is one.
	Endless bool

	// serves reports whether a path, without its query, is the protocol's own.
	serves func(path string) bool
}

// all is the closed list.
var all = []*Protocol{messages(), openAI(Chat, openai.Chat), openAI(Responses, openai.Responses), google()}

// All returns the protocols, that of the Messages API first.
func All() []*Protocol { return slices.Clone(all) }

// Names returns the protocols' names.
func Names() []string {
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
	}
	return names
}

// Named returns the protocol of that name.
func Named(name string) (*Protocol, error) {
	for _, p := range all {
		if p.Name == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("there is no protocol %q: it is one of %s", name, strings.Join(Names(), ", "))
}

// Of returns the protocol in which a request to that path is asked; nil where
// it is none of them. A path that is empty is that of the Messages API: so it
// stands in evidence written by hand.
func Of(path string) *Protocol {
	path, _, _ = strings.Cut(path, "?")
	for _, p := range all {
		if p.serves(path) {
			return p
		}
	}
	return nil
}

func messages() *Protocol {
	return &Protocol{
		Name: Anthropic, Vendor: anthropic.DefaultBaseURL, KeyVar: "ANTHROPIC_API_KEY", BaseVar: "ANTHROPIC_BASE_URL",
		Client: func(c Config) providers.Provider {
			return anthropic.New(anthropic.Config{BaseURL: c.BaseURL, APIKey: c.APIKey, HTTP: c.HTTP, BenchHeaders: c.BenchHeaders})
		},
		Decoder:       func(r io.Reader) Stream { return anthropic.NewDecoder(r) },
		DecodeMessage: anthropic.DecodeMessage,
		DecodeRequest: func(_ string, body []byte) (*providers.Request, error) { return anthropic.DecodeRequest(body) },
		EncodeRequest: anthropic.EncodeRequest,
		Classify:      anthropic.Classify,
		serves:        func(path string) bool { return path == "" || strings.HasSuffix(path, "/messages") },
	}
}

func openAI(name string, api openai.API) *Protocol {
	end := map[string]string{Chat: "/chat/completions", Responses: "/responses"}[name]
	return &Protocol{
		Name: name, Root: "/v1", Vendor: openai.DefaultBaseURL, KeyVar: "OPENAI_API_KEY", BaseVar: "OPENAI_BASE_URL",
		Client: func(c Config) providers.Provider {
			return api.New(openai.Config{BaseURL: c.BaseURL, APIKey: c.APIKey, HTTP: c.HTTP, BenchHeaders: c.BenchHeaders})
		},
		Decoder:       func(r io.Reader) Stream { return api.NewDecoder(r) },
		DecodeMessage: api.DecodeMessage,
		DecodeRequest: func(_ string, body []byte) (*providers.Request, error) { return api.DecodeRequest(body) },
		EncodeRequest: api.EncodeRequest,
		Classify:      openai.Classify,
		serves:        func(path string) bool { return strings.HasSuffix(path, end) },
	}
}

func google() *Protocol {
	return &Protocol{
		Name: Gemini, Endless: true, Root: "/v1beta", Vendor: gemini.DefaultBaseURL, KeyVar: "GEMINI_API_KEY", BaseVar: "GEMINI_BASE_URL",
		Client: func(c Config) providers.Provider {
			return gemini.New(gemini.Config{BaseURL: c.BaseURL, APIKey: c.APIKey, HTTP: c.HTTP, BenchHeaders: c.BenchHeaders})
		},
		Decoder:       func(r io.Reader) Stream { return gemini.NewDecoder(r) },
		DecodeMessage: gemini.DecodeMessage,
		DecodeRequest: func(path string, body []byte) (*providers.Request, error) {
			req, err := gemini.DecodeRequest(body)
			if err == nil {
				m, _ := gemini.ReadPath(path)
				req.Model, req.Stream = m.Model, m.Stream
			}
			return req, err
		},
		EncodeRequest: gemini.EncodeRequest,
		Classify:      gemini.Classify,
		serves: func(path string) bool {
			_, ok := gemini.ReadPath(path)
			return ok
		},
	}
}
