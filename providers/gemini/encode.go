package gemini

import (
	"strings"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// EncodeRequest appends the body of a request, with no Options; see PathOf for the
// rest of it, and Encoder for a conversation of many requests. It repairs nothing:
//
//   - an answer's role is model; each block is a part, in their order;
//   - a signature goes back on the part that it came with, of whatever kind;
//   - a call's input is embedded as the JSON object that it is; no input at all
//     is {}; anything else is embedded as a JSON string, which the API refuses, so
//     it neither passes for an object nor breaks out of its place;
//   - a result has the name of the call with its id, the last one before it; one
//     that answers no call has its own Name, or none, which the API refuses. Its
//     text is the output, or the error if it is one. Its images are parts of it,
//     which models take since Gemini 3 and refuse before (google-gemini/gemini-cli#19436);
//   - an id that DecodeRequest made (see MadeID) is none and is left out;
//   - text that is not valid UTF-8, which JSON cannot carry, has each bad byte
//     replaced by U+FFFD.
func EncodeRequest(dst []byte, req *providers.Request) []byte {
	e := Encoder{}
	return e.Encode(dst, req)
}

// message appends one message of w.msgs as a content.
func (w *writer) message(dst []byte, _ int, m *providers.Message) []byte {
	role := string(m.Role)
	if m.Role == providers.Assistant {
		role = "model"
	}
	dst = strict.AppendString(append(dst, `{"role":`...), role)
	dst = append(dst, `,"parts":[`...)
	for i := range m.Blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = w.part(dst, m, &m.Blocks[i])
	}
	return append(dst, "]}"...)
}

func (w *writer) part(dst []byte, m *providers.Message, b *providers.Block) []byte {
	isCall := b.Kind == providers.ToolCall || b.Kind == providers.ServerCall
	switch {
	case b.Raw != "" && isCall:
		return w.rawCall(dst, b)
	case b.Raw != "":
		return strict.AppendObject(dst, b.Raw)
	}
	switch b.Kind {
	case providers.Text:
		dst = strict.AppendString(append(dst, `{"text":`...), b.Text)
	case providers.Thinking:
		dst = append(strict.AppendString(append(dst, `{"text":`...), b.Text), `,"thought":true`...)
	case providers.ToolCall:
		dst = append(w.call(append(dst, `{"functionCall":{`...), b, "name", nil), '}')
	case providers.ServerCall:
		dst = append(w.call(append(dst, `{"toolCall":{`...), b, "toolType", nil), '}')
	case providers.ToolResult:
		dst = w.result(dst, m, b)
	case providers.Image:
		if len(b.Images) > 0 {
			for i := range b.Images {
				if i > 0 {
					dst = append(dst, ',')
				}
				dst = appendImage(dst, &b.Images[i])
			}
			return dst
		}
		fallthrough
	default: // a kind that only Raw can spell, without it: the API names the member it does not know
		dst = append(strict.AppendString(append(dst, '{'), string(b.Kind)), ":{}"...)
	}
	if b.Signature != "" {
		dst = strict.AppendString(append(dst, `,"thoughtSignature":`...), b.Signature)
	}
	return append(dst, '}')
}

// call appends the members of a call: its own, which the block's fields spell, and
// those of raw that are others.
func (w *writer) call(dst []byte, b *providers.Block, nameIs string, raw []byte) []byte {
	if id := w.id(b.ID); id != "" {
		dst = append(strict.AppendString(append(dst, `"id":`...), id), ',')
	}
	dst = strict.AppendString(append(strict.AppendString(dst, nameIs), ':'), b.Name)
	dst = append(dst, `,"args":`...)
	if b.Input == "" {
		dst = append(dst, "{}"...)
	} else {
		dst = strict.AppendObject(dst, b.Input)
	}
	if !strict.IsKind(raw, '{') {
		return dst
	}
	for m := strict.Members(raw); m.Next(); {
		switch name := string(camel(m.Name)); name {
		case nameIs, "id", "args", "partialArgs", "willContinue":
		default:
			dst = append(append(strict.AppendString(append(dst, ','), name), ':'), m.Value...)
		}
	}
	return dst
}

// rawCall appends a call whose own JSON says more than the neutral fields do. Id,
// input and signature are the block's: the loop may have given it another id, and
// the others came behind the JSON.
func (w *writer) rawCall(dst []byte, b *providers.Block) []byte {
	raw := []byte(b.Raw)
	if !strict.IsObject(raw) {
		return strict.AppendObject(dst, b.Raw)
	}
	raw = strict.SkipSpace(raw)
	kind, name := partCall, "name"
	if b.Kind == providers.ServerCall {
		kind, name = partToolCall, "toolType"
	}
	dst = append(strict.AppendString(append(dst, '{'), kind), ":{"...)
	dst = append(w.call(dst, b, name, member(raw, kind)), '}')
	if b.Signature != "" {
		dst = strict.AppendString(append(dst, `,"thoughtSignature":`...), b.Signature)
	}
	for m := strict.Members(raw); m.Next(); {
		switch name := string(camel(m.Name)); name {
		case kind, "thoughtSignature":
		default:
			dst = append(append(strict.AppendString(append(dst, ','), name), ':'), m.Value...)
		}
	}
	return append(dst, '}')
}

// result appends a result up to the end of its own object.
func (w *writer) result(dst []byte, m *providers.Message, b *providers.Block) []byte {
	dst = append(dst, `{"functionResponse":{`...)
	if id := w.id(b.ID); id != "" {
		dst = append(strict.AppendString(append(dst, `"id":`...), id), ',')
	}
	dst = strict.AppendString(append(dst, `"name":`...), w.nameOf(m, b))
	field := `,"response":{"output":`
	if b.IsError {
		field = `,"response":{"error":`
	}
	dst = append(strict.AppendString(append(dst, field...), b.Text), '}')
	for i := range b.Images {
		sep := `,"parts":[`
		if i > 0 {
			sep = ","
		}
		dst = appendImage(append(dst, sep...), &b.Images[i])
	}
	if len(b.Images) > 0 {
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

func appendImage(dst []byte, image *providers.ImageData) []byte {
	dst = strict.AppendString(append(dst, `{"inlineData":{"mimeType":`...), image.Type)
	return append(strict.AppendString(append(dst, `,"data":`...), image.Data), "}}"...)
}

// nameOf is the name of what a result answers: results have only its id, and the
// API wants both.
func (w *writer) nameOf(m *providers.Message, b *providers.Block) string {
	if b.Name != "" {
		return b.Name
	}
	for ; w.done < len(w.msgs) && &w.msgs[w.done] != m; w.done++ { // messages come in order
	}
	for i := min(w.done, len(w.msgs)-1); i >= 0; i-- {
		blocks := w.msgs[i].Blocks
		for k := len(blocks) - 1; k >= 0; k-- {
			if c := &blocks[k]; c.Kind == providers.ToolCall && c.ID == b.ID {
				return c.Name
			}
		}
	}
	return ""
}

func (w *writer) id(id string) string {
	if w.NoIDs || IsMade(id) {
		return ""
	}
	return id
}

// madeHead begins the ids that DecodeRequest makes.
const madeHead = "#"

// IsMade reports whether an id was made by DecodeRequest for a call that had none.
// It stands for the call in its request and never goes on a wire.
func IsMade(id string) bool { return strings.HasPrefix(id, madeHead) }
