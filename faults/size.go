package faults

import (
	"fmt"
	"net/http"

	"github.com/harnessbench/bench/providers/fake"
)

// sizeFaults are limits on the request itself.
func sizeFaults() []Fault {
	overflow := []string{"ladder/order", "ladder/progress", "context/shrinks", "wire/no-hopeless-retry", "context/pairs"}
	return []Fault{
		{
			Name: "window", Summary: "The model's window holds so many tokens: a longer prompt is refused, in the provider's words",
			Params:  []Param{needed(number("tokens", 0, 1, 1<<40, "how many"))},
			Reports: []string{"anthropics/claude-code#24179", "docker/docker-agent#2235", "kortix-ai/suna#172"}, Rules: overflow,
			Scenario: "fault-size/window", ends: "prompt_too_long", always: true, with: []string{"tokens=10"},
			ahead: func(m *moment, a Args) *fake.Plan { return m.Overflow(a.int("tokens")) },
		},
		{
			Name: "body-limit", Summary: "The API takes bodies of so many bytes: a larger one is answered with 413",
			Params:  []Param{needed(size("bytes", "0", 1, 1<<30, "how many"))},
			Reports: []string{"earendil-works/pi#4642", "can1357/oh-my-pi#271", "askui/python-sdk#165"}, Rules: overflow,
			Scenario: "fault-size/body-limit", ends: "prompt_too_long", always: true, with: []string{"bytes=100"},
			ahead: func(m *moment, a Args) *fake.Plan {
				if len(m.Body) <= a.bytes("bytes") {
					return nil
				}
				return m.Refuse(http.StatusRequestEntityTooLarge, "", "")
			},
		},
		{
			Name: "shrinking-window", Summary: "The model's window gets smaller each time a prompt does not fit, down to a floor",
			Params:  []Param{needed(number("tokens", 0, 1, 1<<40, "of the first")), needed(number("by", 0, 1, 1<<40, "how much smaller each time")), number("floor", 1, 1, 1<<40, "where it stays")},
			Reports: []string{"anthropics/claude-code#24179", "NousResearch/hermes-agent#63161"}, Rules: append([]string{"ladder/bounded"}, overflow...),
			Scenario: "fault-size/shrinking-window", ends: "prompt_too_long", always: true, with: []string{"tokens=10", "by=5"},
			fits: func(a Args) error {
				if a.int("floor") > a.int("tokens") {
					return fmt.Errorf("floor=%s is above tokens=%s, so the window would grow: take a floor from 1 to %s", a["floor"], a["tokens"], a["tokens"])
				}
				return nil
			},
			ahead: func(m *moment, a Args) *fake.Plan {
				if m.window == 0 {
					m.window = a.int("tokens")
				}
				p := m.Overflow(m.window)
				if p != nil {
					m.window = max(a.int("floor"), m.window-a.int("by"))
				}
				return p
			},
		},
		{
			Name: "one-too-many", Summary: "The model's window is one token smaller than the prompt, whatever the prompt is",
			Reports: []string{"google-gemini/gemini-cli#16516"}, Rules: overflow, Scenario: "fault-size/one-too-many", ends: "prompt_too_long",
			ahead: func(m *moment, _ Args) *fake.Plan {
				if m.Tokens() < 2 {
					return nil
				}
				return m.Overflow(m.Tokens() - 1)
			},
		},
		{
			Name: "no-room", Summary: "The window holds the prompt, and so many tokens beside it: a request that asks for more is refused, in the provider's words",
			Params:  []Param{number("left", 1000, 1, 1<<40, "how many tokens")},
			Reports: []string{"kortix-ai/suna#172", "continuedev/continue#6080", "AbanteAI/LoCoDiff-bench#70"}, Rules: append([]string{"ladder/bounded"}, overflow...),
			Scenario: "fault-size/no-room", ends: "completed", Protocols: []string{"anthropic"},
			ahead: func(m *moment, a Args) *fake.Plan { return m.Overflow(m.Tokens() + a.int("left")) },
		},
	}
}
