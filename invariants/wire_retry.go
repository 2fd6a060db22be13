package invariants

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

func retryRules() []Rule {
	return []Rule{
		{
			Name: "wire/retry-after", Group: "wire", Strength: Flow,
			Summary: "A request that was refused with a legible Retry-After, in seconds or as a date, is not sent again before that; up to an hour, for more is no wait but an end. What is no time at all is ignored.",
			Why:     "The server says when it can answer again; whoever comes earlier is refused again, and counted (D7; field report 7.01).",
			Reports: []string{"earendil-works/pi#9595", "VoltAgent/voltagent#1276", "mastra-ai/mastra#19885", "anthropics/anthropic-sdk-go#200"},
			Example: "The header is lost where the error is wrapped, and the retry comes after half a second instead of thirty.",
			Needs:   []evidence.Kind{evidence.KindWire},
			Check:   retryAfter,
		},
		{
			Name: "wire/backoff", Group: "wire", Strength: Ours,
			Summary: "Where the server names no time, the n-th retry of a request in a row waits 500 ms * 2^(n-1), at most 32 s, and at most a quarter of that longer.",
			Why:     "Retries that do not slow down are the load that keeps the server down; waits without a bound are a loop that hangs (D7; field report 7.02).",
			Reports: []string{"block/buzz#5557", "anthropics/anthropic-sdk-go#200", "NousResearch/hermes-agent#11314"},
			Example: "The counter of the retries begins anew with each request, so every wait is the first one.",
			Needs:   []evidence.Kind{evidence.KindTranscript, evidence.KindWire},
			Check:   backoff,
		},
		{
			Name: "wire/no-storm", Group: "wire", Strength: Ours,
			Summary: "Each lane has one request in flight at a time, and no more than 5 requests within a second are refused for load (429, 5xx).",
			Why:     "A loop that asks tens of times a second turns an overload into a ban; two requests at once for one turn are two bills, and two answers of which one is wrong (D7, A9; field reports 7.02, 7.04).",
			Reports: []string{"block/buzz#5557", "proxysoul/Empryo#58", "code-yeongyu/oh-my-openagent#6610", "router-for-me/CLIProxyAPI#1390"},
			Example: "The entry for the fallback model is empty, and the loop goes around it without a wait.",
			Needs:   []evidence.Kind{evidence.KindWire},
			Check:   noStorm,
		},
		{
			Name: "wire/no-hopeless-retry", Group: "wire", Strength: Must,
			Summary: "What can never succeed is not sent again: the same body behind a 400, 401, 403, 404, 413, 422 or an x-should-retry: false; and nothing in its run behind a refusal.",
			Why:     "The same request gets the same answer, and each try is paid for with the whole context; a refusal that is argued with makes the next one likelier (D3, D7, A2; field reports 3.16, 7.08, 7.13).",
			Reports: []string{"askui/python-sdk#165", "github/gh-aw#54296", "Lexus2016/hermes-agent-evolution#366", "microsoft/amplifier#327", "agent0ai/agent-zero#139"},
			Example: "413 is in the list of codes to retry, and the same ten megabytes are sent three times.",
			Needs:   []evidence.Kind{evidence.KindWire},
			Check:   noHopelessRetry,
		},
	}
}

// retryMost is the longest wait that a server may ask for: nobody waits a day
// for an answer (field report 7.01).
const retryMost = time.Hour

// askedWait is what a server asked for: how long, or until when. What is
// neither, is over already, or is too long to be meant, is none.
func (x *exchange) askedWait(now time.Time) (until time.Time, ok bool) {
	v := strings.TrimSpace(x.retryAfter())
	if n, err := strconv.ParseInt(v, 10, 32); err == nil {
		until = now.Add(time.Duration(n) * time.Second)
	} else if until, err = http.ParseTime(v); err != nil {
		return until, false
	}
	return until, until.After(now) && until.Sub(now) <= retryMost
}

// retryAfter is the header of that name, or what the protocol has in its place:
// one in milliseconds, or a detail of the error.
func (x *exchange) retryAfter() string {
	if v := http.Header(x.Head).Get("Retry-After"); v != "" {
		return v
	}
	if err := x.failure(); err != nil {
		return err.RetryAfter
	}
	return ""
}

