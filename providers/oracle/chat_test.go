package oracle

import (
	"context"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/harnessbench/bench/providers"
)

func openaiClient(body string) sdk.Client {
	return sdk.NewClient(option.WithAPIKey("none"), option.WithBaseURL(nowhere), option.WithHTTPClient(client(body)), option.WithMaxRetries(0))
}

// readChat reads an answer as the SDK's documentation says: a stream by
// ChatCompletionAccumulator, chunk by chunk, until Err tells how it ended.
func readChat(body string) *turn {
	c := openaiClient(body)
	params := sdk.ChatCompletionNewParams{Model: "m", Messages: []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage("Hi")}}
	if isWhole(body) {
		m, err := c.Chat.Completions.New(context.Background(), params)
		if err != nil {
			return &turn{End: failed}
		}
		return chatTurn(m)
	}
	st := c.Chat.Completions.NewStreaming(context.Background(), params)
	defer st.Close()
	var acc sdk.ChatCompletionAccumulator
	for st.Next() {
		if !acc.AddChunk(st.Current()) {
			return &turn{End: failed}
		}
	}
	if st.Err() != nil {
		return &turn{End: failed}
	}
	return chatTurn(&acc.ChatCompletion)
}

func chatTurn(m *sdk.ChatCompletion) *turn {
	cached := m.Usage.PromptTokensDetails.CachedTokens
	t := &turn{End: well, Usage: providers.Usage{
		In: int(max(0, m.Usage.PromptTokens-cached)), Out: int(m.Usage.CompletionTokens), CacheRead: int(cached),
	}}
	if len(m.Choices) == 0 {
		return t
	}
	said := m.Choices[0].Message
	t.Texts = []string{said.Content, said.Refusal}
	t.joinTexts()
	for _, k := range said.ToolCalls {
		name, input := k.Function.Name, k.Function.Arguments
		if k.Type == "custom" {
			name, input = k.Custom.Name, k.Custom.Input
		}
		if input == "" {
			input = "{}"
		}
		t.Calls = append(t.Calls, call{ID: k.ID, Name: name, Input: canonical(input)})
	}
	reason := m.Choices[0].FinishReason
	switch {
	case said.Refusal != "" && reason != "":
		t.Stop = "refusal"
	case reason == "stop":
		t.Stop = "end_turn"
	case reason == "tool_calls", reason == "function_call":
		t.Stop = "tool_use"
	case reason == "length":
		t.Stop = "max_tokens"
	case reason == "content_filter":
		t.Stop = "refusal"
	default:
		t.Stop = reason
	}
	return t
}
