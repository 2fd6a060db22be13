package fake

import "github.com/go-json-experiment/json/jsontext"

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
		c.media(b)
	case b.parts != nil:
		for i := range b.parts {
			c.block(&b.parts[i])
		}
	case b.Type == "tool_result":
		c.any(b.Content)
	case b.isServerResult():
		c.text += len(b.Content)
	default:
		c.text += len(deref(b.Text)) + len(deref(b.Thinking)) + len(deref(b.Name)) + len(b.Input)
	}
}

// media counts an image, or a document that is not text.
func (c *counter) media(b *msgBlock) {
	if b.media != nil && deref(b.media.Type) == "text" {
		c.text += len(deref(b.media.Data))
		return
	}
	w, h, ok := b.media.size()
	if !ok {
		c.images += maxImage
		return
	}
	if edge := max(w, h); edge > maxEdge {
		w, h = w*maxEdge/edge, h*maxEdge/edge
	}
	c.images += min(maxImage, (w*h+749)/750)
}
