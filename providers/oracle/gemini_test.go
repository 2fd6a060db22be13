package oracle

import (
	"context"
	"encoding/base64"
	"encoding/json"

	sdk "google.golang.org/genai"

	"github.com/harnessbench/bench/providers"
)

// readGemini reads an answer with the SDK, chunk by chunk, until an error tells
// how it ended. The SDK has nothing that joins chunks: what they say stands one
// behind the other, and the last finish reason and the last usage count.
func readGemini(body string) *turn {
	ctx := context.Background()
	c, err := sdk.NewClient(ctx, &sdk.ClientConfig{
		APIKey: "none", Backend: sdk.BackendGeminiAPI, HTTPClient: client(body), HTTPOptions: sdk.HTTPOptions{BaseURL: nowhere},
	})
	if err != nil {
		panic(err)
	}
	once := false // or it asks again
	config := &sdk.GenerateContentConfig{AutomaticContinuation: &once}
	t := &turn{End: well}
	if isWhole(body) {
		m, err := c.Models.GenerateContent(ctx, "m", sdk.Text("Hi"), config)
		if err != nil {
			return &turn{End: failed}
		}
		addGemini(t, m)
	} else {
		for m, err := range c.Models.GenerateContentStream(ctx, "m", sdk.Text("Hi"), config) {
			if err != nil {
				return &turn{End: failed}
			}
			addGemini(t, m)
		}
	}
	t.joinTexts()
	return t
}

func addGemini(t *turn, m *sdk.GenerateContentResponse) {
	if u := m.UsageMetadata; u != nil {
		t.Usage = providers.Usage{
			In:  int(max(0, u.PromptTokenCount-u.CachedContentTokenCount) + u.ToolUsePromptTokenCount),
			Out: int(u.CandidatesTokenCount + u.ThoughtsTokenCount), CacheRead: int(u.CachedContentTokenCount),
		}
	}
	if f := m.PromptFeedback; f != nil && f.BlockReason != "" && f.BlockReason != sdk.BlockedReasonUnspecified {
		t.Stop = "refusal"
	}
	if len(m.Candidates) == 0 || m.Candidates[0].Index != 0 {
		return
	}
	said := m.Candidates[0]
	if said.Content != nil {
		for _, p := range said.Content.Parts {
			addPart(t, p)
		}
	}
	switch said.FinishReason {
	case "", sdk.FinishReasonUnspecified:
	case sdk.FinishReasonStop:
		t.Stop = "end_turn"
	case sdk.FinishReasonMaxTokens:
		t.Stop = "max_tokens"
	case sdk.FinishReasonSafety, sdk.FinishReasonRecitation, sdk.FinishReasonBlocklist, sdk.FinishReasonProhibitedContent, sdk.FinishReasonSPII, "MODEL_ARMOR":
		t.Stop = "refusal"
	default:
		t.Stop = string(said.FinishReason)
	}
}

func addPart(t *turn, p *sdk.Part) {
	if len(p.ThoughtSignature) > 0 {
		t.Signed = append(t.Signed, base64.StdEncoding.EncodeToString(p.ThoughtSignature))
	}
	input := func(args map[string]any) string {
		if args == nil {
			return "{}"
		}
		b, _ := json.Marshal(args)
		return canonical(string(b))
	}
	switch {
	case p.FunctionCall != nil:
		f := p.FunctionCall
		t.Calls = append(t.Calls, call{ID: f.ID, Name: f.Name, Input: input(f.Args), Open: f.WillContinue != nil && *f.WillContinue})
	case p.ToolCall != nil:
		t.Calls = append(t.Calls, call{ID: p.ToolCall.ID, Name: string(p.ToolCall.ToolType), Input: input(p.ToolCall.Args), Server: true})
	case p.Thought:
		t.Thinking = append(t.Thinking, p.Text)
	case p.Text != "":
		t.Texts = append(t.Texts, p.Text)
	default:
		b, _ := json.Marshal(p)
		rest, _ := split(string(b))
		if s := canonical(rest); s != "{}" {
			t.Other = append(t.Other, s)
		}
	}
}
