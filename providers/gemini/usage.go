package gemini

import (
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// tokens is what has been reported so far: a report may leave out what it said
// before (E9).
type tokens [5]int

// What is counted.
const (
	promptTokens = iota
	cachedTokens
	toolTokens
	answerTokens
	thoughtTokens
)

// usage tells what was counted, with the stop reason if that came along.
func (c *codec) usage(v []byte) error {
	if strict.Hollow(v) {
		return nil
	}
	if !strict.IsKind(v, '{') {
		return strict.Mistyped("usageMetadata", v, "an object")
	}
	told := false
	for m := strict.Members(v); m.Next(); {
		at := 0
		switch string(m.Name) {
		case "promptTokenCount":
			at = promptTokens
		case "cachedContentTokenCount":
			at = cachedTokens
		case "toolUsePromptTokenCount":
			at = toolTokens
		case "candidatesTokenCount":
			at = answerTokens
		case "thoughtsTokenCount":
			at = thoughtTokens
		default:
			continue
		}
		if strict.Absent(m.Value) {
			continue
		}
		n, err := strict.Whole("", m.Value)
		if err != nil {
			return strict.Mistyped("usageMetadata."+string(m.Name), m.Value, "a whole number")
		}
		c.count[at], told = n, true
		c.seen.counts[at] = m.Value
	}
	if !told { // only the kind of traffic
		return nil
	}
	c.seen.usage = v
	u := c.counted()
	for i := range c.out {
		if c.out[i].Kind == providers.Stop {
			c.out[i].Usage = u
			return nil
		}
	}
	c.add(providers.Event{Kind: providers.UsageEvent, Usage: u})
	return nil
}

// counted is what is known by now. The prompt is counted with what came from a
// cache; the neutral In is without. What the provider's own tools put into the
// prompt is counted apart, and so are thoughts, which are paid as the answer is.
//
// Every chunk has a report, so they share their memory.
func (c *codec) counted() *providers.Usage {
	const together = 128
	if len(c.usages) == 0 {
		c.usages = make([]providers.Usage, together)
	}
	u := &c.usages[0]
	c.usages = c.usages[1:]
	n := &c.count
	*u = providers.Usage{In: max(0, n[promptTokens]-n[cachedTokens]) + n[toolTokens], Out: n[answerTokens] + n[thoughtTokens], CacheRead: n[cachedTokens]}
	return u
}
