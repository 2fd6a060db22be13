package fake

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// answer is what a reader that knows nothing of this package makes of an
// answer's bytes.
type answer struct {
	Order  []string // what came, in order, in short
	Text   string
	Think  string
	Sig    string
	Calls  []string // "id name input", + "..." when never closed
	Stop   string
	In     int
	Out    int
	Done   bool // message_stop
	Error  string
	Frames int
}

// readStream reads server-sent events and the Messages API's events in them,
// in the plainest way.
func readStream(t *testing.T, stream string) answer {
	t.Helper()
	var a answer
	type block struct{ kind, id, name, input string }
	open := map[int]*block{}
	closeBlock := func(b *block, mark string) {
		if strings.HasSuffix(b.kind, "tool_use") {
			a.Calls = append(a.Calls, strings.TrimSpace(b.id+" "+b.name+" "+b.input)+mark)
		}
	}
	for _, frame := range strings.Split(strings.ReplaceAll(strings.ReplaceAll(stream, "\r\n", "\n"), "\r", "\n"), "\n\n") {
		if frame == "" {
			continue
		}
		a.Frames++
		name, data := "", ""
		for _, line := range strings.Split(frame, "\n") {
			field, value, _ := strings.Cut(line, ":")
			value = strings.TrimPrefix(value, " ")
			switch field {
			case "event":
				name = value
			case "data":
				data += value
			case "":
				a.Order = append(a.Order, "comment "+value)
			}
		}
		if data == "" {
			continue
		}
		var e struct {
			Type    string
			Index   int
			Message struct {
				Usage struct {
					In int `json:"input_tokens"`
				}
			}
			Block struct{ Type, ID, Name, Text string } `json:"content_block"`
			Delta struct {
				Type, Text, Thinking, Signature string
				Partial                         string  `json:"partial_json"`
				Stop                            *string `json:"stop_reason"`
			}
			Usage struct {
				In  int `json:"input_tokens"`
				Out int `json:"output_tokens"`
			}
			Error struct{ Type, Message string }
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatalf("%v in %q", err, data)
		}
		if name != e.Type {
			t.Errorf("event %q carries %q", name, e.Type)
		}
		short := strings.TrimPrefix(strings.TrimPrefix(e.Type, "content_block_"), "message_")
		switch e.Type {
		case "message_start":
			a.In, short = e.Message.Usage.In, "open"
		case "content_block_start":
			open[e.Index] = &block{e.Block.Type, e.Block.ID, e.Block.Name, ""}
			short += " " + e.Block.Type
		case "content_block_delta":
			a.Text += e.Delta.Text
			a.Think += e.Delta.Thinking
			a.Sig += e.Delta.Signature
			if b := open[e.Index]; b != nil {
				b.input += e.Delta.Partial
			}
			short = fmt.Sprintf("%q", e.Delta.Text+e.Delta.Thinking+e.Delta.Partial)
			if e.Delta.Type == "signature_delta" {
				short = "sig"
			}
		case "content_block_stop":
			if b := open[e.Index]; b != nil {
				closeBlock(b, "")
				delete(open, e.Index)
			}
		case "message_delta":
			a.Stop, a.Out, short = "null", e.Usage.Out, "reason"
			if e.Delta.Stop != nil {
				a.Stop = *e.Delta.Stop
			}
		case "message_stop":
			a.Done, short = true, "close"
		case "error":
			a.Error = e.Error.Type + ": " + e.Error.Message
		}
		a.Order = append(a.Order, short)
	}
	for i := range 100 {
		if b := open[i]; b != nil {
			closeBlock(b, "...")
		}
	}
	return a
}

// mustParse parses a script that is right.
func mustParse(t testing.TB, src string) *Script {
	t.Helper()
	s, err := Parse("f", []byte(src), ParseOptions{})
	if err != nil {
		t.Fatalf("%s\n%v", src, err)
	}
	return s
}

// planOf renders the first reply of a script that consists of these lines.
func planOf(t testing.TB, stream bool, lines ...string) *Plan {
	t.Helper()
	s := mustParse(t, "reply\n    "+strings.Join(lines, "\n    ")+"\n")
	p, err := s.Replies[0].plan(1, answering{protocol: anthropic{}, stream: stream, model: "m", n: 7})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bytesOf is all that a plan writes.
func bytesOf(p *Plan) string {
	var b strings.Builder
	for _, s := range p.Steps {
		b.Write(s.Data)
	}
	return b.String()
}

// outline shows a plan's steps in short.
func outline(p *Plan) string {
	var out []string
	for _, s := range p.Steps {
		switch s.Act {
		case Write:
			out = append(out, fmt.Sprintf("w%d", len(s.Data)))
		case Delay:
			out = append(out, "delay "+s.D.String())
		case Gate:
			out = append(out, "gate "+s.Name)
		case Hang:
			out = append(out, strings.TrimSuffix("hang "+s.D.String(), " 0s"))
		default:
			out = append(out, endings[s.Act])
		}
	}
	return strings.Join(out, ", ")
}
