package classify

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Read finds the type, the code and the message of an error in the body of an
// answer, whoever wrote it: a model API, a gateway in front of it, a web server's
// HTML page, or plain text. What is nowhere is "". The message is never cut.
func Read(body []byte) (typ, code, message string) {
	text := strings.TrimSpace(strings.ToValidUTF8(string(body), "\ufffd"))
	switch {
	case strings.HasPrefix(text, "<"):
		return "", "", title(text)
	case strings.HasPrefix(text, "["): // Gemini's stream, before it began
		var list []jsontext.Value
		if json.Unmarshal([]byte(text), &list, lenient) == nil && len(list) > 0 && list[0].Kind() == '{' {
			return Read(list[0])
		}
	case strings.HasPrefix(text, "{"):
		if typ, code, message, ok := readObject([]byte(text)); ok {
			return typ, code, message
		}
	}
	return "", "", strings.Join(strings.Fields(text), " ")
}

// lenient reads what servers send: they are not known to mind a repeated key.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// object is every place where an API is known to say what went wrong.
type object struct {
	Error     jsontext.Value `json:"error"`
	Type      jsontext.Value `json:"type"`
	Code      jsontext.Value `json:"code"`
	Status    jsontext.Value `json:"status"` // Gemini's type
	Message   jsontext.Value `json:"message"`
	Capital   jsontext.Value `json:"Message"` // AWS
	AWS       jsontext.Value `json:"__type"`
	ErrorType jsontext.Value `json:"error_type"` // TGI
	Detail    jsontext.Value `json:"detail"`     // FastAPI: a text, or a list of {msg}
	Msg       jsontext.Value `json:"msg"`
	BaseResp  struct {
		Msg jsontext.Value `json:"status_msg"`
	} `json:"base_resp"` // MiniMax
	Metadata struct {
		Raw jsontext.Value `json:"raw"` // OpenRouter: what the provider said
	} `json:"metadata"`
}

// readObject reads an object; ok is false if it says nothing that is known.
func readObject(v jsontext.Value) (typ, code, message string, ok bool) {
	var o object
	if json.Unmarshal(v, &o, lenient) != nil {
		return "", "", "", false
	}
	message = first(o.Message, o.Capital, o.Detail, o.Msg, o.BaseResp.Msg)
	code = str(o.Code)
	if typ = first(o.Type, o.ErrorType, o.AWS); typ == "error" {
		typ = "" // the kind of event, not of error
	}
	if _, name, found := strings.Cut(typ, "#"); found {
		typ = name // com.amazonaws...#ValidationException
	}
	switch o.Error.Kind() {
	case '"':
		if message == "" {
			message = str(o.Error)
		}
	case '{':
		t, c, m, _ := readObject(o.Error)
		typ, code = or(t, typ), or(c, code)
		message = or(m, message)
	}
	if status := str(o.Status); typ == "" && status != strings.ToLower(status) {
		typ = status
	}
	if o.Detail.Kind() == '[' && message == "" {
		var list []object
		if json.Unmarshal(o.Detail, &list, lenient) == nil && len(list) > 0 {
			message = str(list[0].Msg)
		}
	}
	if raw := str(o.Metadata.Raw); raw != "" {
		message = strings.TrimSpace(message + ": " + raw)
	}
	return typ, code, message, typ != "" || code != "" || message != ""
}

// str is a value that should be a string, "" if it is none.
func str(v jsontext.Value) string {
	var s string
	if v.Kind() != '"' || json.Unmarshal(v, &s, lenient) != nil {
		return ""
	}
	return s
}

func first(values ...jsontext.Value) string {
	for _, v := range values {
		if s := str(v); s != "" {
			return s
		}
	}
	return ""
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// title is what an HTML error page says it is.
func title(page string) string {
	lower := strings.ToLower(page)
	from := strings.Index(lower, "<title>")
	to := strings.Index(lower, "</title>")
	if len(lower) != len(page) || from < 0 || to < from {
		return strings.Join(strings.Fields(page), " ")
	}
	return strings.TrimSpace(page[from+len("<title>") : to])
}
