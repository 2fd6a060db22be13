package faults

import (
	"net/http"
	"strconv"
	"time"

	"github.com/harnessbench/bench/providers/fake"
)

// memory is what an armed fault knows of the requests before.
type memory struct {
	n      int       // it has counted
	begun  time.Time // the window of a quota under way
	used   int       // of the quota
	window int       // of a shrinking window
}

// quotaFaults are limits for a time, as providers have them: what is over is
// answered with 429 and the rest of the window as Retry-After, and consumes no
// reply.
func quotaFaults() []Fault {
	rules := []string{"wire/retry-after", "wire/backoff", "ladder/bounded", "wire/no-storm"}
	per := duration("per", "1m", "the window")
	return []Fault{
		{
			Name: "quota-requests", Summary: "No more than n requests are taken in a window of time",
			Params:  []Param{number("n", 1, 1, mostRequests, "how many"), per},
			Reports: []string{"earendil-works/pi#9595", "block/buzz#5557"}, Rules: rules, Scenario: "fault-http-quota/quota-requests", ends: "completed", always: true,
			ahead: func(m *moment, a Args) *fake.Plan { return m.quota(1, a.int("n"), a.duration("per")) },
		},
		{
			Name: "quota-tokens", Summary: "No more than n tokens of prompts are taken in a window of time; a prompt that is larger than that by itself is refused as such",
			Params:  []Param{number("n", 100000, 1, 1<<40, "how many tokens"), per},
			Reports: []string{"agent0ai/agent-zero#139", "earendil-works/pi#9595"}, Rules: append([]string{"wire/no-hopeless-retry"}, rules...), Scenario: "fault-http-quota/quota-tokens", ends: "completed", always: true, with: []string{"n=130"},
			ahead: func(m *moment, a Args) *fake.Plan {
				tokens, n := m.Tokens(), a.int("n")
				if tokens > n {
					return m.Refuse(http.StatusTooManyRequests, "rate_limit_error",
						"Request too large for the organization on tokens per min (TPM): Limit "+strconv.Itoa(n)+", Requested "+strconv.Itoa(tokens)+
							". The input or output tokens must be reduced in order to run successfully.")
				}
				return m.quota(tokens, n, a.duration("per"))
			},
		},
	}
}

// quota takes so much out of a window, or says when the next one begins.
func (m *moment) quota(take, of int, per time.Duration) *fake.Plan {
	if m.begun.IsZero() || m.At.Sub(m.begun) >= per {
		m.begun, m.used = m.At, 0
	}
	if m.used+take <= of {
		m.used += take
		return nil
	}
	left := m.begun.Add(per).Sub(m.At)
	seconds := int((left + time.Second - 1) / time.Second)
	return with(m.Refuse(http.StatusTooManyRequests, "", ""), "Retry-After", strconv.Itoa(seconds))
}

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
