package faults

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// What says the same in other bytes must be understood in the same way.
var sameRules = []string{"wire/split-blind", "stop/typed-end", "ladder/bounded"}

// byteFaults are streams that say the same in bytes that few clients expect.
func byteFaults() []Fault {
	newlines := []string{"a2aproject/a2a-js#714", "hey-api/hey-api#3054", "Effect-TS/effect#7670"}
	harmless := func(f Fault) Fault {
		f.Rules = append(f.Rules, sameRules...)
		f.Scenario, f.ends = "fault-stream-bytes/FAULT="+f.Name, "completed"
		return f
	}
	eol := func(name, summary, nl string, protocols ...string) Fault {
		return harmless(Fault{
			Name: name, Summary: summary, Reports: newlines, Protocols: protocols,
			events: func(s *stream, _ Args) {
				s.rewrite(func(b []byte) []byte { return newline(b, func(int) string { return nl }) })
			},
		})
	}
	inGemini := func(f Fault) Fault { f.Scenario += "/gemini"; return f }
	return []Fault{
		eol("newline-cr", "Lines end with CR alone", "\r"),
		eol("newline-crlf", "Lines end with CRLF", "\r\n", "anthropic", "chat", "responses"),
		inGemini(eol("newline-lf", "Lines end with LF alone", "\n", "gemini")),
		harmless(Fault{
			Name: "newline-mixed", Summary: "Lines end with CR, CRLF and LF by turns", Reports: newlines,
			events: func(s *stream, _ Args) {
				n := 0
				s.splice(0, len(s.b), newline(s.b, func(int) string { n++; return []string{"\n", "\r", "\r\n"}[n%3] }))
			},
		}),
		harmless(Fault{
			Name: "no-final-newline", Summary: "The last event is not followed by an empty line: the stream ends with its data",
			Reports: []string{"miruamel/xuan#194", "hey-api/hey-api#3054"},
			events:  func(s *stream, _ Args) { s.splice(len(bytes.TrimRight(s.b, "\r\n")), len(s.b), nil) },
		}),
		harmless(Fault{
			Name: "bom", Summary: "A byte order mark stands before the first event", Reports: []string{"inngest/inngest-js#1714"},
			events: func(s *stream, _ Args) { s.splice(0, 0, []byte("\ufeff")) },
		}),
		harmless(Fault{
			Name: "no-space", Summary: "No space stands behind the colons", Reports: []string{"hey-api/hey-api#3054"},
			events: func(s *stream, _ Args) {
				s.fields(func(field, rest string) string { return field + ":" + strings.TrimPrefix(rest, " ") })
			},
		}),
		harmless(Fault{
			Name: "leading-space", Summary: "Two spaces stand behind the colon of data", Reports: []string{"praxis-proxy/praxis#739"},
			events: func(s *stream, _ Args) {
				s.fields(func(field, rest string) string {
					if field == "data" && strings.HasPrefix(strings.TrimSpace(rest), "{") {
						rest = "  " + strings.TrimPrefix(rest, " ")
					}
					return field + ":" + rest
				})
			},
		}),
		harmless(Fault{
			Name: "multi-line-data", Summary: "The data of each event is spread over several data lines", Reports: []string{"Effect-TS/effect#7670"},
			events: func(s *stream, _ Args) {
				s.fields(func(field, rest string) string {
					if field != "data" {
						return field + ":" + rest
					}
					return field + ":" + strings.ReplaceAll(breakLines(rest), "\n", "\ndata: ")
				})
			},
		}),
		harmless(Fault{
			Name: "extra-fields", Summary: "Events carry id, retry and fields that nobody knows", Reports: []string{"inngest/inngest-js#1714"},
			events: func(s *stream, _ Args) {
				s.rewrite(func(b []byte) []byte { return append([]byte("id: 7\nretry: 10\nx-trace: a:b\n"), b...) })
			},
		}),
		harmless(Fault{
			Name: "event-names-missing", Summary: "No event says its name in an event line", Reports: []string{"api7/aisix#111"}, Protocols: []string{"anthropic", "responses"},
			events: func(s *stream, _ Args) {
				s.fields(func(field, rest string) string {
					if field == "event" {
						return ""
					}
					return field + ":" + rest
				})
			},
		}),
		harmless(Fault{
			Name: "comments", Summary: "Comments stand between all events", Params: []Param{number("n", 1, 1, 10_000, "how many each")},
			Reports: []string{"openai/codex#31539", "Menci/Floway#498"},
			events: func(s *stream, a Args) {
				s.rewrite(func(b []byte) []byte { return append([]byte(strings.Repeat(": keep-alive\n\n", a.int("n"))), b...) })
			},
		}),
		harmless(Fault{
			Name: "comment-flood", Summary: "A flood of comments comes behind an event",
			Params:  []Param{eventAt(2), number("n", 1000, 1, 100_000, "how many")},
			Reports: []string{"BenedictKing/ccx#67", "openai/codex#31539"},
			events: func(s *stream, a Args) {
				if e, ok := s.event(a.int("event")); ok {
					s.insert(e.to, bytes.Repeat([]byte(": still here\n\n"), a.int("n")))
				}
			},
		}),
		harmless(Fault{
			Name: "ping-flood", Summary: "A flood of pings comes behind an event",
			Params:  []Param{eventAt(2), number("n", 1000, 1, 100_000, "how many")},
			Reports: []string{"openai/codex#31539"}, Protocols: []string{"anthropic"},
			events: func(s *stream, a Args) {
				if e, ok := s.event(a.int("event")); ok {
					s.insert(e.to, bytes.Repeat(s.q.PingEvent(), a.int("n")))
				}
			},
		}),
		harmless(Fault{
			Name: "huge-comment", Summary: "A comment of one line is as long as many buffers",
			Params:  []Param{eventAt(2), size("size", "200KB", 1, 8_000_000, "how long")},
			Reports: []string{"zed-industries/zed#63237"},
			events: func(s *stream, a Args) {
				if e, ok := s.event(a.int("event")); ok {
					s.insert(e.to, []byte(": "+strings.Repeat("x", a.bytes("size"))+"\n\n"))
				}
			},
		}),
		harmless(Fault{
			Name: "huge-line", Summary: "The data of one event is padded with blanks to a line as long as many buffers",
			Params:  []Param{eventAt(3), size("size", "200KB", 1, 8_000_000, "how long")},
			Reports: []string{"zed-industries/zed#63237"},
			events: func(s *stream, a Args) {
				if e, ok := s.event(a.int("event")); ok && strings.HasPrefix(e.data, "{") {
					s.setData(e, "{"+strings.Repeat(" ", a.bytes("size"))+e.data[1:])
				}
			},
		}),
		harmless(Fault{
			Name: "byte-by-byte", Summary: "Every byte comes alone", Reports: []string{"musistudio/claude-code-router#1672", "intendant-dev/Intendant#411"},
			events: func(s *stream, _ Args) { s.pieces(func(from int) int { return from + 1 }) },
		}),
		harmless(Fault{
			Name: "split-runes", Summary: "The pieces end inside every character of several bytes", Reports: []string{"musistudio/claude-code-router#1672", "majiayu000/litellm-rs#1180", "braintrustdata/braintrust-sdk-javascript#2091"},
			events: func(s *stream, _ Args) {
				if bytes.IndexFunc(s.b, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
					return
				}
				s.pieces(func(from int) int {
					for i := from + 1; i < len(s.b); i++ {
						if !utf8.RuneStart(s.b[i]) {
							return i
						}
					}
					return 0
				})
			},
		}),
		harmless(Fault{
			Name: "split-crlf", Summary: "Lines end with CRLF, and every piece ends between the CR and the LF", Reports: []string{"Effect-TS/effect#7670"},
			events: func(s *stream, _ Args) {
				s.rewrite(func(b []byte) []byte { return newline(b, func(int) string { return "\r\n" }) })
				s.pieces(func(from int) int {
					if i := bytes.Index(s.b[from:], []byte("\r\n")); i >= 0 {
						return from + i + 1
					}
					return 0
				})
			},
		}),
		harmless(Fault{
			Name: "one-piece", Summary: "The whole answer comes at once", Reports: []string{"CopilotKit/aimock#125"},
			events: func(s *stream, _ Args) { s.pieces(func(int) int { return 0 }) },
		}),
		harmless(Fault{
			Name: "empty-pieces", Summary: "Empty events, of a blank line alone, stand between all others", Reports: []string{"hey-api/hey-api#3054"},
			events: func(s *stream, _ Args) { s.rewrite(func(b []byte) []byte { return append([]byte("\n\n"), b...) }) },
		}),
		{
			Name: "nul-byte", Summary: "A NUL stands inside the data of an event", Params: []Param{eventAt(3)},
			Reports: []string{"anthropics/claude-code#49876"}, Rules: protocolRules, Scenario: "fault-stream-data/once/FAULT=nul-byte", ends: "completed",
			events: func(s *stream, a Args) {
				if e, ok := s.event(a.int("event")); ok {
					mid := e.dataFrom + (e.dataTo-e.dataFrom)/2
					s.splice(mid, mid, []byte{0})
				}
			},
		},
		{
			Name: "invalid-utf8", Summary: "Two bytes that are no UTF-8 stand in a piece of text",
			Reports: []string{"musistudio/claude-code-router#1672"}, AgentChaos: []string{"llm_corrupt_single", "llm_corrupt_persistent", "llm_corrupt_burst"},
			Rules: []string{"wire/legal", "record/two-ledgers", "stop/typed-end"}, Scenario: "fault-stream-data/once/FAULT=invalid-utf8", ends: "completed",
			events: func(s *stream, _ Args) {
				e, ok := s.first(texts_)
				if v, ok2 := s.g.pieceOf(e, texts_); ok && ok2 {
					s.splice(e.dataFrom+v.to-1, e.dataFrom+v.to-1, []byte{0xc3, 0x28})
				}
			},
		},
		{
			Name: "latin1", Summary: "The bytes of the stream are those of another encoding: every character of several bytes comes as the bytes that UTF-8 read as Latin-1 gives",
			Reports: []string{"api7/aisix#111"}, AgentChaos: []string{"llm_corrupt_single", "llm_corrupt_persistent", "llm_corrupt_burst"},
			Rules: []string{"stop/typed-end", "wire/legal"}, Scenario: "fault-stream-bytes/FAULT=latin1", ends: "completed",
			events: func(s *stream, _ Args) { s.rewrite(latin1) },
		},
		{
			Name: "event-names-wrong", Summary: "Every event line has the name of another event; the data is right",
			Reports: []string{"inngest/inngest-js#1714"}, Rules: sameRules, Protocols: []string{"anthropic", "responses"},
			Scenario: "fault-stream-data/once/FAULT=event-names-wrong", ends: "completed",
			events: func(s *stream, _ Args) {
				s.fields(func(field, rest string) string {
					if field == "event" {
						return "event: ping"
					}
					return field + ":" + rest
				})
			},
		},
	}
}

