package gemini

import (
	"net/url"
	"strings"

	"github.com/harnessbench/bench/providers"
)

// Method is the part of a request that its URL says, because its body does not.
type Method struct {
	Model  string
	Stream bool // streamGenerateContent
	SSE    bool // as server-sent events, not as one JSON array
}

const (
	methodWhole  = ":generateContent"
	methodStream = ":streamGenerateContent"
)

// PathOf returns where a request is sent, behind the base URL. A stream is asked
// for as server-sent events. A model may be named with the collection that it is
// in (tunedModels/x); without, it is one of models.
func PathOf(req *providers.Request) string {
	names := strings.Split(req.Model, "/")
	if len(names) == 1 {
		names = []string{"models", req.Model}
	}
	for i, name := range names {
		names[i] = url.PathEscape(name)
	}
	path := "/" + strings.Join(names, "/")
	if req.Stream {
		return path + methodStream + "?alt=sse"
	}
	return path + methodWhole
}

// ReadPath reads the path of a request, with its query if it has one, as PathOf or
// another client writes it. Whatever stands in front of the model (a version; a
// project and its publisher) is passed over. ok is false if the path is that of
// another method.
func ReadPath(path string) (m Method, ok bool) {
	path, query, _ := strings.Cut(path, "?")
	if rest, stream := strings.CutSuffix(path, methodStream); stream {
		m.Stream, path = true, rest
	} else if path, ok = strings.CutSuffix(path, methodWhole); !ok {
		return Method{}, false
	}
	if m.Stream {
		values, _ := url.ParseQuery(query) // of a query that is broken, what can be read
		m.SSE = values.Get("alt") == "sse"
	}
	at := strings.LastIndexByte(path, '/')
	name, err := url.PathUnescape(path[at+1:])
	if err != nil || name == "" {
		return Method{}, false
	}
	m.Model = name
	if at > 0 {
		front := path[:at]
		if in := front[strings.LastIndexByte(front, '/')+1:]; in != "" && in != "models" {
			m.Model = in + "/" + name
		}
	}
	return m, true
}
