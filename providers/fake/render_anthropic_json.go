package fake

import "strings"

// anthropicMessage writes an answer as one JSON message.
type anthropicMessage struct {
	inOnePiece
	b      *builder
	a      answering
	blocks builder // the content, a comma before each block
	reason string
}

// comma begins a block.
func (m *anthropicMessage) comma() {
	if len(m.blocks.buf) > 0 {
		m.blocks.put(",")
	}
}

func (m *anthropicMessage) text(deltas []string, _ bool) {
	m.comma()
	m.blocks.put(`{"type":"text","text":`)
	m.blocks.quote(strings.Join(deltas, ""))
	m.blocks.put(`}`)
}

func (m *anthropicMessage) think(deltas []string, sig string, _ bool) {
	m.comma()
	m.blocks.put(`{"type":"thinking","thinking":`)
	m.blocks.quote(strings.Join(deltas, ""))
	m.blocks.put(`,"signature":`)
	m.blocks.quote(sig)
	m.blocks.put(`}`)
}

func (m *anthropicMessage) call(id, name string, pieces []string, server, _ bool) {
	m.comma()
	putCall(&m.blocks, id, name, wholeInput(pieces), server)
}

func (m *anthropicMessage) serverResult(id, name, content string) {
	m.comma()
	putServerResult(&m.blocks, id, name, content)
}

func (m *anthropicMessage) refusal(text string) {
	if text != "" {
		m.text([]string{text}, true)
	}
}

func (m *anthropicMessage) stop(reason string) { m.reason = reason }

func (m *anthropicMessage) end() {
	m.b.put(`{"id":`)
	m.b.quote(messageID(m.a.n))
	m.b.put(`,"type":"message","role":"assistant","model":`)
	m.b.quote(m.a.model)
	m.b.put(`,"content":[`, string(m.blocks.buf), `],"stop_reason":`)
	putReason(m.b, m.reason)
	m.b.put(`,"stop_sequence":null,"usage":`)
	putUsage(m.b, m.a.usage)
	m.b.put(`}`)
	m.b.event()
}
