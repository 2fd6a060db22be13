package invariants

import (
	"bytes"
	"net/http"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/anthropic"
	"github.com/harnessbench/bench/providers/protocol"
)

// asked is what a rule wants to know of a request without keeping its messages:
// a long session asks for all of it again and again.
type asked struct {
	legible   bool
	model     string
	maxTokens int
	text      int // bytes of what is said in it: texts, inputs, results, instructions, tools
	signed    int // bytes of the signatures of thoughts
	images    int
}

// tokens is the estimate that sizes are compared by: four bytes a token, 1,600
// an image whatever its data weighs (E4, earendil-works/pi#4642).
func (a *asked) tokens() int { return a.text/4 + a.images*1600 }

// question decodes the exchange's request; nil where it is not legible, which
// wire/legal says, or asks in no protocol that is known.
func (x *exchange) question() *providers.Request {
	if x.wire == nil {
		return nil
	}
	req, err := x.wire.DecodeRequest(x.Path, x.Body)
	if err != nil {
		return nil
	}
	return req
}

// asked reads the exchange's request, once.
func (x *exchange) asked() *asked {
	if x.looked {
		return &x.facts
	}
	x.looked = true
	req := x.question()
	if req == nil {
		return &x.facts
	}
	a := &x.facts
	a.legible, a.model, a.maxTokens = true, req.Model, req.MaxTokens
	for _, m := range req.Messages {
		for i := range m.Blocks {
			b := &m.Blocks[i]
			switch b.Kind {
			case providers.Image:
				a.images++
			case providers.Opaque:
				a.text += len(b.Raw)
			default:
				a.text += len(b.Text) + len(b.Name) + len(b.Input)
				a.signed += len(b.Signature)
				a.images += len(b.Images)
			}
		}
	}
	a.text += len(req.System)
	for _, t := range req.Tools {
		a.text += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return a
}

// hasImages reports whether there may be images in the request, whose weight is
// not that of their bytes.
func hasImages(x *exchange) bool {
	for _, word := range []string{`"image"`, `"image_url"`, `"input_image"`, `"inlineData"`} {
		if bytes.Contains(x.Body, []byte(word)) {
			return true
		}
	}
	return false
}

// shows reports whether a message of the user's role holds the text, word for
// word. Where a body of the Messages API has the text as a block of its own,
// nothing is decoded.
func (x *exchange) shows(text string) bool {
	text = onWire(text)
	if w := x.wire; w != nil && w.Name == protocol.Anthropic {
		block := anthropic.AppendMessage(nil, providers.Message{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: text}}})
		if i := bytes.IndexByte(block, '['); bytes.Contains(x.Body, block[i+1:len(block)-len("]}")]) {
			return true
		}
	}
	req := x.question()
	if req == nil {
		return true // wire/legal says so
	}
	for _, m := range req.Messages {
		for i := range m.Blocks {
			if b := &m.Blocks[i]; m.Role == providers.User && b.Kind == providers.Text && bytes.Contains([]byte(b.Text), []byte(text)) {
				return true
			}
		}
	}
	return false
}

// onWire is a text as JSON can carry it: each byte that is not UTF-8 becomes
// U+FFFD.
func onWire(s string) string { return string([]rune(s)) }

// failure is what the bytes of an answer say about why it is none.
type failure struct {
	known bool // looked for
	err   *providers.Error
}

// failure returns why the exchange's answer is none; nil when it is one, or
// when nobody can tell from its bytes.
func (x *exchange) failure() *providers.Error {
	f := &x.failed
	if f.known {
		return f.err
	}
	f.known = true
	switch wire := x.wire; {
	case x.Status == 0 || wire == nil:
	case x.Status/100 != 2:
		f.err = wire.Classify(x.Status, http.Header(x.Head), x.Reply)
	default:
		if t := x.turn(); t != nil {
			f.err = t.cause
		}
	}
	return f.err
}

// failure is that of the attempt's one exchange; nil when there are several.
func (a *attempt) failure() *providers.Error {
	if x := a.exchange(); x != nil {
		return x.failure()
	}
	return nil
}

// exchange is the attempt's one exchange; nil when there is none, or several
// claim it.
func (a *attempt) exchange() *exchange {
	if len(a.exchanges) != 1 {
		return nil
	}
	return a.exchanges[0]
}

// tooBig reports whether a request was refused for its size, or its answer
// filled the window: what compaction is for.
func (a *attempt) tooBig() bool {
	switch a.class() {
	case providers.Overflow, providers.TooLarge, providers.BadImage, providers.MaxTokens:
		return true
	}
	t := a.turn()
	return t != nil && t.stop == "model_context_window_exceeded"
}

// class is the class of the attempt's failure, "" where there is none or it is
// not known.
func (a *attempt) class() providers.Class {
	if err := a.failure(); err != nil {
		return err.Class
	}
	return ""
}
