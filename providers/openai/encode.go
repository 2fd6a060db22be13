package openai

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/harnessbench/bench/providers"
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
	return appendString(dst, "data:"+image.Type+";base64,"+image.Data)
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
		return append(appendString(append(dst, `{"type":`...), string(b.Kind)), '}')
	}
	return appendObject(dst, b.Raw)
}

// appendObject embeds a JSON object as it is, and anything else as a string,
// which neither passes for an object nor breaks out of its place.
func appendObject(dst []byte, object string) []byte {
	from := len(dst)
	dst = append(dst, object...)
	if isObject(dst[from:]) {
		return dst
	}
	return appendString(dst[:from], object)
}

// isObject reports whether v is one strict JSON object and nothing else.
func isObject(v []byte) bool { return isKind(skipSpace(v), '{') && jsontext.Value(v).IsValid() }

// appendString appends s as a JSON string. The error that jsontext reports for
// invalid UTF-8 is what Encoder documents.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

// input is a call's input on the wire.
func input(b *providers.Block) string {
	if b.Input == "" {
		return "{}"
	}
	return b.Input
}
