package oracle

import (
	"context"
	"errors"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/harnessbench/bench/providers"
)

// readMessages reads an answer as the SDK's documentation says: a stream by
// Message.Accumulate, event by event, until Err tells how it ended.
func readMessages(body string) *turn {
	c := sdk.NewClient(option.WithAPIKey("none"), option.WithBaseURL(nowhere), option.WithHTTPClient(client(body)), option.WithMaxRetries(0))
	params := sdk.MessageNewParams{MaxTokens: 16, Model: "m", Messages: []sdk.MessageParam{sdk.NewUserMessage(sdk.NewTextBlock("Hi"))}}
	if isWhole(body) {
		m, err := c.Messages.New(context.Background(), params)
		if err != nil {
			return messagesFailed(err)
		}
		return messageTurn(m)
	}
	st := c.Messages.NewStreaming(context.Background(), params)
	defer st.Close()
	var m sdk.Message
	for st.Next() {
		if err := m.Accumulate(st.Current()); err != nil {
			return messagesFailed(err)
		}
	}
	if err := st.Err(); err != nil {
		return messagesFailed(err)
	}
	return messageTurn(&m)
}

func messagesFailed(err error) *turn {
	t := &turn{End: failed}
	if e := new(sdk.Error); errors.As(err, &e) && e.StatusCode == http.StatusOK {
		t.Err = string(e.Type())
	}
	return t
}

func messageTurn(m *sdk.Message) *turn {
	t := &turn{End: well, Stop: string(m.StopReason), Usage: providers.Usage{
		In: int(m.Usage.InputTokens), Out: int(m.Usage.OutputTokens),
		CacheRead: int(m.Usage.CacheReadInputTokens), CacheWrite: int(m.Usage.CacheCreationInputTokens),
	}}
	for _, b := range m.Content {
		switch b.Type {
		case "text":
			t.Texts = append(t.Texts, b.Text)
		case "thinking":
			t.Thinking = append(t.Thinking, b.Thinking)
			if b.Signature != "" {
				t.Signed = append(t.Signed, b.Signature)
			}
		case "tool_use", "server_tool_use", "mcp_tool_use":
			t.Calls = append(t.Calls, call{ID: b.ID, Name: b.Name, Input: canonical(string(b.Input)), Server: b.Type != "tool_use"})
		default:
			t.Other = append(t.Other, canonical(b.RawJSON()))
		}
	}
	return t
}
