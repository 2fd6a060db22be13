package openai

import (
	"strings"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// FailedMark stands in front of the text of a result that is an error: neither
// API has a field for it. A decoded request is read by it, so a tool must not
// begin its good results with it.
const FailedMark = "[tool error] "

// resultText is a result's text as it goes on the wire.
func resultText(b *providers.Block) string {
	if b.IsError {
		return FailedMark + b.Text
	}
	return b.Text
}

// readResult is the inverse of resultText.
func readResult(b *providers.Block, text string) {
	b.Text, b.IsError = strings.CutPrefix(text, FailedMark)
}

// dataURL is an image in the form that both APIs take.
func appendDataURL(dst []byte, image *providers.ImageData) []byte {
	return strict.AppendString(dst, "data:"+image.Type+";base64,"+image.Data)
}

// readDataURL is the inverse of appendDataURL.
func readDataURL(url string) (image providers.ImageData, ok bool) {
	head, data, ok := strings.Cut(url, ";base64,")
	typ, is := strings.CutPrefix(head, "data:")
	if !ok || !is || data == "" || strings.Contains(typ, ";") {
		return image, false
	}
	return providers.ImageData{Type: typ, Data: data}, true
}

// appendRaw embeds a block's own JSON, and for a kind that only Raw can spell,
// without it, an object that the API refuses by its type.
func appendRaw(dst []byte, b *providers.Block) []byte {
	if b.Raw == "" {
		return append(strict.AppendString(append(dst, `{"type":`...), string(b.Kind)), '}')
	}
	return strict.AppendObject(dst, b.Raw)
}

// input is a call's input on the wire.
func input(b *providers.Block) string {
	if b.Input == "" {
		return "{}"
	}
	return b.Input
}
