package fake

import (
	"slices"
	"strings"

	"github.com/harnessbench/bench/providers/internal/strict"
	"github.com/harnessbench/bench/providers/openai"
)

// Most characters of an id of a call and of a name in Responses, and the least
// limit that it takes.
const (
	maxCallID        = 64
	maxResponsesName = 128
	minOutput        = 16
)

// parse decodes and checks a request's body.
func (responses) parse(_ string, body []byte) (*request, *Refusal) {
	if r := notJSONBody(body); r != nil {
		return nil, r
	}
	v := node(strict.SkipSpace(body))
	neutral, err := openai.Responses.DecodeRequest(body)
	q := newRequest(body, v, neutral)
	r := checkResponses(v)
	if r == nil {
		r = checkNeutral(q, err)
	}
	return q, r
}

func checkResponses(v node) *Refusal {
	input := v.member("input")
	switch {
	case v.member("model").absent():
		return missing("model")
	case !v.member("model").isString():
		return wrongType("model", "a string", v.member("model"))
	case input.absent() && v.member("previous_response_id").absent() && v.member("prompt").absent() && v.member("conversation").absent():
		return openaiInvalid("", "missing_required_parameter", `One of "input" or "previous_response_id" or 'prompt' or 'conversation' must be provided.`)
	case !input.absent() && !input.isString() && !input.isArray():
		return wrongType("input", "one of a string or array of input items", input)
	case input.isArray() && len(input.list()) == 0 && v.member("previous_response_id").absent():
		return openaiInvalid("", "missing_required_parameter", `One of "input" or "previous_response_id" or 'prompt' or 'conversation' must be provided.`)
	}
	if r := checkLimit("max_output_tokens", v.member("max_output_tokens"), minOutput); r != nil {
		return r
	}
	if r := checkResponsesTools(v.member("tools")); r != nil {
		return r
	}
	for i, it := range input.list() {
		if r := checkItem(at("input[%d]", i), it); r != nil {
			return r
		}
	}
	if !v.member("previous_response_id").absent() || !v.member("conversation").absent() {
		return nil // calls and results may be in what the API has stored
	}
	return checkItemPairs(input.list())
}

func checkResponsesTools(tools node) *Refusal {
	switch {
	case tools.absent():
		return nil
	case !tools.isArray():
		return wrongType("tools", "an array of objects", tools)
	}
	for i, t := range tools.list() {
		param := at("tools[%d]", i)
		switch typ := t.member("type"); {
		case !t.isObject():
			return wrongType(param, "an object", t)
		case typ.absent():
			return missing(param + ".type")
		case typ.str() != "function":
			continue // a tool of the provider's own, or one whose input is text
		}
		if r := checkName(param+".name", t.member("name"), maxResponsesName); r != nil {
			return r
		}
		if r := checkParameters(param+".parameters", t.member("name").str(), t.member("parameters")); r != nil {
			return r
		}
	}
	return nil
}

// itemPrefixes are what the ids of items begin with.
var itemPrefixes = map[string]string{"message": "msg", "reasoning": "rs", "function_call": "fc"}

func checkItem(param string, it node) *Refusal {
	if !it.isObject() {
		return wrongType(param, "an object", it)
	}
	typ := it.member("type").str()
	if typ == "" && !it.member("role").absent() {
		typ = "message"
	}
	if id, prefix := it.member("id"), itemPrefixes[typ]; id.isString() && prefix != "" && typ != "message" && !strings.HasPrefix(id.str(), prefix) {
		return openaiInvalid(param+".id", "invalid_value", "Invalid '%s.id': '%s'. Expected an ID that begins with '%s'.", param, id.str(), prefix)
	}
	switch typ {
	case "":
		return missing(param + ".type")
	case "message":
		return checkItemMessage(param, it)
	case "function_call":
		if r := checkLength(param+".call_id", it.member("call_id"), maxCallID); r != nil {
			return r
		}
		if r := checkName(param+".name", it.member("name"), maxResponsesName); r != nil {
			return r
		}
		switch input := it.member("arguments"); {
		case input.absent():
			return missing(param + ".arguments")
		case !input.isString():
			return wrongType(param+".arguments", "a string", input)
		}
	case "function_call_output":
		if r := checkLength(param+".call_id", it.member("call_id"), maxCallID); r != nil {
			return r
		}
		switch output := it.member("output"); {
		case output.absent():
			return missing(param + ".output")
		case !output.isString() && !output.isArray():
			return wrongType(param+".output", "one of an array of objects or string", output)
		default:
			return checkItemParts(param+".output", "user", output)
		}
	case "reasoning":
		if !it.member("summary").isArray() {
			return missing(param + ".summary")
		}
	}
	return nil
}

