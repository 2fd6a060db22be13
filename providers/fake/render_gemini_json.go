package fake

import "strings"

// geminiMessage writes an answer as one object.
type geminiMessage struct {
	inOnePiece
	b      *builder
	a      answering
	parts  builder // a comma before each but the first
	reason string
}

// part begins a part.
func (m *geminiMessage) part() *builder {
	if len(m.parts.buf) > 0 {
		m.parts.put(",\n")
	}
	m.parts.put("          ")
	return &m.parts
}

func (m *geminiMessage) words(text, more string) {
	b := m.part()
	b.put("{\n            \"text\": ")
	b.quote(text)
	b.put(more, "\n          }")
}

func (m *geminiMessage) text(deltas []string, _ bool) { m.words(strings.Join(deltas, ""), "") }

func (m *geminiMessage) think(deltas []string, sig string, _ bool) {
	more := ",\n            \"thought\": true"
	if sig != "" {
		more += ",\n            \"thoughtSignature\": " + string(appendQuote(nil, sig))
	}
	m.words(strings.Join(deltas, ""), more)
}

func (m *geminiMessage) call(id, name string, pieces []string, _, _ bool) {
	putGeminiCall(m.part(), id, name, wholeInput(pieces), false)
}

func (m *geminiMessage) refusal(text string) {
	if text != "" {
		m.words(text, "")
	}
}

func (m *geminiMessage) stop(reason string) { m.reason = reason }

func (m *geminiMessage) end() {
	m.b.put("{\n  \"candidates\": [\n    {\n      \"content\": {\n")
	if len(m.parts.buf) > 0 {
		m.b.put("        \"parts\": [\n", string(m.parts.buf), "\n        ],\n")
	}
	m.b.put("        \"role\": \"model\"\n      },\n")
	if word := geminiStop(m.reason); word != "" {
		m.b.put("      \"finishReason\": ")
		m.b.quote(word)
		m.b.put(",\n")
	}
	m.b.put("      \"index\": 0\n    }\n  ],\n  \"usageMetadata\": ")
	putGeminiUsage(m.b, m.a.usage, "\n", "  ")
	m.b.put(",\n  \"modelVersion\": ")
	m.b.quote(m.a.model)
	m.b.put(",\n  \"responseId\": ")
	m.b.quote(m.a.itemID("gen", 0))
	m.b.put("\n}")
	m.b.event()
}
