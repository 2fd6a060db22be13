// Package classify knows what the error answers of model APIs mean: which of
// them a shorter prompt would cure, which a smaller max_tokens, which fewer
// images, and which only time.
//
//	typ, code, message := classify.Read(body)
//	class, tokens := classify.Text(resp.StatusCode, typ, code, message)
//
// APIs agree on little else than the status. The same failure, a prompt that is
// longer than the window, is status 400, 413, 422 or 429, or an event inside a
// stream whose status was 200; it has a code of its own or none; and its
// sentence is another one with every server (D3; MoonshotAI/kimi-code p1508).
// So that a new sentence is learnt once for all codecs, all of them are here: in
// names.go what an error's type or code says, in wordings.go what its sentence
// says.
//
// # What is believed
//
// The status comes first. Where it settles the matter (401, 429, 500 ...) only a
// type or a code that is more exact can overrule it, never a sentence. Where it
// does not (400, 404, 413, 415, 422, and none inside a stream), the sentence
// decides before the name, because it may carry numbers: context_length_exceeded
// with 8000 tokens of input in a window of 32768 is a max_tokens that is too
// large (vllm, NousResearch/hermes-agent#63161).
//
// Only the server's own words count. What it quotes, between quotation marks, is
// somebody else's text and is passed over; an error that a proxy wraps into its
// own is unwrapped.
package classify

import (
	"strings"

	"github.com/harnessbench/bench/providers"
)

// Numbers are the tokens that an error's sentence tells; 0 where it does not.
//
// Input + Asked > Window is the failure, and Window - Input is what may be asked
// for. A limit on the answer alone (max_tokens: 100000 > 64000) has no Input.
type Numbers struct {
	Input  int // of the prompt
	Asked  int // of the answer: max_tokens
	Window int // what the two together may be
}

// Text classifies an error by its HTTP status (0 inside a stream, where it was
// 200), by its type and its code (either may be missing), and by its message.
// Numbers are told for the classes Overflow and MaxTokens.
func Text(status int, typ, code, message string) (providers.Class, Numbers) {
	typ, code, message = unwrap(typ, code, message)
	named := ofName(typ, code)
	class := ofStatus(status)
	switch {
	case status == 0 || status/100 == 2:
		class = named
	case class == providers.Server && named != providers.Invalid && named != providers.Auth && named != providers.Unknown:
		class = named // a proxy's 500 around the API's own word
	case class == providers.RateLimited && (named == providers.Auth || named == providers.Overflow || named == providers.TooLarge):
		class = named // 429 for an account without money, or a prompt that never fits: waiting never helps
	case class == providers.Invalid && named != providers.Unknown && named != providers.Server:
		class = named // likewise a 400
	case class == providers.TooLarge && (named == providers.Overflow || named == providers.BadImage):
		class = named
	}
	text := plain(message)
	switch class {
	case providers.Invalid, providers.TooLarge, providers.Unknown, providers.Overflow, providers.BadImage:
		if c, n, ok := ofWords(text); ok {
			return c, n
		}
	case providers.RateLimited:
		// A single request above the whole limit: waiting never helps (agent0ai/agent-zero#139).
		if n, ok := aboveLimit(text); ok {
			return providers.Overflow, n
		}
	}
	return class, Numbers{}
}

func ofStatus(status int) providers.Class {
	switch status {
	case 401, 402, 403:
		return providers.Auth
	case 408, 504, 524: // 524: a proxy's own timeout
		return providers.Timeout
	case 413:
		return providers.TooLarge
	case 429:
		return providers.RateLimited
	case 529:
		return providers.Overloaded
	}
	switch status / 100 {
	case 3, 4:
		return providers.Invalid
	case 5:
		return providers.Server
	}
	return providers.Unknown
}

// ofWords looks the text up among the wordings.
func ofWords(text string) (providers.Class, Numbers, bool) {
	if n, ok := aboveLimit(text); ok {
		return providers.Overflow, n, true
	}
	for _, w := range wordings {
		f, ok := match(w.text, text)
		if !ok {
			continue
		}
		n := f.Numbers
		switch {
		case f.total > 0 && n.Input == 0:
			n.Input = max(0, f.total-n.Asked)
		case f.size > 0 && f.size < leastText:
			return providers.Invalid, Numbers{}, true
		}
		switch w.class {
		case fits: // the numbers say which of the two it is
			if n.Asked > 0 && n.Input < n.Window {
				return providers.MaxTokens, n, true
			}
			return providers.Overflow, n, true
		case providers.Overflow, providers.MaxTokens:
			return w.class, n, true
		}
		return w.class, Numbers{}, true
	}
	return "", Numbers{}, false
}

// leastText is the limit from which on a string is a prompt, not a name or a
// key: a summary makes it shorter.
const leastText = 100_000

// aboveLimit reports whether the text tells of one request that asks for more
// than a whole minute's tokens.
func aboveLimit(text string) (Numbers, bool) {
	f, ok := match("limit {window} ... requested {total}", text)
	if !ok || f.total <= f.Window {
		return Numbers{}, false
	}
	// What was requested includes the answer, so it is not the input.
	return Numbers{Window: f.Window}, true
}

// plain is the text in lower case, in one line, at a sane length, without what
// it quotes.
func plain(message string) string {
	const most = 8 << 10
	if len(message) > most {
		message = message[:most]
	}
	return unquoted(strings.Join(strings.Fields(strings.ToLower(message)), " "))
}
