package fake

import "github.com/harnessbench/bench/providers"

// chatStream writes an answer as chunks.
type chatStream struct {
	framer
	a       answering
	calls   int
	refused bool
}

// chunk writes a chunk. choice writes its one choice's delta; nil: it has none.
func (s *chatStream) chunk(finish string, delta func()) {
	s.begin("")
	s.b.put(`{"id":`)
	s.b.quote(s.a.itemID("chatcmpl", 0))
	s.b.put(`,"object":"chat.completion.chunk","created":`, openaiCreated, `,"model":`)
	s.b.quote(s.a.model)
	s.b.put(`,"service_tier":"default","system_fingerprint":"fp_bench","choices":[`)
	if delta != nil {
		s.b.put(`{"index":0,"delta":{`)
		delta()
		s.b.put(`},"logprobs":null,"finish_reason":`)
		putOrNull(s.b, finish)
		s.b.put(`}],"usage":null}`)
	} else {
		s.b.put(`],"usage":`)
		putChatUsage(s.b, s.a.usage)
		s.b.put(`}`)
	}
	s.finish()
}

// piece writes a chunk with one piece of text.
func (s *chatStream) piece(member, text string) {
	s.chunk("", func() {
		s.b.put(`"`, member, `":`)
		s.b.quote(text)
	})
}

func (s *chatStream) open() {
	s.chunk("", func() { s.b.put(`"role":"assistant","content":"","refusal":null`) })
}

func (s *chatStream) text(deltas []string, _ bool) {
	for _, d := range deltas {
		s.piece("content", d)
	}
}

func (s *chatStream) think(deltas []string, _ string, _ bool) {
	for _, d := range deltas {
		s.piece("reasoning_content", d)
	}
}

// call writes a call as OpenAI does: the first chunk has its id and name and an
// empty input.
func (s *chatStream) call(id, name string, pieces []string, _, _ bool) {
	s.chunk("", func() {
		s.b.put(`"tool_calls":[{"index":`)
		s.b.int(s.calls)
		s.b.put(`,"id":`)
		s.b.quote(id)
		s.b.put(`,"type":"function","function":{"name":`)
		s.b.quote(name)
		s.b.put(`,"arguments":""}}]`)
	})
	for _, p := range pieces {
		if p == "" {
			continue
		}
		s.chunk("", func() {
			s.b.put(`"tool_calls":[{"index":`)
			s.b.int(s.calls)
			s.b.put(`,"function":{"arguments":`)
			s.b.quote(p)
			s.b.put(`}}]`)
		})
	}
	s.calls++
}

func (s *chatStream) refusal(text string) {
	if text != "" {
		s.refused = true
		s.piece("refusal", text)
	}
}

// stop writes the reason and, where the request asks for it, the tokens.
func (s *chatStream) stop(reason string) {
	if reason == stopNone {
		return
	}
	s.chunk(chatStop(reason, s.refused), func() {})
	if s.a.form.usage {
		s.chunk("", nil)
	}
}

func (s *chatStream) close() { s.event("", "[DONE]") }
func (s *chatStream) ping()  { s.comment("keep-alive") } // as DeepSeek; the API has no event for it

func (s *chatStream) failure(typ, message string) {
	s.begin("")
	putOpenaiError(s.b, openaiWords(0, typ, message))
	s.finish()
}

func (s *chatStream) frame(data string) { s.event("", data) }

// putOpenaiError writes an error inside a stream.
func putOpenaiError(b *builder, e wireError) {
	b.put(`{"error":{"message":`)
	b.quote(e.message)
	b.put(`,"type":`)
	b.quote(e.typ)
	b.put(`,"param":null,"code":`)
	putOrNull(b, e.code)
	b.put(`}}`)
}

// putChatUsage writes the token counts as the API does: those of the prompt
// include what came from a cache.
func putChatUsage(b *builder, u providers.Usage) {
	in := u.In + u.CacheRead + u.CacheWrite
	b.put(`{"prompt_tokens":`)
	b.int(in)
	b.put(`,"completion_tokens":`)
	b.int(u.Out)
	b.put(`,"total_tokens":`)
	b.int(in + u.Out)
	b.put(`,"prompt_tokens_details":{"cached_tokens":`)
	b.int(u.CacheRead)
	if u.CacheWrite > 0 { // OpenRouter
		b.put(`,"cache_write_tokens":`)
		b.int(u.CacheWrite)
	}
	b.put(`,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}`)
}
