package harness

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/harnessbench/bench/providers"
)

// projector builds the messages of a request from a history, and from nothing
// else. It keeps what it has built, so a request costs what is new since the
// last one. Everything that it repairs, it repairs the same way every time:
//
//   - two user texts in a row become one message, as do the parts of a paused answer;
//   - results come first in the user message behind their answer, in call order,
//     wherever they were recorded (A10);
//   - a call echoes the provider's id where that is legal and unused, else ours;
//   - input that is not an object goes as {} (its result quotes the bytes);
//   - thinking at the end of an answer is left out, as is white space at the
//     very end of a request that ends with an answer;
//   - empty messages, empty texts, unsigned thinking, unanswered server calls and
//     server results without a call are left out; a refused answer is left out with its calls.
type projector struct {
	done    int                 // entries folded in
	msgs    []providers.Message // finished messages
	answer  *answerView         // the last answer, still open: it may be continued, or wait for results
	texts   []string            // user texts behind it
	wireIDs map[string]bool     // ids used so far in the conversation
}

type answerView struct {
	blocks []providers.Block // of all its parts
	called []bool            // by block: a call record stands for it
	parts  int
	calls  []callView
	paused bool
	base   int // where the blocks of the last part begin
}

type callView struct {
	call   string // our id
	wire   string // the id on the wire
	result *Entry
}

// Project returns the messages that a request over h would carry.
func Project(h History) []providers.Message {
	var p projector
	return p.messages(h)
}

// messages brings the projection up to h and returns the request's messages.
// The result is valid until the next call: its tail is overwritten then, so
// that a request costs what is new and not the whole history.
func (p *projector) messages(h History) []providers.Message {
	for ; p.done < h.Len(); p.done++ {
		p.fold(h.At(p.done))
	}
	msgs := p.msgs
	if p.answer != nil {
		msgs = appendMessage(msgs, p.answer.message(p.answer.paused && len(p.texts) == 0 && len(p.answer.calls) == 0))
	}
	return appendMessage(msgs, p.userMessage())
}

func appendMessage(msgs []providers.Message, m providers.Message) []providers.Message {
	if len(m.Blocks) == 0 {
		return msgs
	}
	if n := len(msgs); n > 0 && msgs[n-1].Role == m.Role {
		blocks := append(msgs[n-1].Blocks[:len(msgs[n-1].Blocks):len(msgs[n-1].Blocks)], m.Blocks...)
		out := append([]providers.Message(nil), msgs...)
		out[n-1] = providers.Message{Role: m.Role, Blocks: blocks}
		return out
	}
	return append(msgs, m)
}

func (p *projector) fold(e *Entry) {
	switch e.Kind {
	case EntryUser:
		p.texts = append(p.texts, e.Text)
	case EntryAssistant:
		if e.Stop == "refusal" {
			// Sent back, a refused answer makes every later turn refuse too (microsoft/amplifier#327).
			p.skip()
			return
		}
		if p.answer != nil && p.answer.paused && len(p.texts) == 0 && len(p.answer.calls) == 0 {
			p.answer.add(e)
			return
		}
		p.close()
		p.answer = &answerView{}
		p.answer.add(e)
	case EntryCall:
		if a := p.answer; a != nil && a.parts > 0 {
			wire := p.wireID(e)
			a.calls = append(a.calls, callView{call: e.Call, wire: wire})
			if at := a.base + e.Block; at < len(a.blocks) {
				b := &a.blocks[at]
				b.ID, b.Open = wire, false
				b.Input = object(b.Input)
				a.called[at] = true
			}
		}
	case EntryResult:
		if p.answer != nil {
			for i := range p.answer.calls {
				if p.answer.calls[i].call == e.Call {
					p.answer.calls[i].result = e
				}
			}
		}
	}
}

// skip makes the calls and results of a refused answer fall through.
func (p *projector) skip() {
	p.close()
	p.answer = &answerView{}
}

// close finishes the open answer and the user message behind it.
func (p *projector) close() {
	if p.answer != nil {
		p.msgs = appendMessage(p.msgs, p.answer.message(false))
	}
	p.msgs = appendMessage(p.msgs, p.userMessage())
	p.answer, p.texts = nil, nil
}

