package fake

import (
	"regexp"
	"strings"

	codec "github.com/harnessbench/bench/providers/gemini"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// parse decodes and checks a request. Its model, and whether a stream is asked
// for, stand in the URL; url is "" where only the body is of interest.
func (gemini) parse(url string, body []byte) (*request, *Refusal) {
	if !isJSON(body) {
		return nil, geminiInvalid("Invalid JSON payload received. Unable to parse the request body.")
	}
	v := node(strict.SkipSpace(body))
	if !v.isObject() {
		return nil, geminiInvalid("Invalid JSON payload received. Unknown name \"\": Root element must be a message.")
	}
	neutral, err := codec.DecodeRequest(body)
	q := newRequest(body, v, neutral)
	if m, ok := codec.ReadPath(url); ok {
		q.neutral.Model, q.neutral.Stream, q.form.array = m.Model, m.Stream, m.Stream && !m.SSE
	}
	r := checkGemini(v)
	if r == nil {
		if r = checkNeutral(q, err); r != nil {
			r.Type = "INVALID_ARGUMENT"
		}
	}
	return q, r
}

// either is a member under either of its names: the API takes both.
func (v node) either(name string) node {
	if m := v.member(name); m != nil {
		return m
	}
	return v.member(snake(name))
}

// snake is a member's name as the API's own errors write it.
func snake(name string) string {
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
			b.WriteByte(c - 'A' + 'a')
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// one is a list, or a list of the one object that stands in its place.
func (v node) one() []node {
	if v.isObject() {
		return []node{v}
	}
	return v.list()
}

func checkGemini(v node) *Refusal {
	if r := checkGeminiTools(v.member("tools")); r != nil {
		return r
	}
	if n := v.either("generationConfig").either("maxOutputTokens"); !n.absent() {
		if k, ok := n.number(); !ok {
			return geminiInvalid("Invalid value at 'generation_config.max_output_tokens' (TYPE_INT32), %s", n)
		} else if k < 1 {
			return geminiField("generation_config.max_output_tokens", "max_output_tokens must be positive.")
		}
	}
	contents := v.member("contents").one()
	if len(contents) == 0 {
		return geminiField("contents", "contents is not specified")
	}
	for i, c := range contents {
		if role := c.member("role"); !role.absent() && role.str() != "user" && role.str() != "model" && role.str() != "function" {
			return geminiInvalid("Please use a valid role: user, model.")
		}
		parts := c.member("parts").one()
		if len(parts) == 0 {
			return geminiField(at("contents[%d].parts", i), "contents.parts must not be empty.")
		}
		for k, p := range parts {
			if r := checkGeminiPart(at("contents[%d].parts[%d]", i, k), p); r != nil {
				return r
			}
		}
	}
	return checkGeminiTurns(contents)
}

// geminiName is what a function may be called.
var geminiName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$`)

func checkGeminiTools(tools node) *Refusal {
	seen := map[string]bool{}
	for i, t := range tools.one() {
		for k, f := range t.either("functionDeclarations").list() {
			field := at("tools[%d].function_declarations[%d]", i, k)
			name := f.member("name").str()
			switch {
			case !geminiName.MatchString(name):
				return geminiField(field+".name", "[FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.")
			case seen[name]:
				return geminiInvalid("Duplicate function declaration found: %s", name)
			}
			seen[name] = true
			schema := f.either("parametersJsonSchema")
			if !schema.absent() && !f.member("parameters").absent() {
				return geminiField(field, "only one of parameters and parameters_json_schema may be set")
			}
			if p := f.member("parameters"); schema.absent() && !p.absent() {
				schema = p
			}
			if typ := schema.member("type").str(); !schema.absent() && typ != "" && !strings.EqualFold(typ, "object") {
				return geminiField(field+".parameters", "parameters schema should be of type OBJECT")
			}
		}
	}
	return nil
}

// checkGeminiPart checks a part alone.
func checkGeminiPart(field string, p node) *Refusal {
	call, result, data := p.either("functionCall"), p.either("functionResponse"), p.either("inlineData")
	switch {
	case !call.absent():
		if call.member("name").str() == "" {
			return geminiField(field+".function_call.name", "Name cannot be empty.")
		}
		if args := call.member("args"); !args.absent() && !args.isObject() {
			return geminiInvalid("Invalid value at '%s.function_call.args' (type.googleapis.com/google.protobuf.Struct), %s", field, args)
		}
	case !result.absent():
		if result.member("name").str() == "" {
			return geminiField(field+".function_response.name", "Name cannot be empty.")
		}
		if response := result.member("response"); !response.isObject() {
			return geminiInvalid("Invalid value at '%s.function_response.response' (type.googleapis.com/google.protobuf.Struct), %s", field, response)
		}
		for k, part := range result.member("parts").list() {
			if r := checkGeminiData(at("%s.function_response.parts[%d].inline_data", field, k), part.either("inlineData")); r != nil {
				return r
			}
		}
	case !data.absent():
		return checkGeminiData(field+".inline_data", data)
	case p.member("text").absent() && !hasData(p):
		return geminiField(field+".data", "required oneof field 'data' must have one initialized field")
	}
	return nil
}

// hasData reports whether a part has a member that the checks do not know.
func hasData(p node) bool {
	for _, name := range []string{"fileData", "executableCode", "codeExecutionResult", "toolCall", "toolResponse"} {
		if !p.either(name).absent() {
			return true
		}
	}
	return false
}

func checkGeminiData(field string, data node) *Refusal {
	typ := data.either("mimeType").str()
	switch {
	case data.absent():
		return nil
	case strings.HasPrefix(typ, "image/") && !isImageType(typ) && typ != "image/heic" && typ != "image/heif" || typ == "":
		return geminiInvalid("Unsupported MIME type: %s", typ)
	case !isBase64(data.member("data").str()):
		return geminiInvalid("Invalid value at '%s.data' (TYPE_BYTES), Base64 decoding failed for %s", field, clip(data.member("data").str()))
	}
	return nil
}

// checkGeminiTurns: calls come behind the user or behind results, and the turn
// behind them has as many results.
func checkGeminiTurns(contents []node) *Refusal {
	const (
		afterUser = "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
		asMany    = "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
		afterCall = "Please ensure that function response turn comes immediately after a function call turn."
	)
	asked := 0 // calls of the content before
	before := ""
	for i, c := range contents {
		calls, results := 0, 0
		for _, p := range c.member("parts").one() {
			if !p.either("functionCall").absent() {
				calls++
			}
			if !p.either("functionResponse").absent() {
				results++
			}
		}
		role := c.member("role").str()
		switch {
		case results > 0 && asked == 0:
			return geminiInvalid(afterCall)
		case results != asked:
			return geminiInvalid(asMany)
		case calls > 0 && (role != "model" || i == 0 || before == "model"):
			return geminiInvalid(afterUser)
		}
		asked, before = calls, role
	}
	if asked > 0 {
		return geminiInvalid(asMany)
	}
	return nil
}
