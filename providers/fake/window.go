package fake

import (
	"net/http"
	"strconv"
	"strings"
)

// overflow refuses a request that does not fit a window of so many tokens: for
// its prompt, or for its max_tokens beside it (D3). Models that take the second
// kind end their answer where the window ends.
func (anthropic) overflow(q *request, window int) *Refusal {
	asked := q.neutral.MaxTokens
	switch {
	case q.tokens > window:
		return invalid("prompt is too long: %d tokens > %d maximum", q.tokens, window)
	case q.tokens+asked > window && !endsAtWindow(q.neutral.Model, q.header):
		return invalid("input length and `max_tokens` exceed context limit: %d + %d > %d, decrease input length or `max_tokens` and try again", q.tokens, asked, window)
	}
	return nil
}

// endsAtWindow reports whether the API takes a max_tokens that does not fit
// beside the prompt, and ends the answer with the reason
// model_context_window_exceeded instead: for models from 4.5 on, for older ones
// with a beta.
func endsAtWindow(model string, header http.Header) bool {
	for _, v := range header.Values("Anthropic-Beta") {
		if strings.Contains(v, "model-context-window-exceeded") {
			return true
		}
	}
	// [us.anthropic.]claude-FAMILY-MAJOR[-MINOR][-DATE]; before 4 the family came last.
	_, name, ok := strings.Cut(model, "claude-")
	part := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '@' || r == ':' || r == '.' })
	if !ok || len(part) < 2 || isDigits(part[0]) {
		return false
	}
	major, err := strconv.Atoi(part[1])
	if err != nil {
		return false
	}
	minor := 0
	if len(part) > 2 && len(part[2]) <= 2 {
		minor, _ = strconv.Atoi(part[2])
	}
	return major > 4 && major < 100 || major == 4 && minor >= 5
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// overWindow answers a request that is larger than the script's window, or
// returns nil.
func (s *Server) overWindow(proto protocol, n int, q *request) *Plan {
	w := s.script.Window
	if w == nil || w.Tokens == 0 {
		return nil
	}
	r := proto.overflow(q, w.Tokens)
	if r == nil {
		return nil
	}
	p := refused(proto, n, r)
	p.Place = s.windowPlace()
	return p
}