// retryAfter looks at each request that was sent again behind a refusal.
func retryAfter(c *Case) []Finding {
	var out []Finding
	for _, p := range c.resent() {
		from, to := c.waited(p.first, p.again)
		until, ok := p.first.askedWait(from)
		// Records count whole milliseconds.
		if ok && p.first.Status/100 != 2 && to.Before(until.Add(-time.Millisecond)) {
			where, around := request(p.again)
			out = append(out, found(where, around, "exchange %d was refused with Retry-After %s, and sent again as exchange %d after %v", p.first.N, quoted(p.first.retryAfter()), p.again.N, to.Sub(from)))
		}
	}
	return out
}

// pair is a request that failed and the same request again, next in its lane and
// in the same life.
type pair struct{ first, again *exchange }

func (c *Case) resent() []pair {
	var list []pair
	last := map[string]*exchange{}
	for _, x := range c.exchanges {
		lane := laneOf(x)
		if p := last[lane]; p != nil && p.Life == x.Life && p.same(x) {
			list = append(list, pair{p, x})
		}
		last[lane] = x
	}
	return list
}

// same reports whether two exchanges ask for the same: in some protocols the model
// stands in the path.
func (x *exchange) same(y *exchange) bool {
	return x.Path == y.Path && bytes.Equal(x.Body, y.Body)
}

// waited is when a failure was known and when the next request was due: by the
// records, where both have them, else by when the requests arrived.
func (c *Case) waited(x, y *exchange) (from, to time.Time) {
	a, b := c.attemptBy[x.Attempt], c.attemptBy[y.Attempt]
	if x.Attempt == "" || y.Attempt == "" || a == nil || b == nil || a.discarded < 0 || b.rec < 0 {
		return x.At, y.At
	}
	return time.UnixMilli(c.recs[a.discarded].Time), time.UnixMilli(c.recs[b.rec].Time)
}

// The waits of our own schedule (D7).
const (
	backoffFirst = 500 * time.Millisecond
	backoffCap   = 32 * time.Second
)

// backoff looks at the time between each transport_retry and its request.
func backoff(c *Case) []Finding {
	var out []Finding
	for _, u := range c.runs {
		row, answered := 0, -1 // retries of one request so far, and the answer that ended the last row
		for i := u.first; i <= u.last; i++ {
			r := &c.recs[i]
			if r.Run != u.n || r.Kind != journal.KindTransition {
				continue
			}
			n := u.before(i)
			if n > 0 && u.attempts[n-1].assistant > answered {
				row, answered = 0, u.attempts[n-1].assistant
			}
			if r.Reason != "transport_retry" {
				row = 0
				continue
			}
			row++
			if n == 0 || n >= len(u.attempts) || c.given(i) {
				continue
			}
			failed, next := u.attempts[n-1], u.attempts[n]
			if why := c.wrongWait(i, row, failed, next); why != "" {
				where, around := c.record(next.rec)
				out = append(out, found(where, around, "retry %d of a request, %s behind %s, %s", row, next.id, failed.id, why))
			}
		}
	}
	return out
}

// wrongWait judges the wait before the row-th retry in a row.
func (c *Case) wrongWait(i, row int, failed, next *attempt) string {
	x := failed.exchange()
	if x == nil || c.otherLife(i, next.rec) {
		return "" // a life that takes over does not wait for the one before
	}
	from, to := time.UnixMilli(c.recs[i].Time), time.UnixMilli(c.recs[next.rec].Time)
	if _, ok := x.askedWait(from); ok && x.Status/100 != 2 {
		return ""
	}
	least := backoffCap
	if row <= 6 {
		least = min(backoffFirst<<(row-1), backoffCap)
	}
	switch wait := to.Sub(from); {
	case wait < least-time.Millisecond:
		return fmt.Sprintf("came after %v; it is to wait %v at least", wait, least)
	case wait > least+least/4+time.Millisecond && len(c.ev.Trace) > 0 && !c.busyBetween(i, next.rec):
		return fmt.Sprintf("came after %v; it is to wait %v at most", wait, least+least/4)
	}
	return ""
}

// busyBetween reports whether the loop had something else to do between two
// records than to wait: another request, or an edit of the context.
func (c *Case) busyBetween(from, to int) bool {
	for i := from + 1; i < to; i++ {
		if k := c.recs[i].Kind; k == journal.KindAttempt || k == journal.KindBoundary {
			return true
		}
	}
	return false
}

