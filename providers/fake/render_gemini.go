package fake

import (
	"strings"

	"github.com/harnessbench/bench/providers"
)

// geminiStream writes an answer as chunks: server-sent events, or the elements of
// one array.
type geminiStream struct {
	framer
	a       answering
	array   bool
	n       int  // chunks written
	counted bool // the tokens of the answer were told
	// flow is which words the next chunk could go on with: text or think.
	flow Op
}

// begin and finish frame a chunk.
func (s *geminiStream) begin() {
	switch {
	case !s.array:
		s.framer.begin("")
	case s.n == 0:
		s.b.put("[")
	default:
		s.b.put(",", s.newline)
	}
	s.n++
}

func (s *geminiStream) finish() {
	if s.array {
		s.b.event()
		return
	}
	s.framer.finish()
}

// chunk writes a chunk of one candidate, with its parts. The tokens of the answer
// are told from its stop reason on.
func (s *geminiStream) chunk(finish string, parts func()) {
	s.begin()
	s.b.put(`{"candidates": [{"content": {"parts": [`)
	parts()
	s.b.put(`],"role": "model"}`)
	if finish != "" {
		s.b.put(`,"finishReason": `)
		s.b.quote(finish)
	}
	s.b.put(`,"index": 0}],"usageMetadata": `)
	u := s.a.usage
	if !s.counted {
		u.Out = 1
	}
	putGeminiUsage(s.b, u, "", "")
	s.b.put(`,"modelVersion": `)
	s.b.quote(s.a.model)
	s.b.put(`,"responseId": `)
	s.b.quote(s.a.itemID("gen", 0))
	s.b.put(`}`)
	s.finish()
}

// putGeminiUsage writes the token counts as the API does: those of the prompt
// include what came from a cache.
func putGeminiUsage(b *builder, u providers.Usage, newline, indent string) {
	in := u.In + u.CacheRead
	member := func(name string, n int) {
		b.put(indent, "  ", `"`, name, `": `)
		b.int(n)
	}
	if newline == "" {
		member = func(name string, n int) {
			b.put(`"`, name, `": `)
			b.int(n)
		}
	}
	b.put("{", newline)
	member("promptTokenCount", in)
	b.put(",", newline)
	member("candidatesTokenCount", u.Out)
	b.put(",", newline)
	member("totalTokenCount", in+u.Out)
	if u.CacheRead > 0 {
		b.put(",", newline)
		member("cachedContentTokenCount", u.CacheRead)
	}
	b.put(newline)
	if newline != "" {
		b.put(indent)
	}
	b.put("}")
}

const emptyPart = `{"text": ""}`

// open: the API has no opening. A chunk that says nothing yet stands for it.
func (s *geminiStream) open() { s.chunk("", func() { s.b.put(emptyPart) }) }

// words writes a piece of text or thought. Words at the front of a chunk go on with
// those of the last; so new ones stand behind a part that says nothing.
func (s *geminiStream) words(kind Op, first bool, text, sig string) {
	s.chunk("", func() {
		if first && s.flow == kind {
			s.b.put(emptyPart, ",")
		}
		s.b.put(`{"text": `)
		s.b.quote(text)
		if kind == OpThink {
			s.b.put(`,"thought": true`)
		}
		if sig != "" {
			s.b.put(`,"thoughtSignature": `)
			s.b.quote(sig)
		}
		s.b.put(`}`)
	})
}

func (s *geminiStream) text(deltas []string, _ bool) { s.say(OpText, deltas) }

func (s *geminiStream) say(kind Op, deltas []string) {
	first := true
	for _, d := range deltas {
		s.words(kind, first, d, "")
		if d != "" {
			first, s.flow = false, kind
		}
	}
}

func (s *geminiStream) think(deltas []string, sig string, _ bool) {
	s.say(OpThink, deltas)
	if sig != "" {
		s.words(OpThink, strings.Join(deltas, "") == "", "", sig)
		s.flow = ""
	}
}

// call writes a call whole; one that is cut, in pieces as Vertex does, the last of
// which says that more will come.
func (s *geminiStream) call(id, name string, pieces []string, _, closed bool) {
	input := strings.Join(pieces, "")
	s.flow = ""
	if closed || input == "" || isStrict(input) {
		s.chunk("", func() { putGeminiCall(s.b, id, name, input, !closed) })
		return
	}
	s.chunk("", func() { putGeminiCall(s.b, id, name, "", true) })
	parts, _ := partialArgs(input) // what cannot be said so was refused before
	s.chunk("", func() { s.b.put(`{"functionCall": {"partialArgs": [`, parts, `],"willContinue": true}}`) })
}

// putGeminiCall writes a call's part; input "" means none is written.
func putGeminiCall(b *builder, id, name, input string, more bool) {
	b.put(`{"functionCall": {"name": `)
	b.quote(name)
	if input != "" {
		b.put(`,"args": `, input)
	}
	if id != "" {
		b.put(`,"id": `)
		b.quote(id)
	}
	if more {
		b.put(`,"willContinue": true`)
	}
	b.put(`}}`)
}

func (s *geminiStream) refusal(text string) {
	if text != "" {
		s.say(OpText, []string{text})
	}
}

func (s *geminiStream) stop(reason string) {
	if reason == stopNone {
		return
	}
	s.counted = true
	s.chunk(geminiStop(reason), func() { s.b.put(emptyPart) })
	if !silent(reason) {
		s.flow = ""
	}
}

// close: no event ends an answer; its bytes do.
func (s *geminiStream) close() {
	if s.array {
		if s.n == 0 {
			s.b.put("[")
		}
		s.b.put("]", s.newline)
		s.b.event()
	}
}

func (s *geminiStream) ping() { s.comment("keep-alive") } // the API has no event for it

func (s *geminiStream) comment(text string) {
	if !s.array {
		s.framer.comment(text)
	}
}

func (s *geminiStream) failure(typ, message string) {
	s.begin()
	putGeminiError(s.b, geminiWords(0, typ, message), "", "")
	s.finish()
}

func (s *geminiStream) frame(data string) {
	s.begin()
	s.b.put(data)
	s.finish()
}
