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
//   - input that is not an object goes as {} (its result quotes the bytes), a name that is no legal one in its
//     nearest legal form;
//   - thinking at the end of an answer is left out, as is white space at the
//     very end of a request that ends with an answer;
//   - empty messages, empty texts, unsigned thinking, unanswered server calls and
//     server results without a call are left out; a refused answer is left out with its calls;
//   - thinking that another model signed is left out (D8).
//
// What boundaries hide or shorten is decided in view.go.
type projector struct {
	model   string              // of the request
	done    int                 // entries folded in
	msgs    []providers.Message // finished messages
	answer  *answerView         // the last answer, still open: it may be continued, or wait for results
	texts   []string            // user texts behind it
	wireIDs map[string]bool     // ids used so far in the conversation
	wired   map[string]string   // our id of a call -> the one it goes back under; it never changes
	view    view
}

type answerView struct {
	blocks  []providers.Block // of all its parts
	called  []bool            // by block: a call record stands for it
	foreign []bool            // by block: another model made it
	parts   int
	calls   []callView
	paused  bool
	base    int // where the blocks of the last part begin
}

type callView struct {
	at     int    // its block
	call   string // our id
	wire   string // the id on the wire
	result *Entry
}

// Project returns the messages that a request to model over h would carry.
func Project(h History, model string) []providers.Message {
	var p projector
	return p.messages(h, model)
}

// messages brings the projection up to h and returns the request's messages.
// The result is valid until the next call: its tail is overwritten then, so
// that a request costs what is new and not the whole history.
func (p *projector) messages(h History, model string) []providers.Message {
	if model != p.model || h.Len() < p.done {
		*p = projector{model: model}
	}
	if b := lastBoundary(h, p.done); b >= p.done {
		p.again(h, b+1)
	}
	for ; p.done < h.Len(); p.done++ {
		p.fold(h.At(p.done))
	}
	msgs := p.msgs
	if p.answer != nil {
		msgs = appendMessage(msgs, p.answer.message(p.answer.paused && len(p.texts) == 0 && len(p.answer.calls) == 0))
	}
	return appendMessage(msgs, p.userMessage())
}

// again folds the first n entries anew: a boundary among them changed what is
// shown of those before it. The ids of calls that are hidden stay taken.
func (p *projector) again(h History, n int) {
	for i := p.done; i < n; i++ {
		switch e := h.At(i); e.Kind {
		case EntryCall:
			p.wireID(e)
		case EntryBoundary:
			p.view.apply(h, i)
		}
	}
	p.msgs, p.answer, p.texts = nil, nil, nil
	p.view.restart()
	for i := range n {
		p.fold(h.At(i))
	}
	p.done = n
}

func lastBoundary(h History, from int) int {
	i := h.Len() - 1
	for ; i >= from && h.At(i).Kind != EntryBoundary; i-- {
	}
	return i
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
	if texts, hidden := p.view.hides(e); hidden {
		p.texts = append(p.texts, texts...)
		return
	}
	switch e.Kind {
	case EntryUser, EntryNote:
		p.texts = append(p.texts, e.Text)
	case EntryAssistant:
		if e.Stop == "refusal" {
			// Sent back, a refused answer makes every later turn refuse too (microsoft/amplifier#327).
			p.skip()
			return
		}
		if p.answer != nil && p.answer.paused && len(p.texts) == 0 && len(p.answer.calls) == 0 {
			p.answer.add(e, p.model)
			return
		}
		p.close()
		p.answer = &answerView{}
		p.answer.add(e, p.model)
	case EntryCall:
		if a := p.answer; a != nil && a.parts > 0 {
			wire, at := p.wireID(e), a.base+e.Block
			i := len(a.calls) // one that began early was recorded before a refused one that stands in front of it
			for ; i > 0 && a.calls[i-1].at > at; i-- {
			}
			a.calls = slices.Insert(a.calls, i, callView{at: at, call: e.Call, wire: wire})
			if at < len(a.blocks) {
				b := &a.blocks[at]
				b.ID, b.Open = wire, false
				b.Name, b.Input = name(b.Name), object(b.Input)
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

func (a *answerView) add(e *Entry, model string) {
	a.base = len(a.blocks)
	a.blocks = append(a.blocks, e.Blocks...)
	a.called = append(a.called, make([]bool, len(e.Blocks))...)
	for range e.Blocks {
		a.foreign = append(a.foreign, model != "" && e.Model != "" && e.Model != model)
	}
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
			if b.Signature == "" || a.foreign[i] {
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
			if b.Open || a.foreign[i] && isThinking(&b) {
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
				b.Text, b.Images, b.IsError = p.view.result(c.result)
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
		p.wireIDs, p.wired = map[string]bool{}, map[string]string{}
	}
	if id, ok := p.wired[e.Call]; ok {
		return id
	}
	id := e.ID
	if !legalID(id) || p.wireIDs[id] {
		id = e.Call
	}
	for n := 2; p.wireIDs[id]; n++ { // a provider may have used ours
		id = fmt.Sprintf("%s_%d", e.Call, n)
	}
	p.wireIDs[id], p.wired[e.Call] = true, id
	return id
}

// name is the name under which a call goes back. A model may invent any, and
// what one API takes another refuses: letters, digits, _ and -, at most 64 of
// them, is what all take (mcp-use/mcp-use#90).
func name(s string) string {
	const most = 64
	legal := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
	if legal == "" {
		return "unnamed"
	}
	return legal[:min(len(legal), most)]
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
