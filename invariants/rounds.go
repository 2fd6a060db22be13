package invariants

import (
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// round is what an answer called and what came of it, each as one string:
// neither the order of a batch nor the spelling of an input matters, and equal
// calls of one answer count once (N1, faremeter/interchange p149).
type round struct{ calls, results string }

// roundOf is the round of a committed answer; "" calls when it has none.
func (c *Case) roundOf(a *attempt) round {
	var calls, results []string
	for i := range c.recs[a.assistant].Blocks {
		if b := &c.recs[a.assistant].Blocks[i]; b.Kind == providers.ToolCall {
			calls = append(calls, b.Name+" "+canonical(b.Input))
		}
	}
	for _, k := range a.calls {
		if len(k.settled) > 0 {
			r := &c.recs[k.settled[0]]
			images := sha256.New()
			for i := range r.Images {
				io.WriteString(images, r.Images[i].Data)
			}
			results = append(results, fmt.Sprintf("%s %s %s %q %v %s %x", r.Kind, r.Name, canonical(c.recs[k.rec].Input), r.Text, r.IsError, r.Digest, images.Sum(nil)))
		}
	}
	return round{joined(calls), joined(results)}
}

func joined(list []string) string {
	slices.Sort(list)
	return strings.Join(slices.Compact(list), "\n")
}

// rounds are those of the run's committed answers, in order.
func (c *Case) rounds(u *run) []round {
	list := make([]round, len(u.attempts))
	for i, a := range u.attempts {
		if a.assistant >= 0 {
			list[i] = c.roundOf(a)
		}
	}
	return slices.DeleteFunc(list, func(r round) bool { return r.calls == "" })
}

// noLoop says why the calls of the last answer are no loop; "" when they may be.
func (c *Case) noLoop(u *run, a *attempt) string {
	if a.assistant < 0 {
		return "the last answer was not committed: it made no calls"
	}
	now := c.roundOf(a)
	if now.calls == "" {
		return "the answer " + a.id + " makes no call"
	}
	n, want := -1, max(c.ev.Limits.LoopAfter-1, 1)
	for _, r := range c.rounds(u) {
		if r.calls == now.calls {
			n++
		}
	}
	if n < want {
		return fmt.Sprintf("the calls of the answer %s were made %d times before in this run; a loop takes %d", a.id, n, want)
	}
	return ""
}

// looped finds a round that ran though it was the so manieth in a row, after
// equal ones whose results were equal too.
func (c *Case) looped(u *run) []Finding {
	after := c.ev.Limits.LoopAfter
	if after < 2 {
		return nil
	}
	var last round
	n := 0 // equal rounds in a row, this one not included
	for _, a := range u.attempts {
		if a.assistant < 0 || c.given(a.assistant) || len(a.calls) == 0 {
			continue
		}
		now := c.roundOf(a)
		if now.calls == "" {
			continue
		}
		if n >= after-1 && now.calls == last.calls {
			for _, k := range a.calls {
				if len(k.started) > 0 {
					where, around := c.record(k.started[0])
					return []Finding{found(where, around, "%s was started for call %s, but the run had made the same calls %d times in a row with the same results: the next time they are not run", k.named(), k.id, n)}
				}
			}
		}
		if n > 0 && now != last {
			n = 0
		}
		n++
		last = now
	}
	return nil
}

// isBackground reports whether a notice tells of the end of a background call.
func isBackground(code string) bool {
	return code == "background_done" || code == "background_failed" || code == "background_lost"
}

// placeheld reports whether a call was answered with a placeholder, and works on
// in the background (C14).
func (c *Case) placeheld(k *call) bool {
	return len(k.settled) > 0 && c.recs[k.settled[0]].Kind == journal.KindResult && c.recs[k.settled[0]].Code == "background"
}