// newline gives all lines other ends.
func newline(b []byte, nl func(n int) string) []byte {
	var out []byte
	for i, l := range lines(b) {
		out = append(out, b[l.from:l.to]...)
		if l.next > l.to {
			out = append(out, nl(i)...)
		}
	}
	return out
}

// fields gives every line with a colon another text; "" takes it out.
func (s *stream) fields(f func(field, rest string) string) {
	s.rewrite(func(b []byte) []byte {
		var out []byte
		for _, l := range lines(b) {
			text := string(b[l.from:l.to])
			if field, rest, ok := strings.Cut(text, ":"); ok && field != "" {
				if text = f(field, rest); text == "" {
					continue
				}
			}
			out = append(append(out, text...), b[l.to:l.next]...)
		}
		return out
	})
}

// breakLines puts newlines where JSON may have them: behind its commas and
// braces, outside strings.
func breakLines(data string) string {
	var b strings.Builder
	inside, escaped := false, false
	for i := range len(data) {
		c := data[i]
		b.WriteByte(c)
		switch {
		case escaped:
			escaped = false
		case inside && c == '\\':
			escaped = true
		case c == '"':
			inside = !inside
		case !inside && (c == ',' || c == '{') && i+1 < len(data):
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// latin1 reads UTF-8 as Latin-1, and writes that as UTF-8.
func latin1(b []byte) []byte {
	var out []byte
	for _, c := range b {
		out = utf8.AppendRune(out, rune(c))
	}
	return out
}
