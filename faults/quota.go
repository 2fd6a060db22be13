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
