package oracle

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/anthropic"
	geminicodec "github.com/harnessbench/bench/providers/gemini"
	"github.com/harnessbench/bench/providers/openai"
)

// api is one of the APIs that a vendor's SDK speaks too.
type api string

const (
	messages  api = "messages"
	chat      api = "chat"
	responses api = "responses"
	gemini    api = "gemini"
)

const nowhere = "http://oracle.invalid/v1"

// answered is the network: every request gets the same bytes.
type answered struct{ body string }

func (a answered) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		io.Copy(io.Discard, req.Body)
		req.Body.Close()
	}
	typ := "text/event-stream"
	if isWhole(a.body) {
		typ = "application/json"
	}
	return &http.Response{
		Status: "200 OK", StatusCode: 200, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Content-Type": {typ}}, Body: io.NopCloser(strings.NewReader(a.body)), ContentLength: -1,
	}, nil
}

func client(body string) *http.Client { return &http.Client{Transport: answered{body}} }

// isWhole reports whether an answer is one JSON object and no stream.
func isWhole(body string) bool { return bytes.HasPrefix(bytes.TrimSpace([]byte(body)), []byte("{")) }

// ours reads an answer with the codec.
func ours(api api, body string) *turn {
	var p providers.Provider
	switch api {
	case messages:
		p = anthropic.New(anthropic.Config{BaseURL: nowhere, HTTP: client(body)})
	case chat:
		p = openai.Chat.New(openai.Config{BaseURL: nowhere, HTTP: client(body)})
	case responses:
		p = openai.Responses.New(openai.Config{BaseURL: nowhere, HTTP: client(body)})
	case gemini:
		p = geminicodec.New(geminicodec.Config{BaseURL: nowhere, HTTP: client(body)})
	}
	st, err := p.Stream(context.Background(), &providers.Request{
		Model: "m", MaxTokens: 16, Stream: !isWhole(body),
		Messages: []providers.Message{{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: "Hi"}}}},
	})
	if err != nil {
		return &turn{End: failed, why: err.Error()}
	}
	return fold(st, api)
}

// theirs reads it with the vendor's SDK.
func theirs(api api, body string) *turn {
	switch api {
	case messages:
		return readMessages(body)
	case chat:
		return readChat(body)
	case responses:
		return readResponses(body)
	}
	return readGemini(body)
}
