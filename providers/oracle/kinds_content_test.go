package oracle

import (
	"strings"

	"github.com/harnessbench/bench/providers"
)

// contentKinds are about words, thoughts, the stop reason and what was counted.
func contentKinds() []kind {
	return []kind{{
		name: "thoughts-untyped", apis: []api{chat}, right: theCodec, recorded: true,
		what:  "does not know `reasoning_content`, `reasoning` and `reasoning_details`: they stand among the extra fields of a chunk, and are not collected",
		codec: "tells thinking, and the details as its signature",
		why:   "they are not OpenAI's, but a hundred servers send them, and some want them back",
		reads: func(t *turn, body string) {
			var said strings.Builder
			details := false
			for _, c := range choices(body) {
				text := c.said.Get("reasoning_content").String()
				if text == "" {
					text = c.said.Get("reasoning").String()
				}
				said.WriteString(text)
				details = details || c.said.Get("reasoning_details").IsArray() || c.said.Get("content").IsArray()
			}
			if details || said.String() == strings.Join(t.Thinking, "") {
				t.Thinking, t.Signed = nil, nil
			}
		},
	}, {
		name: "content-in-parts", apis: []api{chat}, right: theCodec,
		what:  "takes content that is a list for its own JSON text: the user reads `[{\"type\":\"text\",...`",
		codec: "tells the text of its parts",
		why:   "Mistral's reasoning models send it so",
		reads: func(t *turn, body string) {
			var all strings.Builder
			lists := false
			for _, c := range choices(body) {
				lists = lists || c.said.Get("content").IsArray()
				all.WriteString(c.said.Get("content").String())
			}
			if lists {
				t.Texts = []string{all.String()}
			}
		},
	}, {
		name: "message-in-a-chunk", apis: []api{chat}, right: theCodec,
		what:  "does not see a whole message where a chunk should have a delta",
		codec: "reads it",
		why:   "servers that do not stream answer a request for a stream so",
		sees: func(body string) string {
			return keep(body, func(f *frame) bool {
				f.data = strings.ReplaceAll(f.data, `"message":{`, `"delta":{},"_":{`)
				return true
			})
		},
	}, {
		name: "part-unknown", apis: []api{gemini}, right: theCodec,
		what:  "hands on an empty part where it does not know what one is",
		codec: "hands on its JSON",
		why:   "what the model said has to go back as it came",
		reads: func(t *turn, _ string) {
			for i := len(t.Other) - 1; i >= 0; i-- {
				if !strings.Contains(t.Other[i], `"executableCode"`) && !strings.Contains(t.Other[i], `"codeExecutionResult"`) &&
					!strings.Contains(t.Other[i], `"inlineData"`) && !strings.Contains(t.Other[i], `"toolResponse"`) {
					t.Other = append(t.Other[:i:i], t.Other[i+1:]...)
				}
			}
		},
	}, {
		name: "stop-taken-back", apis: []api{messages, chat}, right: theCodec, recorded: true,
		what:  "forgets the stop reason when a later event says null: the answer ends without one",
		codec: "tells each reason when it comes; null is none",
		why:   "OpenRouter and others send a chunk of usage behind the reason, with a choice whose reason is null",
		reads: func(t *turn, body string) {
			if isWhole(body) || t.End == failed {
				return
			}
			last := t.Stop != ""
			for _, c := range choices(body) {
				last = c.finish.String() != ""
			}
			for _, f := range frames(body) {
				if f.name == "message_delta" {
					last = f.get("delta.stop_reason").String() != ""
				}
			}
			if !last {
				t.Stop = ""
			}
		},
	}, {
		name: "usage-set-to-0", apis: []api{messages}, right: theCodec,
		what:  "sets the tokens of the answer to 0 when a `message_delta` has no usage",
		codec: "keeps what was counted before",
		why:   "the reference says that the counts are cumulative: one that is left out has not changed",
		reads: func(t *turn, body string) {
			if isWhole(body) || t.End == failed {
				return
			}
			for _, f := range frames(body) {
				if f.name == "message_delta" {
					t.Usage.Out = int(f.get("usage.output_tokens").Int())
				}
			}
		},
	}, {
		name: "cache-writes-unknown", apis: []api{chat, responses}, right: theCodec, recorded: true,
		what:  "counts tokens that were written to a cache as plain tokens of the prompt",
		codec: "tells them apart",
		why:   "OpenRouter's `cache_write_tokens`; they cost more than others",
		reads: func(t *turn, _ string) {
			t.Usage.In += t.Usage.CacheWrite
			t.Usage.CacheWrite = 0
		},
	}, {
		name: "usage-elsewhere", apis: []api{chat}, right: theCodec, recorded: true,
		what:  "does not see what Groq counted, which stands in `x_groq`",
		codec: "reads it",
		why:   "without it nothing is known of the context's size",
		reads: func(t *turn, body string) {
			groq, own := false, false
			for _, f := range frames(body) {
				groq = groq || f.get("x_groq.usage").IsObject()
				own = own || f.get("usage").IsObject()
			}
			if groq && !own {
				t.Usage = providers.Usage{}
			}
		},
	}, {
		name: "usage-summed", apis: []api{chat}, right: theCodec, recorded: true,
		what:  "adds up the counts of all chunks: a server that counts in every chunk has used a hundred prompts",
		codec: "takes the last report",
		why:   "the reference has one chunk with usage, for the whole request; servers that send more repeat what they counted so far",
		reads: func(t *turn, body string) {
			if t.End == failed {
				return
			}
			n := 0
			var in, out, cached int64
			for _, f := range frames(body) {
				if u := f.get("usage"); u.IsObject() {
					n++
					in += u.Get("prompt_tokens").Int()
					out += u.Get("completion_tokens").Int()
					cached += u.Get("prompt_tokens_details.cached_tokens").Int()
				}
			}
			if n > 1 {
				t.Usage = providers.Usage{In: int(max(0, in-cached)), Out: int(out), CacheRead: int(cached)}
			}
		},
	}, {
		name: "usage-of-the-last-chunk", apis: []api{gemini}, right: either,
		what:  "tells the last report as it is: a count that it leaves out is 0",
		codec: "keeps a count that a later report leaves out",
		why:   "each report is the running total, and 0 is written by leaving it out; no recording has a count that goes back",
		reads: func(t *turn, body string) {
			for _, f := range frames(body) {
				if u := f.get("usageMetadata"); u.Exists() && t.End != failed {
					cached := u.Get("cachedContentTokenCount").Int()
					t.Usage = providers.Usage{
						In:        int(max(0, u.Get("promptTokenCount").Int()-cached) + u.Get("toolUsePromptTokenCount").Int()),
						Out:       int(u.Get("candidatesTokenCount").Int() + u.Get("thoughtsTokenCount").Int()),
						CacheRead: int(cached),
					}
				}
			}
		},
	}}
}
