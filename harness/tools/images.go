package tools

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/harnessbench/bench/providers"
)

// What providers take. A request with more, or with anything else, is refused
// as a whole, and the same request would be refused for ever: the image stays
// in the history. So what does not fit never gets there.
const (
	MaxImages     = 8         // of one result
	MaxImageBytes = 5_000_000 // of base64, each
)

var imageTypes = [...]string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// images sorts out what cannot be sent and returns, for the model, a sentence
// for each reason. A result that is an error holds text only: the API refuses
// anything else.
func (x *execution) images(failed bool) (kept []providers.ImageData, left []string) {
	var inError, kind, empty, size, damaged, more int
	for _, im := range x.out.Images {
		switch {
		case failed:
			inError++
		case !slices.Contains(imageTypes[:], im.Type):
			kind++
		case im.Data == "":
			empty++
		case len(im.Data) > MaxImageBytes:
			size++
		case !isBase64(im.Data):
			damaged++
		case len(kept) == MaxImages:
			more++
		default:
			kept = append(kept, im)
		}
	}
	for _, r := range []struct {
		n   int
		why string
	}{
		{inError, "a result that is an error holds text only"},
		{kind, "only png, jpeg, gif and webp can be shown"},
		{empty, "no data"},
		{size, "more than " + count(MaxImageBytes, "byte") + " of base64"},
		{damaged, "the data is not base64"},
		{more, "a result holds at most " + count(MaxImages, "image")},
	} {
		switch {
		case r.n == 1:
			left = append(left, "1 image was left out: "+r.why)
		case r.n > 1:
			left = append(left, count(r.n, "image")+" were left out: "+r.why)
		}
	}
	return kept, left
}

// isBase64 reports whether s is standard base64 with its padding and nothing
// else, line breaks included: providers are no less strict.
func isBase64(s string) bool {
	if strings.ContainsAny(s, "\r\n") { // the decoder skips them
		return false
	}
	_, err := base64.StdEncoding.Strict().DecodeString(s)
	return err == nil
}

// withNote adds what was left out to a text.
func withNote(text string, left []string) string {
	if len(left) == 0 {
		return text
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + "(" + strings.Join(left, "; ") + ")"
}