func (a *answerView) add(e *Entry) {
	a.base = len(a.blocks)
	a.blocks = append(a.blocks, e.Blocks...)
	a.called = append(a.called, make([]bool, len(e.Blocks))...)
	a.parts++
	a.paused = e.Stop == "pause_turn"
}

// message is the answer as it goes back. Last tells that nothing follows it in
// the request: then a server call may still be unanswered.
func (a *answerView) message(last bool) providers.Message {
	m := providers.Message{Role: providers.Assistant}
	var waiting []string // ids of server calls that go back and have had no result yet
	for i, b := range a.blocks {
		switch b.Kind {
		case providers.Text:
			if strings.TrimSpace(b.Text) == "" {
				continue
			}
		case providers.Thinking:
			if b.Signature == "" {
				continue
			}
		case providers.ToolCall:
			if !a.called[i] { // merged with an equal call
				continue
			}
		case providers.ServerCall:
			if b.Open || !last && !answered(a.blocks[i+1:], b.ID) {
				continue
			}
			b.Input = object(b.Input)
			waiting = append(waiting, b.ID)
		case providers.ServerResult:
			at := slices.Index(waiting, b.ID)
			if b.Open || at < 0 { // a result without its call makes every later request illegal
				continue
			}
			waiting = slices.Delete(waiting, at, at+1)
		default:
			if b.Open {
				continue
			}
		}
		b.Open = false
		m.Blocks = append(m.Blocks, b)
	}
	for n := len(m.Blocks); n > 0 && isThinking(&m.Blocks[n-1]); n-- {
		m.Blocks = m.Blocks[:n-1] // the API refuses an answer that ends in thinking (tailcallhq/forgecode#2107)
	}
	if n := len(m.Blocks); last && n > 0 && m.Blocks[n-1].Kind == providers.Text {
		// The API refuses a request whose last word is an assistant's white space.
		m.Blocks[n-1].Text = strings.TrimRightFunc(m.Blocks[n-1].Text, unicode.IsSpace)
	}
	return m
}

func isThinking(b *providers.Block) bool {
	return b.Kind == providers.Thinking || b.Kind == providers.Opaque && strings.Contains(b.Raw, `"redacted_thinking"`)
}

func answered(rest []providers.Block, id string) bool {
	for i := range rest {
		if r := &rest[i]; r.Kind == providers.ServerResult && r.ID == id && !r.Open {
			return true
		}
	}
	return false
}

func (p *projector) userMessage() providers.Message {
	m := providers.Message{Role: providers.User}
	if p.answer != nil {
		for _, c := range p.answer.calls {
			b := providers.Block{Kind: providers.ToolResult, ID: c.wire}
			if c.result != nil {
				b.Text, b.IsError = c.result.Text, c.result.IsError
			} else {
				// No path of the loop sends a request while a call is open; if one
				// did, the model must still be told something true.
				b.Text, b.IsError = "This call has no recorded outcome.", true
			}
			m.Blocks = append(m.Blocks, b)
		}
	}
	for _, t := range p.texts {
		if strings.TrimSpace(t) != "" {
			m.Blocks = append(m.Blocks, providers.Block{Kind: providers.Text, Text: t})
		}
	}
	return m
}

// wireID chooses the id under which a call goes back: the provider's where it
// is legal and unused in the conversation, else ours.
func (p *projector) wireID(e *Entry) string {
	if p.wireIDs == nil {
		p.wireIDs = map[string]bool{}
	}
	id := e.ID
	if !legalID(id) || p.wireIDs[id] {
		id = e.Call
	}
	for n := 2; p.wireIDs[id]; n++ { // a provider may have used ours
		id = fmt.Sprintf("%s_%d", e.Call, n)
	}
	p.wireIDs[id] = true
	return id
}

// object is the input as it goes back: itself when it is a strict JSON object, else {}.
func object(raw string) string {
	if v := jsontext.Value(raw); v.Kind() == '{' && v.IsValid() {
		return raw
	}
	return "{}"
}

func legalID(id string) bool {
	if id == "" || len(id) > 64 {
		return false
	}
	for _, c := range []byte(id) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}
