package fake

import (
	"slices"
	"strings"
)

// checkPairs: each call is answered once, in the next message, before anything
// else that is in it; each result answers a call of the message before; no id
// is used twice in a message. (Over the whole conversation ids may repeat: a
// recording of pydantic-ai shows it answered with 200. checkStrict is of
// another mind.)
func checkPairs(q *msgRequest) *Refusal {
	merged := merge(q.Messages)
	for i, m := range merged {
		used := map[string]bool{}
		if m.Role == "assistant" {
			for k := range m.blocks {
				if b := &m.blocks[k]; b.Type == "tool_use" {
					if used[*b.ID] {
						return invalid("messages.%d.content.%d: `tool_use` ids must be unique", i, k)
					}
					used[*b.ID] = true
				}
			}
		}
		asked := map[string]bool{}
		if i > 0 && merged[i-1].Role == "assistant" {
			for k := range merged[i-1].blocks {
				if b := &merged[i-1].blocks[k]; b.Type == "tool_use" {
					asked[*b.ID] = true
				}
			}
		}
		answered := map[string]bool{}
		for k := range m.blocks {
			b := &m.blocks[k]
			if b.Type != "tool_result" {
				continue
			}
			id := *b.ToolUseID
			if !asked[id] {
				return invalid("messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", i, k, id)
			}
			if answered[id] {
				return invalid("messages.%d.content.%d: each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s", i, k, id)
			}
			answered[id] = true
		}
		if r := checkAnswered(merged, i); r != nil {
			return r
		}
	}
	return nil
}

// checkAnswered: the calls of message i have their results at the front of the
// next message.
func checkAnswered(merged []*msgMessage, i int) *Refusal {
	if merged[i].Role != "assistant" {
		return nil
	}
	front := map[string]bool{}
	if i+1 < len(merged) {
		for k := range merged[i+1].blocks {
			b := &merged[i+1].blocks[k]
			if b.Type != "tool_result" {
				break
			}
			front[*b.ToolUseID] = true
		}
	}
	var open []string
	for k := range merged[i].blocks {
		if b := &merged[i].blocks[k]; b.Type == "tool_use" && !front[*b.ID] {
			open = append(open, *b.ID)
		}
	}
	if open == nil {
		return nil
	}
	return invalid("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i, strings.Join(open, ", "))
}

// checkServerPairs: what the provider ran itself. A call of its own may stay
// open while the turn goes on (the answer was paused, or waits for results of
// client tools), but not once the user has said something.
func checkServerPairs(q *msgRequest) *Refusal {
	merged := merge(q.Messages)
	type call struct {
		name string
		at   int
	}
	asked, open := map[string]bool{}, map[string]call{}
	var order []string
	for i, m := range merged {
		for k := range m.blocks {
			b := &m.blocks[k]
			switch {
			case b.Type == "server_tool_use":
				asked[*b.ID] = true
				open[*b.ID] = call{*b.Name, i}
				order = append(order, *b.ID)
			case b.isServerResult() && m.Role == "assistant":
				id := deref(b.ToolUseID)
				if !asked[id] && b.Type != "mcp_tool_result" {
					return invalid("messages.%d.content.%d: unexpected `tool_use_id` found in `%s` blocks: %s. Each `%s` block must have a corresponding `server_tool_use` block before it.", i, k, b.Type, id, b.Type)
				}
				delete(open, id)
			case m.Role == "user" && b.Type != "tool_result":
				for _, id := range order {
					if c, ok := open[id]; ok {
						return invalid("messages.%d: `%s` tool use with id `%s` was found without a corresponding `%s_tool_result` block", c.at, c.name, id, c.name)
					}
				}
			}
		}
	}
	return nil
}

// checkThinking: no message of the model ends with a thought, and in a tool
// loop with thinking switched on the open turn begins with one.
func checkThinking(q *msgRequest) *Refusal {
	merged := merge(q.Messages)
	for i, m := range merged {
		if m.Role != "assistant" || len(m.blocks) == 0 {
			continue
		}
		if kind := m.blocks[len(m.blocks)-1].Type; kind == "thinking" || kind == "redacted_thinking" {
			return invalid("messages.%d: The final block in an assistant message cannot be `%s`.", i, kind)
		}
	}
	n := len(merged)
	if q.Thinking.Type != "enabled" || n < 2 || !answers(merged[n-1]) || merged[n-2].Role != "assistant" {
		return nil
	}
	if first := merged[n-2].blocks[0].Type; first != "thinking" && first != "redacted_thinking" {
		return invalid("messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`.", n-2, first)
	}
	return nil
}

// answers reports whether a user message carries results.
func answers(m *msgMessage) bool {
	return m.Role == "user" && len(m.blocks) > 0 && m.blocks[0].Type == "tool_result"
}

// blockTypes are the types of a request's blocks that are documented without a
// beta, or that this project's codec can send back.
var blockTypes = map[string]bool{
	"text": true, "image": true, "document": true, "search_result": true, "container_upload": true,
	"tool_use": true, "tool_result": true, "server_tool_use": true, "thinking": true, "redacted_thinking": true,
}

// checkStrict: what the real API lets pass and our own loop must not send.
func checkStrict(q *msgRequest) *Refusal {
	used := map[string]bool{}
	for i, m := range q.Messages {
		if m.Role == "system" {
			return ours(`messages: Unexpected role "system". The Messages API accepts a top-level ` + "`system`" + ` parameter, not "system" as an input message role.`)
		}
		if i == 0 && m.Role != "user" {
			return ours(`messages: first message must use the "user" role`)
		}
		if i > 0 && q.Messages[i-1].Role == m.Role {
			return ours(`messages: roles must alternate between "user" and "assistant", but found multiple "%s" roles in a row`, m.Role)
		}
		for k := range m.blocks {
			b := &m.blocks[k]
			if !blockTypes[b.Type] && !b.isServerResult() {
				return ours("messages.%d.content.%d: Input tag '%s' found using 'type' does not match any of the expected tags", i, k, b.Type)
			}
			if b.Type == "tool_use" {
				if used[*b.ID] {
					return ours("messages.%d.content.%d: `tool_use` ids must be unique", i, k)
				}
				used[*b.ID] = true
			}
			if b.Type == "tool_result" && hasEmptyText(b) {
				return ours("messages.%d.content.%d.tool_result: text content blocks must be non-empty", i, k)
			}
		}
	}
	return nil
}

// hasEmptyText reports whether a result holds an empty text block.
func hasEmptyText(b *msgBlock) bool {
	return slices.ContainsFunc(b.parts, func(p msgBlock) bool { return p.Type == "text" && deref(p.Text) == "" })
}