// How many refusals for load are too many, and within what time.
const (
	stormMost   = 5
	stormWithin = time.Second
)

// noStorm follows which requests are in flight, by the trace, and counts
// refusals by their times.
func noStorm(c *Case) []Finding {
	var out []Finding
	flying := map[string]*exchange{} // lane -> the request that has no answer yet
	for i := range c.ev.Trace {
		s := &c.ev.Trace[i]
		switch s.Kind {
		case evidence.StepLife, evidence.StepKill, evidence.StepPower:
			clear(flying)
		case evidence.StepRequest, evidence.StepReply:
			if s.N < 1 || s.N > len(c.exchanges) || c.exchanges[s.N-1].N != s.N {
				break
			}
			x := c.exchanges[s.N-1]
			lane := laneOf(x)
			other := flying[lane]
			switch {
			case s.Kind == evidence.StepReply && other == x:
				delete(flying, lane)
			case s.Kind == evidence.StepRequest && other != nil && other != x:
				where, around := c.step(i)
				return append(out, found(where, around, "request %d of the %s lane was sent while request %d was in flight: a lane asks one thing at a time", x.N, lane, other.N))
			case s.Kind == evidence.StepRequest:
				flying[lane] = x
			}
		}
	}
	return append(out, c.storms()...)
}

// storms finds more refusals for load than a second may bring.
func (c *Case) storms() []Finding {
	type key struct {
		life, run int
		lane      string
	}
	recent := map[key][]*exchange{}
	for _, x := range c.exchanges {
		_, invited := x.askedWait(x.At)
		if x.Status != http.StatusTooManyRequests && x.Status/100 != 5 || invited || x.At.IsZero() {
			continue
		}
		k := key{life: x.Life, lane: laneOf(x)}
		if a := c.attemptBy[x.Attempt]; a != nil {
			k.run = a.run
		}
		list := append(recent[k], x)
		for len(list) > 0 && x.At.Sub(list[0].At) >= stormWithin {
			list = list[1:]
		}
		if recent[k] = list; len(list) > stormMost {
			where, around := request(x)
			return []Finding{found(where, around, "exchange %d is the %dth of the %s lane within a second that was refused for load (status %d): nobody waits", x.N, len(list), k.lane, x.Status)}
		}
	}
	return nil
}

// noHopelessRetry remembers what can never succeed, and looks at what follows a
// refusal.
func noHopelessRetry(c *Case) []Finding {
	var out []Finding
	type key struct {
		life       int
		lane, path string // the model stands in the path of some protocols
		body       [sha256.Size]byte
	}
	hopeless := map[key]*exchange{}
	refused := false
	for _, x := range c.exchanges {
		var k key
		if refused {
			k = key{x.Life, laneOf(x), x.Path, sha256.Sum256(x.Body)}
			if first := hopeless[k]; first != nil {
				where, around := request(x)
				out = append(out, found(where, around, "exchange %d sends the body of exchange %d again, though that cannot succeed: %s", x.N, first.N, clip(first.failure().Error(), 120)))
			}
		}
		if err := x.failure(); x.Status >= 300 && err != nil && !err.Retryable() && err.Class != providers.Protocol {
			k = key{x.Life, laneOf(x), x.Path, sha256.Sum256(x.Body)}
			hopeless[k], refused = x, true
		}
	}
	return append(out, c.argues()...)
}

// argues finds requests behind a refusal in its run. What calls itself a next
// turn there is stop/blocks-decide's concern.
func (c *Case) argues() []Finding {
	var out []Finding
	for _, u := range c.runs {
		for n, a := range u.attempts {
			if a.assistant < 0 || c.given(a.assistant) || n+1 >= len(u.attempts) {
				continue
			}
			t := a.turn()
			if t == nil || t.ending() != whole || t.stop != "refusal" {
				continue
			}
			at := c.decided(u, a.assistant)
			if at < 0 || c.recs[at].Kind != journal.KindTransition || c.recs[at].Reason == "next_turn" {
				continue
			}
			where, around := c.record(u.attempts[n+1].rec)
			out = append(out, found(where, around, "the answer %s is a refusal, and the run went on behind it (%s): nothing is asked again", a.id, c.recs[at].Reason))
		}
	}
	return out
}
