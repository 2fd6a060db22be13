package gemini

import (
	"slices"
	"strconv"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/kept"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// Options are the few things in which servers and models of this API differ.
type Options struct {
	// Thoughts asks for a summary of what the model thinks. Models that do not
	// think refuse it. Signatures come without it.
	Thoughts bool
	// NoIDs leaves out the ids of calls and results, which models before Gemini 3 do
	// not need and some servers refuse (looplj/axonhub#874); they are matched by name
	// and order then.
	NoIDs bool
	// OldSchemas sends a tool's schema as parameters, in the dialect of OpenAPI that
	// the API began with. It refuses most of JSON Schema there, and is all that some
	// servers know.
	OldSchemas bool
}

// Encoder encodes the requests of one conversation, each of which repeats the
// messages of the one before: it keeps their encodings, so that a request costs
// what is new in it, and the copy into its body (a long session would be
// quadratic). It compares messages by value (strings that are the same memory
// compare at once), so a caller may build them afresh each time, change them, or
// go back to an earlier point.
//
// It repairs nothing: blocks keep their order, a signature its bytes, Raw its
// spelling. What is sent for what the API has no place for is said at EncodeRequest.
//
// The zero Encoder is ready; its Options are not changed after the first request.
// It is used by one goroutine at a time.
type Encoder struct {
	Options Options

	kept kept.Messages
}

// Encode appends the body of a request. Model and Stream are not in it; see
// PathOf.
func (e *Encoder) Encode(dst []byte, req *providers.Request) []byte {
	w := writer{e.Options, req.Messages, 0}
	text := e.kept.Encode(req.Messages, w.message)
	dst = w.head(dst, req)
	return append(append(slices.Grow(dst, len(text)+2), text...), "]}"...)
}

// writer writes one request.
type writer struct {
	Options
	msgs []providers.Message
	done int // how many of msgs are known to stand before the next one
}

// head appends everything of a request up to its first message.
func (w *writer) head(dst []byte, req *providers.Request) []byte {
	dst = append(dst, '{')
	if req.System != "" {
		dst = append(strict.AppendString(append(dst, `"systemInstruction":{"parts":[{"text":`...), req.System), "}]},"...)
	}
	if len(req.Tools) > 0 {
		schema := `,"parametersJsonSchema":`
		if w.OldSchemas {
			schema = `,"parameters":`
		}
		dst = append(dst, `"tools":[{"functionDeclarations":[`...)
		for i := range req.Tools {
			t := &req.Tools[i]
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = strict.AppendString(append(dst, `{"name":`...), t.Name)
			if t.Description != "" {
				dst = strict.AppendString(append(dst, `,"description":`...), t.Description)
			}
			if t.Schema != "" {
				dst = strict.AppendObject(append(dst, schema...), t.Schema)
			}
			dst = append(dst, '}')
		}
		dst = append(dst, "]}],"...)
	}
	if req.MaxTokens != 0 || w.Thoughts {
		dst = append(dst, `"generationConfig":{`...)
		if req.MaxTokens != 0 {
			dst = strconv.AppendInt(append(dst, `"maxOutputTokens":`...), int64(req.MaxTokens), 10)
		}
		if req.MaxTokens != 0 && w.Thoughts {
			dst = append(dst, ',')
		}
		if w.Thoughts {
			dst = append(dst, `"thinkingConfig":{"includeThoughts":true}`...)
		}
		dst = append(dst, "},"...)
	}
	return append(dst, `"contents":[`...)
}
