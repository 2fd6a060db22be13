package fake

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/harnessbench/bench/providers/internal/strict"
)

// isJSON reports whether a body is JSON as servers read it; only then it may be
// walked.
func isJSON(body []byte) bool { return jsontext.Value(body).IsValid(lenient) }

// node is a value of a request's JSON: nil where it is missing.
type node []byte

func (v node) member(name string) node {
	if !strict.IsKind(v, '{') {
		return nil
	}
	var last node
	for m := strict.Members(v); m.Next(); {
		if string(m.Name) == name {
			last = m.Value
		}
	}
	return last
}

func (v node) list() []node {
	if !strict.IsKind(v, '[') {
		return nil
	}
	var out []node
	for e := strict.Elements(v); e.Next(); {
		out = append(out, e.Value)
	}
	return out
}

func (v node) isString() bool { return strict.IsKind(v, '"') }
func (v node) isArray() bool  { return strict.IsKind(v, '[') }
func (v node) isObject() bool { return strict.IsKind(v, '{') }
func (v node) absent() bool   { return strict.Absent(v) }

// str is the text of a string, "" of anything else.
func (v node) str() string {
	if !v.isString() {
		return ""
	}
	text, _ := jsontext.AppendUnquote(nil, v) // what is not UTF-8 is replaced
	return string(text)
}

// number is the value as a whole number.
func (v node) number() (int, bool) {
	n, err := strconv.Atoi(string(v))
	return n, err == nil
}

// what names the value's type as OpenAI's errors do.
func (v node) what() string {
	switch {
	case v.isString():
		return "a string"
	case v.isArray():
		return "an array"
	case v.isObject():
		return "an object"
	case string(v) == "null":
		return "null"
	case string(v) == "true", string(v) == "false":
		return "a boolean"
	}
	if _, ok := v.number(); ok {
		return "an integer"
	}
	return "a decimal"
}

// The sentences that OpenAI's APIs have for every member.

func missing(param string) *Refusal {
	return openaiInvalid(param, "missing_required_parameter", "Missing required parameter: '%s'.", param)
}

func wrongType(param, want string, v node) *Refusal {
	return openaiInvalid(param, "invalid_type", "Invalid type for '%s': expected %s, but got %s instead.", param, want, v.what())
}

func badValue(param, got string, supported ...string) *Refusal {
	n := len(supported) - 1
	list := "'" + supported[n] + "'"
	if n > 0 {
		list = "'" + strings.Join(supported[:n], "', '") + "', and " + list
	}
	return openaiInvalid(param, "invalid_value", "Invalid value: '%s'. Supported values are: %s.", got, list)
}

func emptyArray(param string) *Refusal {
	return openaiInvalid(param, "empty_array", "Invalid '%s': empty array. Expected an array with minimum length 1, but got an empty array instead.", param)
}

func emptyString(param string) *Refusal {
	return openaiInvalid(param, "empty_string", "Invalid '%s': empty string. Expected a string with minimum length 1, but got an empty string instead.", param)
}

func longString(param string, most, n int) *Refusal {
	return openaiInvalid(param, "string_above_max_length", "Invalid '%s': string too long. Expected a string with maximum length %d, but got a string with length %d instead.", param, most, n)
}

// checkID checks an id or a name for its length.
func checkLength(param string, v node, most int) *Refusal {
	switch {
	case v.absent():
		return missing(param)
	case !v.isString():
		return wrongType(param, "a string", v)
	case v.str() == "":
		return emptyString(param)
	case len([]rune(v.str())) > most:
		return longString(param, most, len([]rune(v.str())))
	}
	return nil
}

// checkName checks the name of a function.
func checkName(param string, v node, most int) *Refusal {
	if r := checkLength(param, v, most); r != nil {
		return r
	}
	if !isToken(v.str()) {
		return openaiInvalid(param, "invalid_value", "Invalid '%s': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", param)
	}
	return nil
}

// checkLimit checks a limit of tokens.
func checkLimit(param string, v node, least int) *Refusal {
	if v.absent() {
		return nil
	}
	n, ok := v.number()
	switch {
	case !ok:
		return wrongType(param, "an integer", v)
	case n < least:
		return openaiInvalid(param, "integer_below_min_value", "Invalid '%s': integer below minimum value. Expected a value >= %d, but got %d instead.", param, least, n)
	}
	return nil
}

// checkParameters checks a function's schema, which may be missing.
func checkParameters(param, name string, v node) *Refusal {
	if v.absent() {
		return nil
	}
	if !v.isObject() {
		return wrongType(param, "an object", v)
	}
	if typ := v.member("type"); len(v.list()) == 0 && typ != nil && typ.str() != "object" || typ == nil && !strict.IsEmpty(v) {
		got := "None"
		if typ != nil {
			got = strings.Trim(string(typ), `"`)
		}
		return openaiInvalid(param, "invalid_function_parameters", `Invalid schema for function '%s': schema must be a JSON Schema of 'type: "object"', got 'type: "%s"'.`, name, got)
	}
	return nil
}

// dataURL is the form in which images are sent by value.
var dataURL = regexp.MustCompile(`^data:([^;,]*);base64,(.*)$`)

// checkDataURL checks an image that is sent by value; a link is let pass.
func checkDataURL(param, url string) *Refusal {
	m := dataURL.FindStringSubmatch(url)
	switch {
	case m == nil && strings.HasPrefix(url, "data:"):
		return openaiInvalid(param, "invalid_image_url", "Invalid '%s'. Expected a base64-encoded data URL with an image MIME type, but got an unsupported one.", param)
	case m == nil:
		return nil
	case !isImageType(m[1]):
		return openaiInvalid(param, "invalid_image_format", "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].")
	case m[2] == "":
		return openaiInvalid(param, "empty_image_file", "The image data you provided does not represent a valid image. Please check your input and try again.")
	case !isBase64(m[2]):
		return openaiInvalid(param, "invalid_base64_image", "The image data you provided does not represent a valid image. Please check your input and try again.")
	}
	return nil
}

// notJSONBody refuses a body that is no JSON object.
func notJSONBody(body []byte) *Refusal {
	if !isJSON(body) {
		return openaiInvalid("", "", "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)")
	}
	if !strict.IsKind(strict.SkipSpace(body), '{') {
		return openaiInvalid("", "invalid_type", "Invalid type for request body: expected an object, but got %s instead.", node(strict.SkipSpace(body)).what())
	}
	return nil
}

// at is a place in a request, as OpenAI's errors name it.
func at(format string, args ...any) string { return fmt.Sprintf(format, args...) }
