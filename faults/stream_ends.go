package faults

import (
	"bytes"
	"time"
	"unicode/utf8"

	"github.com/harnessbench/bench/providers/fake"
)

var cutRules = []string{"stop/complete-only", "stop/no-empty-success", "record/preview-settles", "stop/typed-end"}

// placed are the two ways to name a place in a stream.
func placed(def int) []Param {
	return []Param{
		eventAt(def),
		optional(number("byte", 1, 0, 1<<30, "instead of event=: behind so many bytes")),
	}
}

// place is where a fault works: behind that event, or that byte.
func (s *stream) place(a Args) (int, bool) {
	if a.has("byte") {
		n := a.int("byte")
		return n, n < len(s.b)
	}
	e, ok := s.event(a.int("event"))
	return e.to, ok
}

// ended are the protocols with an event that ends an answer.
var ended = []string{"anthropic", "chat", "responses"}

// endFaults are streams that end too early, too late, or with an error.
func endFaults() []Fault {
	ending := func(name, summary string, act fake.Act, reports, chaos []string, more ...Param) Fault {
		return Fault{
			Name: name, Summary: summary, Params: append(placed(4), more...), Reports: reports, AgentChaos: chaos,
			Rules: cutRules, Scenario: "fault-stream-ends/FAULT=" + name, ends: "completed",
			events: func(s *stream, a Args) {
				if at, ok := s.place(a); ok {
					s.stop(at, fake.Step{Act: act, D: a.duration("for")})
				}
			},
		}
	}
	truncate := []string{"llm_truncate_single", "llm_truncate_persistent", "llm_truncate_burst"}
	hangs := ending("hang", "The stream falls silent behind an event or a byte, and the connection stays open", fake.Hang,
		[]string{"openai/codex#3229", "qxcnm/Codex-Manager#36"},
		[]string{"llm_timeout_single", "llm_timeout_persistent", "llm_timeout_burst", "llm_timeout_pos_early", "llm_timeout_pos_mid", "llm_timeout_pos_late"})
	hangs.slow = true
	hangs.Rules = append([]string{"ladder/bounded"}, cutRules...)
	return []Fault{
		ending("eof", "The stream ends behind an event or a byte, as if it were whole", fake.EOF,
			[]string{"zeroclaw-labs/zeroclaw#8663", "BerriAI/litellm#32159", "Growth-Circle/cadis#2547"}, truncate),
		ending("cut", "The connection is closed inside the body, behind an event or a byte", fake.Cut,
			[]string{"HKUDS/nanobot#4038", "NousResearch/hermes-agent#30988"}, nil),
		ending("reset", "The connection is reset (RST) behind an event or a byte", fake.Reset,
			[]string{"NousResearch/hermes-agent#14151", "dyad-sh/dyad#2853"}, nil),
		hangs,
		{
			Name: "cut-in-text", Summary: "The connection is closed inside the first piece of text, in the middle of a character if it has one of several bytes",
			Reports: []string{"HKUDS/nanobot#4038", "musistudio/claude-code-router#1672"}, Rules: cutRules,
			Scenario: "fault-stream-ends/FAULT=cut-in-text", ends: "completed",
			events: func(s *stream, _ Args) { s.cutInside(texts_, fake.Cut) },
		},
		{
			Name: "cut-in-call", Summary: "The stream ends inside the input of a call, as if it were whole",
			Reports: []string{"BerriAI/litellm#32159", "zed-industries/zed#59970"}, Rules: cutRules,
			AgentChaos: []string{"tool_truncate_single", "tool_truncate_persistent", "tool_truncate_burst"},
			Scenario:   "fault-stream-ends/FAULT=cut-in-call", ends: "completed",
			events: func(s *stream, _ Args) { s.cutInside(inputs, fake.EOF) },
		},
		{
			Name: "cut-between", Summary: "The stream ends behind the last block, before it says why: a whole call, and no stop reason",
			Reports: []string{"openclaw/openclaw#108958"}, Rules: cutRules,
			Scenario: "fault-stream-ends/FAULT=cut-between", ends: "completed",
			events: func(s *stream, _ Args) {
				if e, ok := s.first(stops); ok {
					s.stop(e.from, fake.Step{Act: fake.EOF})
				}
			},
		},
		{
			Name: "no-terminal", Summary: "The last event of the protocol is missing; everything else is there",
			Reports: []string{"tombii/better-ccflare#344"}, Rules: []string{"stop/typed-end", "ladder/bounded"},
			Scenario: "fault-stream-tail/FAULT=no-terminal", ends: "completed", Protocols: []string{"anthropic", "chat"},
			events: func(s *stream, _ Args) {
				if e, ok := s.last(terminal); ok {
					s.drop(e)
				}
			},
		},
		{
			Name: "terminal-twice", Summary: "The last event of the protocol comes twice",
			Reports: []string{"use-agent-os/agent-os#2118"}, Rules: []string{"stop/typed-end", "record/preview-settles"},
			Scenario: "fault-stream-tail/FAULT=terminal-twice", ends: "completed", Protocols: ended,
			events: func(s *stream, _ Args) {
				if e, ok := s.last(terminal); ok {
					s.insert(e.to, s.bytes(e))
				}
			},
		},
		{
			Name: "after-the-end", Summary: "Another piece of text comes behind the last event of the protocol",
			Reports: []string{"commontoolsinc/labs#7654"}, Rules: []string{"stop/typed-end", "record/preview-settles"},
			Scenario: "fault-stream-tail/FAULT=after-the-end", ends: "completed", Protocols: ended,
			events: func(s *stream, _ Args) {
				piece, ok := s.first(texts_)
				if e, ok2 := s.last(terminal); ok && ok2 {
					s.insert(e.to, s.bytes(piece))
				}
			},
		},
		{
			Name: "junk-after-the-end", Summary: "Bytes that are no event come behind the last event of the protocol",
			Reports: []string{"keploy/keploy#4570"}, Rules: []string{"stop/typed-end", "record/preview-settles"},
			Scenario: "fault-stream-tail/FAULT=junk-after-the-end", ends: "completed",
			events: func(s *stream, _ Args) { s.insert(len(s.b), []byte("<!-- cache hit -->\n\x00\n")) },
		},
		{
			Name: "open-after-the-end", slow: true, Summary: "The last event of the protocol comes, and the connection is never closed",
			Reports: []string{"openai/codex#3229"}, Rules: []string{"stop/typed-end", "ladder/bounded"},
			Scenario: "fault-stream-tail/FAULT=open-after-the-end", ends: "completed", Protocols: ended,
			events: func(s *stream, _ Args) { s.end = fake.Step{Act: fake.Hang} },
		},
		{
			Name: "error-event", Summary: "An error comes inside the stream, under status 200, behind an event",
			Params: []Param{
				eventAt(4), text("type", "overloaded_error", "the provider's error type"), text("message", "Overloaded", "its message"),
			},
			Reports:    []string{"anthropics/anthropic-sdk-python#1258", "use-agent-os/agent-os#2118", "byte5ai/omadia#122"},
			AgentChaos: []string{"llm_error_single", "llm_error_pos_early", "llm_error_pos_mid", "llm_error_pos_late"},
			Rules:      []string{"stop/typed-end", "record/preview-settles", "wire/no-hopeless-retry", "wire/backoff"},
			Scenario:   "fault-stream-errors/FAULT=error-event", ends: "completed",
			events: func(s *stream, a Args) {
				if e, ok := s.event(a.int("event")); ok {
					s.stop(e.to, fake.Step{Act: fake.EOF})
					s.insert(e.to, s.q.ErrorEvent(a["type"], a["message"]))
				}
			},
		},
		{
			Name: "error-first", Summary: "The stream is one error event and nothing else, under status 200",
			Params: []Param{
				text("type", "overloaded_error", "the provider's error type"), text("message", "Overloaded", "its message"),
			},
			Reports: []string{"router-for-me/CLIProxyAPI#4980", "Alcova-AI/adk-anthropic-go#32"},
			Rules:   []string{"stop/typed-end", "stop/no-empty-success", "wire/no-hopeless-retry"}, AgentChaos: []string{"llm_error_burst", "llm_error_persistent"},
			Scenario: "fault-stream-errors/FAULT=error-first", ends: "completed",
			events: func(s *stream, a Args) {
				s.stop(0, fake.Step{Act: fake.EOF})
				s.insert(0, s.q.ErrorEvent(a["type"], a["message"]))
			},
		},
		{
			Name: "error-open", Summary: "An error comes inside the stream, and the connection stays open behind it",
			Params:  []Param{eventAt(4), text("type", "overloaded_error", "the provider's error type")},
			Reports: []string{"use-agent-os/agent-os#2118"}, Rules: []string{"stop/typed-end", "ladder/bounded", "record/preview-settles"},
			Scenario: "fault-stream-errors/FAULT=error-open", ends: "completed",
			events: func(s *stream, a Args) {
				if e, ok := s.event(a.int("event")); ok {
					s.stop(e.to, fake.Step{Act: fake.Hang})
					s.insert(e.to, s.q.ErrorEvent(a["type"], "Overloaded"))
				}
			},
		},
		{
			Name: "error-ignored", Summary: "An error comes inside the stream, and the answer goes on behind it as if there were none",
			Params:  []Param{eventAt(4), text("type", "api_error", "the provider's error type")},
			Reports: []string{"router-for-me/CLIProxyAPI#4980"}, Rules: []string{"stop/typed-end", "stop/complete-only"},
			Scenario: "fault-stream-errors/FAULT=error-ignored", ends: "completed",
			events: func(s *stream, a Args) {
				if e, ok := s.event(a.int("event")); ok {
					s.insert(e.to, s.q.ErrorEvent(a["type"], "Internal server error"))
				}
			},
		},
	}
}

// cutInside ends the answer in the middle of the last piece of a kind, inside
// a character of several bytes if there is one.
func (s *stream) cutInside(k kind, act fake.Act) {
	e, ok := s.first(k)
	if k == inputs {
		e, ok = s.last(k)
	}
	if !ok {
		return
	}
	at := e.dataFrom + (e.dataTo-e.dataFrom)/2
	if v, ok := s.g.pieceOf(e, k); ok {
		at = e.dataFrom + v.from + (v.to-v.from+1)/2
	}
	if i := bytes.IndexFunc(s.b[e.dataFrom:e.dataTo], func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
		at = e.dataFrom + i + 1
	}
	s.stop(at, fake.Step{Act: act})
}

// stallFor is a wait.
func stallFor(d time.Duration) fake.Step { return fake.Step{Act: fake.Delay, D: d} }