func checkItemMessage(param string, it node) *Refusal {
	role, content := it.member("role"), it.member("content")
	switch {
	case role.absent():
		return missing(param + ".role")
	case !slices.Contains([]string{"assistant", "system", "developer", "user"}, role.str()):
		return badValue(param+".role", role.str(), "assistant", "system", "developer", "user")
	case content.absent():
		return missing(param + ".content")
	case !content.isString() && !content.isArray():
		return wrongType(param+".content", "one of an array of objects or string", content)
	}
	return checkItemParts(param+".content", role.str(), content)
}

func checkItemParts(param, role string, content node) *Refusal {
	for k, part := range content.list() {
		param := at("%s[%d]", param, k)
		typ := part.member("type")
		switch {
		case !part.isObject():
			return wrongType(param, "an object", part)
		case typ.absent():
			return missing(param + ".type")
		case role == "assistant" && typ.str() == "refusal":
		case role == "assistant" && typ.str() != "output_text":
			return openaiInvalid(param+".type", "invalid_value", "Invalid value: '%s'. Supported values are: 'output_text' and 'refusal'.", typ.str())
		case role != "assistant" && !slices.Contains([]string{"input_text", "input_image", "input_file"}, typ.str()):
			return badValue(param+".type", typ.str(), "input_text", "input_image", "input_file")
		case strings.HasSuffix(typ.str(), "_text"):
			if text := part.member("text"); text.absent() {
				return missing(param + ".text")
			} else if !text.isString() {
				return wrongType(param+".text", "a string", text)
			}
		case typ.str() == "input_image":
			if r := checkDataURL(param+".image_url", part.member("image_url").str()); r != nil {
				return r
			}
		}
	}
	return nil
}

// checkItemPairs: each call has its output behind it, once, and each output its
// call before it; no item is there twice; reasoning has something behind it.
func checkItemPairs(items []node) *Refusal {
	var open []string
	asked, answered, seen := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i, it := range items {
		if id := it.member("id").str(); id != "" {
			if seen[id] {
				return openaiInvalid("input", "", "Duplicate item found with id %s. Remove duplicate items from your input and try again.", id)
			}
			seen[id] = true
		}
		id := it.member("call_id").str()
		switch it.member("type").str() {
		case "function_call":
			if asked[id] {
				return openaiInvalid("input", "", "Duplicate 'call_id': %s", id)
			}
			asked[id] = true
			open = append(open, id)
		case "function_call_output":
			switch {
			case !asked[id]:
				return openaiInvalid("input", "", "No tool call found for function call output with call_id %s.", id)
			case answered[id]:
				return openaiInvalid("input", "", "Duplicate function_call_output for call_id %s", id)
			}
			answered[id] = true
			open = slices.DeleteFunc(open, func(o string) bool { return o == id })
		case "reasoning":
			if rs := it.member("id").str(); rs != "" && (i+1 == len(items) || items[i+1].member("role").str() == "user") {
				return openaiInvalid("input", "", "Item '%s' of type 'reasoning' was provided without its required following item.", rs)
			}
		}
	}
	if len(open) > 0 {
		return openaiInvalid("input", "", "No tool output found for function call %s.", open[0])
	}
	return nil
}
