package fake

import (
	"strings"

	"github.com/harnessbench/bench/providers"
)

// tokensOf is the estimate of a request of another protocol, by the formula of
// (*msgRequest).tokens: the same conversation counts the same in all of them.
func tokensOf(req *providers.Request) int {
	c := &counter{text: len(req.System)}
	for _, t := range req.Tools {
		c.text += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for i := range req.Messages {
		for k := range req.Messages[i].Blocks {
			c.neutral(&req.Messages[i].Blocks[k])
		}
	}
	return (c.text+3)/4 + c.images
}

func (c *counter) neutral(b *providers.Block) {
	switch b.Kind {
	case providers.Image:
		c.image(dataOf(b.Raw))
		return
	case providers.Opaque, providers.ServerResult:
		c.text += len(b.Raw)
		return
	case providers.ToolResult:
		for i := range b.Images {
			c.image(b.Images[i].Data)
		}
		c.text += len(b.Text)
		return
	}
	c.text += len(b.Text) + len(b.Name) + len(b.Input)
}

// image counts an image by its data, "" where it has none.
func (c *counter) image(data string) {
	c.media(&msgBlock{media: &mediaSource{Data: &data}})
}

// dataOf finds the data of an image in the JSON of any of the protocols: a data
// URL, or inlineData.
func dataOf(raw string) string {
	if !isJSON([]byte(raw)) {
		return ""
	}
	v := node(raw)
	for _, path := range [][]string{{"image_url", "url"}, {"image_url"}, {"inlineData", "data"}, {"inline_data", "data"}} {
		at := v
		for _, name := range path {
			at = at.member(name)
		}
		if s := at.str(); s != "" {
			if _, data, ok := strings.Cut(s, ";base64,"); ok {
				return data
			}
			if !strings.Contains(s, ":") {
				return s
			}
		}
	}
	return ""
}
