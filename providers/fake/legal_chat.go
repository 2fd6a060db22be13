package fake

import (
	"slices"
	"strings"

	"github.com/harnessbench/bench/providers/internal/strict"
	"github.com/harnessbench/bench/providers/openai"
)

// Most characters of an id and of a name in Chat.
const (
	maxChatID   = 40
	maxChatName = 64
)

// parse decodes and checks a request's body.
func (chat) parse(_ string, body []byte) (*request, *Refusal) {
	if r := notJSONBody(body); r != nil {
		return nil, r
	}
	v := node(strict.SkipSpace(body))
	neutral, err := openai.Chat.DecodeRequest(body)
	q := newRequest(body, v, neutral)
	q.form.usage = string(v.member("stream_options").member("include_usage")) == "true"
	r := checkChat(v)
	if r == nil {
		r = checkNeutral(q, err)
	}
	return q, r
}

func checkChat(v node) *Refusal {
	messages := v.member("messages")
	switch {
	case v.member("model").absent():
		return openaiInvalid("", "", "you must provide a model parameter")
	case !v.member("model").isString():
		return wrongType("model", "a string", v.member("model"))
	case messages.absent():
		return missing("messages")
	case !messages.isArray():
		return wrongType("messages", "an array of objects", messages)
	case len(messages.list()) == 0:
		return emptyArray("messages")
	case !v.member("max_tokens").absent() && !v.member("max_completion_tokens").absent():
		return openaiInvalid("max_tokens", "invalid_parameter_combination", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
	}
	for _, name := range []string{"max_tokens", "max_completion_tokens"} {
		if r := checkLimit(name, v.member(name), 1); r != nil {
			return r
		}
	}
	if r := checkChatTools(v.member("tools")); r != nil {
		return r
	}
	for i, m := range messages.list() {
		if r := checkChatMessage(at("messages[%d]", i), m); r != nil {
			return r
		}
	}
	return checkChatPairs(messages.list())
}

func checkChatTools(tools node) *Refusal {
	switch {
	case tools.absent():
		return nil
	case !tools.isArray():
		return wrongType("tools", "an array of objects", tools)
	case len(tools.list()) == 0:
		return emptyArray("tools")
	}
	for i, t := range tools.list() {
		param := at("tools[%d]", i)
		f := t.member("function")
		switch typ := t.member("type"); {
		case !t.isObject():
			return wrongType(param, "an object", t)
		case typ.absent():
			return missing(param + ".type")
		case typ.str() == "custom":
			continue
		case typ.str() != "function":
			return badValue(param+".type", typ.str(), "function", "custom")
		case f.absent():
			return missing(param + ".function")
		}
		if r := checkName(param+".function.name", f.member("name"), maxChatName); r != nil {
			return r
		}
		if r := checkParameters(param+".function.parameters", f.member("name").str(), f.member("parameters")); r != nil {
			return r
		}
	}
	return nil
}

func checkChatMessage(param string, m node) *Refusal {
	if !m.isObject() {
		return wrongType(param, "an object", m)
	}
	content, calls := m.member("content"), m.member("tool_calls")
	role := m.member("role")
	switch {
	case role.absent():
		return missing(param + ".role")
	case !slices.Contains([]string{"system", "assistant", "user", "function", "tool", "developer"}, role.str()):
		return badValue(param+".role", role.str(), "system", "assistant", "user", "function", "tool", "developer")
	}
	spoken := role.str() == "assistant" && (!calls.absent() || !m.member("function_call").absent() || !m.member("refusal").absent())
	switch {
	case content.absent() && !spoken:
		return openaiInvalid(dotted(param)+".content", "", "Invalid value for 'content': expected a string, got null.")
	case !content.absent() && !content.isString() && !content.isArray():
		return wrongType(param+".content", "one of a string or array of objects", content)
	case content.isArray() && len(content.list()) == 0:
		return emptyArray(param + ".content")
	}
	for k, part := range content.list() {
		if r := checkChatPart(param, at("%s.content[%d]", param, k), role.str(), part); r != nil {
			return r
		}
	}
	if calls.absent() {
		return nil
	}
	switch {
	case role.str() != "assistant":
		return openaiInvalid(dotted(param)+".tool_calls", "", "Invalid parameter: 'tool_calls' is only allowed in messages with role 'assistant'.")
	case !calls.isArray():
		return wrongType(param+".tool_calls", "an array of objects", calls)
	case len(calls.list()) == 0:
		return emptyArray(param + ".tool_calls")
	}
	for k, c := range calls.list() {
		if r := checkChatCall(at("%s.tool_calls[%d]", param, k), c); r != nil {
			return r
		}
	}
	return nil
}

// dotted is a place as the checks that look at whole messages name it.
func dotted(param string) string { return strings.Replace(param, "[", ".[", 1) }

func checkChatPart(message, param, role string, part node) *Refusal {
	typ := part.member("type")
	switch {
	case !part.isObject():
		return wrongType(param, "an object", part)
	case typ.absent():
		return missing(param + ".type")
	case typ.str() == "text":
		if text := part.member("text"); text.absent() {
			return missing(param + ".text")
		} else if !text.isString() {
			return wrongType(param+".text", "a string", text)
		}
	case typ.str() == "refusal" && role == "assistant":
	case typ.str() == "image_url" && role == "user":
		url := part.member("image_url").member("url")
		if url.absent() {
			return missing(param + ".image_url.url")
		}
		return checkDataURL(param+".image_url.url", url.str())
	case typ.str() == "image_url":
		return openaiInvalid(message, "invalid_value", "Invalid '%s'. Image URLs are only allowed for messages with role 'user', but this message with role '%s' contains an image URL.", message, role)
	case role == "user" && (typ.str() == "input_audio" || typ.str() == "file"):
	case role == "user":
		return badValue(param+".type", typ.str(), "text", "image_url", "input_audio", "refusal", "audio", "file")
	default:
		return badValue(param+".type", typ.str(), "text", "refusal")
	}
	return nil
}

func checkChatCall(param string, c node) *Refusal {
	if !c.isObject() {
		return wrongType(param, "an object", c)
	}
	if r := checkLength(param+".id", c.member("id"), maxChatID); r != nil {
		return r
	}
	f := c.member("function")
	switch typ := c.member("type"); {
	case typ.absent():
		return missing(param + ".type")
	case typ.str() == "custom":
		return nil
	case typ.str() != "function":
		return badValue(param+".type", typ.str(), "function", "custom")
	case f.absent():
		return missing(param + ".function")
	}
	if r := checkName(param+".function.name", f.member("name"), maxChatName); r != nil {
		return r
	}
	switch input := f.member("arguments"); {
	case input.absent():
		return missing(param + ".function.arguments")
	case !input.isString():
		return wrongType(param+".function.arguments", "a string", input)
	}
	return nil
}

// checkChatPairs: each call is answered once, directly behind its message; each
// result answers one of those.
func checkChatPairs(messages []node) *Refusal {
	var open, asked []string     // ids of the last message with calls
	answered := map[string]int{} // where
	used := map[string]int{}     // by a call of this message
	unanswered := func(i int) *Refusal {
		if len(open) == 0 {
			return nil
		}
		return openaiInvalid(at("messages.[%d].role", i), "", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(open, ", "))
	}
	for i, m := range messages {
		if m.member("role").str() == "tool" {
			id := m.member("tool_call_id")
			switch {
			case asked == nil:
				return openaiInvalid(at("messages.[%d].role", i), "", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
			case id.absent():
				return openaiInvalid(at("messages.[%d].tool_call_id", i), "", "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.")
			case !slices.Contains(asked, id.str()):
				return openaiInvalid(at("messages.[%d].tool_call_id", i), "", "Invalid parameter: 'tool_call_id' of '%s' not found in 'tool_calls' of previous message.", id.str())
			}
			if first, ok := answered[id.str()]; ok {
				return openaiInvalid(at("messages.[%d].tool_call_id", i), "", "Invalid parameter: Duplicate value for 'tool_call_id' of '%s', in messages[%d] and messages[%d].", id.str(), first, i)
			}
			answered[id.str()] = i
			open = slices.DeleteFunc(open, func(o string) bool { return o == id.str() })
			continue
		}
		if r := unanswered(i); r != nil {
			return r
		}
		open, asked = nil, nil
		clear(answered)
		clear(used)
		for k, c := range m.member("tool_calls").list() {
			id := c.member("id").str()
			if _, ok := used[id]; ok {
				return openaiInvalid(at("messages.[%d].tool_calls", i), "", "Invalid parameter: Duplicate value for 'id' of '%s', in messages[%d].tool_calls[%d] and messages[%d].tool_calls[%d].", id, i, used[id], i, k)
			}
			used[id] = k
			open, asked = append(open, id), append(asked, id)
		}
	}
	return unanswered(len(messages))
}
