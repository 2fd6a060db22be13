package fake

import (
	"bytes"
	"encoding/base64"
	"image"
	_ "image/gif"  // sizes of images in requests
	_ "image/jpeg" //
	_ "image/png"  //
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Tokens of an image: the API scales it down until its longer edge has
// maxEdge pixels, and counts width*height/750, at most maxImage. An image
// whose size cannot be read counts as the largest.
const (
	maxEdge  = 1568
	maxImage = 1600
)

// tokens estimates the length of the prompt: one token for each 4 bytes of
// text in the system prompt, the messages (calls' names and inputs, and
// results, included) and the tools (name, description, schema), rounded up
// once; images by the API's own formula, never as text. It is an estimate that
// a person can redo with a pencil; no tokenizer is public.
func (m *msgRequest) tokens() int {
	c := &counter{}
	c.any(m.System)
	for _, t := range m.Tools {
		c.text += len(t.Name) + len(t.Description) + len(t.InputSchema)
	}
	for _, msg := range m.Messages {
		for i := range msg.blocks {
			c.block(&msg.blocks[i])
		}
	}
	return (c.text+3)/4 + c.images
}

// counter adds up bytes of text and tokens of images.
type counter struct{ text, images int }

// any counts a string or a list of blocks.
func (c *counter) any(v jsontext.Value) {
	m := msgMessage{Content: v}
	if v == nil || m.decode("") != nil {
		return
	}
	for i := range m.blocks {
		c.block(&m.blocks[i])
	}
}

func (c *counter) block(b *msgBlock) {
	switch {
	case b.Type == "image" || b.Type == "document":
		c.images += mediaTokens(b.raw)
	case b.Type == "tool_result":
		c.any(b.Content)
	case b.isServerResult():
		c.text += len(b.Content)
	default:
		c.text += len(deref(b.Text)) + len(deref(b.Thinking)) + len(deref(b.Name)) + len(b.Input)
	}
}

// mediaTokens counts an image, or a document that is not text.
func mediaTokens(raw jsontext.Value) int {
	var block struct {
		Source struct {
			Type string         `json:"type"`
			Data jsontext.Value `json:"data"`
		} `json:"source"`
	}
	var data string
	if json.Unmarshal(raw, &block, lenient) != nil || json.Unmarshal(block.Source.Data, &data, lenient) != nil {
		return maxImage
	}
	if block.Source.Type == "text" {
		return (len(data) + 3) / 4
	}
	// The size stands near the front: nobody decodes a megabyte for it.
	head := io.LimitReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)), 64<<10)
	b, _ := io.ReadAll(head) // what can be read of it
	cfg, _, err := image.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		return maxImage
	}
	w, h := cfg.Width, cfg.Height
	if edge := max(w, h); edge > maxEdge {
		w, h = w*maxEdge/edge, h*maxEdge/edge
	}
	return min(maxImage, (w*h+749)/750)
}
