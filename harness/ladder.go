package harness

import (
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/harnessbench/bench/providers"
)

// Rung is one step of the recovery ladder: when it applies, how often it may
// be used, and what it does with the answer.
type Rung struct {
	Name     Transition
	Summary  string
	Applies  func(*Turn) bool
	Used     func(State) int
	Limit    func(Limits) int
	Commit   bool   // the answer is committed before the loop goes on; else it is discarded
	Progress string // what counts as progress between two uses
	Source   string // mechanism
}

// ladder is the order, cheapest first. It is the one place where it is decided.
var ladder = []Rung{
	{
		Name: TransportRetry, Summary: "the same request again after a wait that doubles",
		Applies:  func(t *Turn) bool { return t.Ending != Complete && t.Err != nil && t.Err.Retryable() },
		Used:     func(s State) int { return s.Counters.Retries },
		Limit:    func(l Limits) int { return l.Retries },
		Progress: "the counter of the request", Source: "D7",
	},
	{
		Name: EmptyRetry, Summary: "the same request with a hint that it was answered with nothing",
		Applies: func(t *Turn) bool {
			return t.Ending == Complete && t.Empty() && (t.Stop == "end_turn" || t.Stop == "stop_sequence")
		},
		Used:     func(s State) int { return s.Counters.Empty },
		Limit:    func(l Limits) int { return l.Empty },
		Progress: "any text or call", Source: "D9",
	},
	{
		Name: ProtocolRetry, Summary: "the same request again after an answer that contradicts itself",
		Applies: func(t *Turn) bool {
			return malformed(t) || t.Ending == Complete && t.Stop == "tool_use" && len(t.Calls) == 0
		},
		Used:     func(s State) int { return s.Counters.Protocol },
		Limit:    func(l Limits) int { return l.Protocol },
		Progress: "a legal answer", Source: "A2",
	},
	{
		Name: PauseContinue, Summary: "the paused answer sent back unchanged",
		Applies: func(t *Turn) bool { return t.Ending == Complete && t.Stop == "pause_turn" && len(t.Calls) == 0 },
		Used:    func(s State) int { return s.Counters.Pauses },
		Limit:   func(l Limits) int { return l.Pauses },
		Commit:  true, Progress: "the next part of the answer", Source: "gsd-build/gsd-2#2869",
	},
	{
		Name: NextTurn, Summary: "the calls are run, and the model is asked again with their results",
		Applies: wantsNextTurn,
		Used:    func(s State) int { return s.Turn },
		Limit:   func(l Limits) int { return l.MaxTurns - 1 },
		Commit:  true, Progress: "results", Source: "A1, D12",
	},
}

// Ladder returns the rungs in order.
func Ladder() []Rung { return append([]Rung(nil), ladder...) }

// wantsNextTurn: a client call decides, whatever the stop reason (A1), except
// a refusal; and an answer cut by a token limit needs a call besides the cut one.
func wantsNextTurn(t *Turn) bool {
	if t.Ending != Complete || t.Stop == "refusal" {
		return false
	}
	for i := range t.Calls {
		if c := &t.Calls[i]; !t.Truncated() || !c.Open && c.Block != len(t.Blocks)-1 {
			return true
		}
	}
	return false
}

func overflow(c providers.Class) bool {
	return c == providers.Overflow || c == providers.TooLarge || c == providers.MaxTokens
}

func malformed(t *Turn) bool {
	return t.Ending != Complete && t.Err != nil && t.Err.Class == providers.Protocol
}

// Backoff numbers (D7).
const (
	backoffFirst = 500 * time.Millisecond
	backoffCap   = 32 * time.Second
	// retryAfterMost bounds what a server may make us wait: an hour. A longer
	// wish is treated as garbage, and our own wait applies.
	retryAfterMost = time.Hour
)

// Backoff is how long to wait before retry n (from 0) of an attempt: 500 ms *
// 2^n, at most 32 s, plus up to a quarter of jitter that derives from the seed
// and the attempt. A legible Retry-After wins: seconds, or a date.
func Backoff(seed uint64, attempt string, n int, retryAfter string, now time.Time) time.Duration {
	if d, ok := parseRetryAfter(retryAfter, now); ok {
		return d
	}
	d := backoffCap
	if n < 6 {
		d = min(backoffFirst<<n, backoffCap)
	}
	h := fnv.New64a()
	var b [8]byte
	for i := range b {
		b[i] = byte(seed >> (8 * i))
	}
	h.Write(b[:])
	h.Write([]byte(attempt))
	const steps = 1 << 16
	return d + time.Duration(h.Sum64()%steps)*(d/4)/steps
}

func parseRetryAfter(v string, now time.Time) (time.Duration, bool) {
	v = strings.TrimSpace(v)
	if v == "" {
		return 0, false
	}
	d := time.Duration(-1)
	if n, err := strconv.ParseInt(v, 10, 32); err == nil {
		d = time.Duration(n) * time.Second
	} else if at, err := http.ParseTime(v); err == nil {
		d = max(at.Sub(now), 0)
	}
	if d < 0 || d > retryAfterMost {
		return 0, false
	}
	return d, true
}
