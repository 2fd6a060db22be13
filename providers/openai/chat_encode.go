package openai

import (
	"strconv"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// chatHead appends everything of a request up to its first message.
func (e *Encoder) chatHead(dst []byte, req *providers.Request) []byte {
	dst = strict.AppendString(append(dst, `{"model":`...), req.Model)
	if req.MaxTokens != 0 {
		name := `,"max_completion_tokens":`
		if e.Options.OldMaxTokens {
			name = `,"max_tokens":`
		}
		dst = strconv.AppendInt(append(dst, name...), int64(req.MaxTokens), 10)
	}
	if req.Stream {
		dst = append(dst, `,"stream":true`...)
		if !e.Options.NoUsage {
			dst = append(dst, `,"stream_options":{"include_usage":true}`...)
		}
	}
	if len(req.Tools) > 0 {
		dst = append(dst, `,"tools":[`...)
		for i := range req.Tools {
			t := &req.Tools[i]
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = strict.AppendString(append(dst, `{"type":"function","function":{"name":`...), t.Name)
			if t.Description != "" {
				dst = strict.AppendString(append(dst, `,"description":`...), t.Description)
			}
			if t.Schema != "" {
				dst = strict.AppendObject(append(dst, `,"parameters":`...), t.Schema)
			}
			dst = append(dst, "}}"...)
		}
		dst = append(dst, ']')
	}
	dst = append(dst, `,"messages":[`...)
	if req.System != "" {
		dst = append(strict.AppendString(append(dst, `{"role":"system","content":`...), req.System), '}')
	}
	return dst
}

// chatMessage appends one message as the messages that say it in Chat:
//
//   - each result is a message of the role tool, in their order. That role has
//     only text, so the images of results that follow each other come behind them
//     in one message of the user, each behind a line that names its call
//     (querymt/querymt p895; OpenHands/OpenHands#7700);
//   - other blocks that follow each other are one message: a single text as a
//     string, which every server takes, else parts;
//   - an answer is one message: its text, what was thought in the form in which
//     it goes back, its calls. Without text its content is null. That a text stood
//     between two calls cannot be said.
func chatMessage(dst []byte, m *providers.Message) []byte {
	if m.Role == providers.Assistant {
		return chatAnswer(dst, m)
	}
	from := len(dst)
	next := func() {
		if len(dst) > from {
			dst = append(dst, ',')
		}
	}
	for i := 0; i < len(m.Blocks) || i == 0; {
		n := run(m.Blocks[i:])
		next()
		if n > 0 && m.Blocks[i].Kind == providers.ToolResult {
			for k := i; k < i+n; k++ {
				if k > i {
					dst = append(dst, ',')
				}
				dst = chatResult(dst, &m.Blocks[k])
			}
			dst = chatImages(dst, m.Blocks[i:i+n])
		} else {
			dst = strict.AppendString(append(dst, `{"role":`...), string(m.Role))
			dst = append(chatContent(append(dst, `,"content":`...), m.Blocks[i:i+n], `""`), '}')
		}
		i += max(n, 1)
	}
	return dst
}

// run returns how many blocks at the start are results, or are none.
func run(blocks []providers.Block) int {
	n := 0
	for n < len(blocks) && (blocks[n].Kind == providers.ToolResult) == (blocks[0].Kind == providers.ToolResult) {
		n++
	}
	return n
}

func chatResult(dst []byte, b *providers.Block) []byte {
	if b.Raw != "" {
		return strict.AppendObject(dst, b.Raw)
	}
	dst = strict.AppendString(append(dst, `{"role":"tool","tool_call_id":`...), b.ID)
	return append(strict.AppendString(append(dst, `,"content":`...), resultText(b)), '}')
}

// The line in front of a result's images.
const (
	imagesHead = "[images of the result of call "
	imagesTail = "]"
)

func chatImages(dst []byte, results []providers.Block) []byte {
	any := false
	for i := range results {
		b := &results[i]
		if len(b.Images) == 0 || b.Raw != "" {
			continue
		}
		if !any {
			dst = append(dst, `,{"role":"user","content":[`...)
		} else {
			dst = append(dst, ',')
		}
		any = true
		dst = append(strict.AppendString(append(dst, `{"type":"text","text":`...), imagesHead+b.ID+imagesTail), '}')
		for k := range b.Images {
			dst = appendDataURL(append(dst, `,{"type":"image_url","image_url":{"url":`...), &b.Images[k])
			dst = append(dst, "}}"...)
		}
	}
	if any {
		dst = append(dst, "]}"...)
	}
	return dst
}

// chatContent appends content: none, a string, or parts.
func chatContent(dst []byte, blocks []providers.Block, none string) []byte {
	if len(blocks) == 0 {
		return append(dst, none...)
	}
	if len(blocks) == 1 && blocks[0].Kind == providers.Text && blocks[0].Raw == "" {
		return strict.AppendString(dst, blocks[0].Text)
	}
	for i := range blocks {
		sep := byte(',')
		if i == 0 {
			sep = '['
		}
		dst = append(dst, sep)
		if b := &blocks[i]; b.Kind == providers.Text && b.Raw == "" {
			dst = append(strict.AppendString(append(dst, `{"type":"text","text":`...), b.Text), '}')
		} else {
			dst = appendRaw(dst, b)
		}
	}
	return append(dst, ']')
}

func chatAnswer(dst []byte, m *providers.Message) []byte {
	var said, called []providers.Block
	thought := thoughts{}
	for _, b := range m.Blocks {
		switch b.Kind {
		case providers.Thinking:
			thought.add(&b)
		case providers.ToolCall:
			called = append(called, b)
		default:
			said = append(said, b)
		}
	}
	dst = chatContent(append(dst, `{"role":"assistant","content":`...), said, "null")
	dst = thought.append(dst)
	for i := range called {
		if i == 0 {
			dst = append(dst, `,"tool_calls":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = chatCallTo(dst, &called[i])
	}
	if len(called) > 0 {
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// chatCallTo appends a call. Id, name and input are the block's, whatever Raw
// says: the loop may have given it another id, and the input came behind Raw.
func chatCallTo(dst []byte, b *providers.Block) []byte {
	raw := []byte(b.Raw)
	if !strict.IsObject(raw) {
		raw = []byte("{}")
	}
	dst = strict.AppendString(append(dst, `{"id":`...), b.ID)
	if string(strict.Member(strict.SkipSpace(raw), "type")) == `"custom"` {
		dst = strict.AppendString(append(dst, `,"type":"custom","custom":{"name":`...), b.Name)
		dst = strict.AppendString(append(dst, `,"input":`...), b.Input)
	} else {
		dst = strict.AppendString(append(dst, `,"type":"function","function":{"name":`...), b.Name)
		dst = strict.AppendString(append(dst, `,"arguments":`...), input(b))
	}
	dst = append(dst, '}')
	for o := strict.Members(raw); o.Next(); {
		switch string(o.Name) {
		case "index", "id", "type", "function", "custom":
		default:
			dst = strict.AppendString(append(dst, ','), string(o.Name))
			dst = append(append(dst, ':'), o.Value...)
		}
	}
	return append(dst, '}')
}
