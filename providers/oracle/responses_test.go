package oracle

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3/packages/param"
	sdk "github.com/openai/openai-go/v3/responses"

	"github.com/harnessbench/bench/providers"
)

// readResponses reads an answer with the SDK: a stream by ResponseAccumulator,
// event by event, until Err tells how it ended. What the answer is, says the
// accumulator's reconstruction of the terminal event; without one, what was
// collected until then.
func readResponses(body string) *turn {
	c := openaiClient(body)
	params := sdk.ResponseNewParams{Model: "m", Input: sdk.ResponseNewParamsInputUnion{OfString: param.NewOpt("Hi")}}
	if isWhole(body) {
		m, err := c.Responses.New(context.Background(), params)
		if err != nil {
			return &turn{End: failed}
		}
		return responseTurn(m, well)
	}
	st := c.Responses.NewStreaming(context.Background(), params)
	defer st.Close()
	var acc sdk.ResponseAccumulator
	for st.Next() {
		raw := st.Current().RawJSON()
		var ev sdk.ResponsesServerEventUnion
		if json.Unmarshal([]byte(raw), &ev) != nil || acc.AddEvent(ev) != nil {
			return &turn{End: failed}
		}
	}
	if st.Err() != nil {
		return &turn{End: failed}
	}
	if m, err := acc.ReconstructedResponse(); err == nil {
		return responseTurn(m, well)
	}
	m, err := collected(acc.DetailedSnapshot())
	if err != nil {
		return &turn{End: failed}
	}
	return responseTurn(m, early)
}

// collected is a response of what an accumulator has until now.
func collected(s sdk.ResponseAccumulatorDetails) (*sdk.Response, error) {
	fields := maps.Clone(s.Response)
	if fields == nil {
		fields = map[string]json.RawMessage{}
	}
	items := []any{}
	for _, o := range s.Output {
		item := map[string]any{}
		for name, v := range o.Item {
			item[name] = v
		}
		if len(o.Content) > 0 {
			parts := []any{}
			for _, i := range slices.Sorted(maps.Keys(o.Content)) {
				parts = append(parts, o.Content[i])
			}
			item["content"] = parts
		}
		items = append(items, item)
	}
	fields["output"], _ = json.Marshal(items)
	all, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	m := new(sdk.Response)
	return m, json.Unmarshal(all, m)
}

func responseTurn(m *sdk.Response, e end) *turn {
	if m.Status == "failed" || m.Error.Message != "" {
		return &turn{End: failed}
	}
	cached := m.Usage.InputTokensDetails.CachedTokens
	t := &turn{End: e, Usage: providers.Usage{
		In: int(max(0, m.Usage.InputTokens-cached)), Out: int(m.Usage.OutputTokens), CacheRead: int(cached),
	}}
	refused, called := false, false
	for _, it := range m.Output {
		switch it.Type {
		case "message":
			for _, p := range it.Content {
				switch p.Type {
				case "output_text":
					t.Texts = append(t.Texts, p.Text)
				case "refusal":
					refused = refused || p.Refusal != ""
					t.Texts = append(t.Texts, p.Refusal)
				}
			}
		case "reasoning":
			var text strings.Builder
			for _, p := range it.Summary {
				text.WriteString(p.Text)
			}
			for _, p := range it.Content {
				text.WriteString(p.Text)
			}
			t.Thinking = append(t.Thinking, text.String())
			if it.EncryptedContent != "" {
				t.Signed = append(t.Signed, canonical(it.RawJSON()))
			}
		case "function_call", "custom_tool_call":
			called = true
			input := it.Arguments.OfString
			if it.Type == "custom_tool_call" {
				input = it.Input
			}
			open := it.Status == "in_progress" || it.Status == "incomplete"
			if input == "" && !open {
				input = "{}"
			}
			t.Calls = append(t.Calls, call{ID: it.CallID, Name: it.Name, Input: canonical(input), Open: open})
		default:
			t.Other = append(t.Other, canonical(it.RawJSON()))
		}
	}
	if e == early {
		return t
	}
	switch {
	case m.Status == "incomplete" && m.IncompleteDetails.Reason == "max_output_tokens" && !refused:
		t.Stop = "max_tokens"
	case refused, m.IncompleteDetails.Reason == "content_filter":
		t.Stop = "refusal"
	case m.Status == "incomplete" && m.IncompleteDetails.Reason != "":
		t.Stop = string(m.IncompleteDetails.Reason)
	case m.Status != "completed" && m.Status != "":
		t.Stop = string(m.Status)
	case called:
		t.Stop = "tool_use"
	default:
		t.Stop = "end_turn"
	}
	return t
}
