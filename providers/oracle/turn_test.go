package oracle

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/harnessbench/bench/providers"
)

// turn is what an answer says, whoever read it. It has only what both a codec
// and an SDK can tell.
type turn struct {
	End      end
	Err      string   // of an answer that failed: the API's own type of error, where both tell it
	Texts    []string // a text block each; one for all of them in Chat
	Thinking []string
	Signed   []string // what the API wants back with what was thought
	Calls    []call
	Other    []string // blocks that go back as they came, as JSON
	Stop     string   // in the words of the Messages API
	Usage    providers.Usage

	why   string // of an answer that failed for the codec: its sentence
	ended bool   // only its end is known
	cut   bool   // its terminal event never came, whatever End says
}

type call struct {
	ID, Name string
	Input    string // as canonical JSON, or the bytes where they are none
	Open     bool   // its end never came
	Server   bool   // the provider runs it itself
}

// end is how an answer ended.
type end string

const (
	well   end = "well"
	early  end = "early" // cleanly, but without its terminal event
	failed end = "failed"
)

// What a reader of events refuses, though the codec delivers it.
var (
	errSecond = errors.New("a second message began inside the first")
	errOrder  = errors.New("a block began out of order")
	errNever  = errors.New("a piece came of a block that never began")
	errLate   = errors.New("a piece came of a block that is over")
)

// fold reads what a codec tells, by the rules that package harness has for it.
func fold(st providers.Stream, api api) *turn {
	defer st.Close()
	t := &turn{End: early}
	var blocks []providers.Block
	open := map[int]int{}
	begun := false
	next := 0 // the index that a new block must have, or less
	fail := func(err error) *turn {
		t := &turn{End: failed, why: err.Error()}
		if api == messages { // the other SDKs tell no type
			t.Err = typeOf(err)
		}
		return t
	}
	for {
		ev, err := st.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fail(err)
		}
		if ev.Usage != nil {
			t.Usage = *ev.Usage
		}
		switch ev.Kind {
		case providers.MessageStart:
			if begun {
				return fail(errSecond)
			}
			begun = true
		case providers.BlockStart:
			if _, ok := open[ev.Index]; ok || ev.Index > next {
				return fail(errOrder)
			}
			next = max(next, ev.Index+1)
			b := *ev.Block
			b.Open = true
			open[ev.Index] = len(blocks)
			blocks = append(blocks, b)
		case providers.TextDelta, providers.ThinkingDelta, providers.SignatureDelta, providers.InputDelta, providers.BlockStop:
			at, ok := open[ev.Index]
			if !ok && ev.Index >= next {
				return fail(errNever)
			}
			if !ok {
				return fail(errLate)
			}
			b := &blocks[at]
			switch ev.Kind {
			case providers.BlockStop:
				b.Open = false
				delete(open, ev.Index)
			case providers.SignatureDelta:
				b.Signature += ev.Text
			case providers.InputDelta:
				b.Input += ev.Text
			default:
				b.Text += ev.Text
			}
		case providers.Stop:
			t.Stop = ev.Text
		case providers.MessageStop:
			t.End = well
		case providers.Failure:
			return fail(ev.Err)
		}
	}
	for _, b := range blocks {
		if api == gemini && b.Raw != "" {
			rest, signature := split(b.Raw)
			b.Raw, b.Signature = rest, cmp.Or(b.Signature, signature)
		}
		if b.Signature != "" {
			t.Signed = append(t.Signed, canonical(b.Signature))
		}
		switch b.Kind {
		case providers.Text:
			t.Texts = append(t.Texts, b.Text)
		case providers.Thinking:
			t.Thinking = append(t.Thinking, b.Text)
		case providers.ToolCall, providers.ServerCall:
			if b.Input == "" && !b.Open { // no byte of input means {}, in a block that closed
				b.Input = "{}"
			}
			t.Calls = append(t.Calls, call{b.ID, b.Name, canonical(b.Input), b.Open, b.Kind == providers.ServerCall})
		default:
			if b.Raw != "{}" {
				t.Other = append(t.Other, canonical(b.Raw))
			}
		}
	}
	if api == chat || api == gemini {
		t.joinTexts()
	}
	return t
}

// split takes the signature out of a part of Gemini.
func split(raw string) (rest, signature string) {
	var p map[string]any
	if json.Unmarshal([]byte(raw), &p) != nil {
		return raw, ""
	}
	signature, _ = p["thoughtSignature"].(string)
	delete(p, "thoughtSignature")
	if text, ok := p["text"].(string); ok && text == "" {
		delete(p, "text")
	}
	b, _ := json.Marshal(p)
	return string(b), signature
}

// joinTexts makes one text of all: two of the APIs number no blocks, so where one
// ends is the reader's choice.
func (t *turn) joinTexts() {
	for _, list := range []*[]string{&t.Texts, &t.Thinking} {
		if all := strings.Join(*list, ""); all != "" {
			*list = []string{all}
		} else {
			*list = nil
		}
	}
}

// typeOf is the API's own type of an error, "" where the codec found it.
func typeOf(err error) string {
	if e := new(providers.Error); errors.As(err, &e) && e.Class != providers.Protocol {
		return e.Type
	}
	return ""
}

// canonical is JSON with its keys in order and without white space; what is no
// JSON stays as it is.
func canonical(s string) string {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.Decode(new(any)) != io.EOF {
		return s
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n")
}
