package faults

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/harnessbench/bench/providers/fake"
)

// reply is an answer that is not the provider's: a status, a body, a type.
func reply(status int, contentType, body string) *fake.Plan {
	p := &fake.Plan{Status: status, Header: http.Header{}}
	if contentType != "" {
		p.Header.Set("Content-Type", contentType)
	}
	if body != "" {
		p.Steps = append(p.Steps, fake.Step{Act: fake.Write, Data: []byte(body)})
	}
	p.Steps = append(p.Steps, fake.Step{Act: fake.EOF})
	return p
}

// with adds a header to an answer.
func with(p *fake.Plan, key, value string) *fake.Plan {
	p.Header = p.Header.Clone()
	p.Header.Set(key, value)
	return p
}

// statusFaults are HTTP errors. They come ahead of everything: the reply that
// was due is still there for the next request.
func statusFaults() []Fault {
	transport := []string{"wire/backoff", "wire/retry-after", "ladder/bounded", "stop/typed-end"}
	hopeless := []string{"wire/no-hopeless-retry", "ladder/bounded", "stop/typed-end"}
	errors := []string{"llm_error_single", "llm_error_persistent", "llm_error_burst", "llm_error_pos_early", "llm_error_pos_mid", "llm_error_pos_late"}
	limited := func(name, summary string, reports []string, header func(m *moment, a Args) (string, string), more ...Param) Fault {
		return Fault{
			Name: name, Summary: summary, Reports: reports, Rules: transport, Params: more,
			Scenario: "fault-http-wait/" + name, ends: "completed",
			ahead: func(m *moment, a Args) *fake.Plan {
				key, value := header(m, a)
				return with(m.Refuse(http.StatusTooManyRequests, "", ""), key, value)
			},
		}
	}
	later := []string{"earendil-works/pi#9595", "VoltAgent/voltagent#1276", "mastra-ai/mastra#19885"}
	after := func(v string) func(*moment, Args) (string, string) {
		return func(*moment, Args) (string, string) { return "Retry-After", v }
	}
	return []Fault{
		{
			Name: "status", Summary: "An HTTP error in the provider's own envelope",
			Params: []Param{
				number("status", 500, 400, 599, "the status"),
				optional(text("type", "", "the provider's error type, if not the usual one")),
				optional(text("message", "", "its message, if not the usual one")),
				optional(text("retry-after", "", "the Retry-After header, if there is one")),
			},
			Reports: []string{"block/buzz#5557", "openclaw/openclaw#49079", "Lexus2016/hermes-agent-evolution#366"}, AgentChaos: errors,
			Rules: append([]string{"wire/no-hopeless-retry"}, transport...), Scenario: "fault-http-status/goes-by/STATUS=408", ends: "completed",
			ahead: func(m *moment, a Args) *fake.Plan {
				p := m.Refuse(a.int("status"), a["type"], a["message"])
				if a.has("retry-after") {
					p = with(p, "Retry-After", a["retry-after"])
				}
				return p
			},
		},
		limited("retry-after", "429, with a Retry-After in seconds", later, func(_ *moment, a Args) (string, string) {
			return "Retry-After", strconv.Itoa(int(a.duration("for").Seconds()))
		}, seconds("for", "30s", "how long")),
		limited("retry-after-date", "429, with a Retry-After that is a date", later, func(m *moment, a Args) (string, string) {
			return "Retry-After", m.At.Add(a.duration("for")).UTC().Format(http.TimeFormat)
		}, seconds("for", "30s", "from now")),
		limited("retry-after-past", "429, with a Retry-After that is a date of the past", later, func(m *moment, _ Args) (string, string) {
			return "Retry-After", m.At.Add(-time.Hour).UTC().Format(http.TimeFormat)
		}),
		limited("retry-after-zero", "429, with a Retry-After of 0", later, after("0")),
		limited("retry-after-negative", "429, with a negative Retry-After", later, after("-30")),
		limited("retry-after-junk", "429, with a Retry-After that is neither seconds nor a date", later, after("soon")),
		limited("retry-after-ms", "429, with the wait in milliseconds in a header that only some clients know", later, func(_ *moment, a Args) (string, string) {
			return "Retry-After-Ms", strconv.FormatInt(a.duration("for").Milliseconds(), 10)
		}, duration("for", "2500ms", "how long")),
		{
			Name: "retry-after-huge", Summary: "429, with a Retry-After of a day and more", Params: []Param{number("seconds", 99999, 1, 1<<40, "how many")},
			Reports: later, Rules: transport, Scenario: "fault-http-wait/retry-after-huge", ends: "completed",
			ahead: func(m *moment, a Args) *fake.Plan {
				return with(m.Refuse(http.StatusTooManyRequests, "", ""), "Retry-After", a["seconds"])
			},
		},
		{
			Name: "no-retry", Summary: "529, and the server says in a header that asking again will not help",
			Reports: []string{"github/gh-aw#54296"}, Rules: hopeless, Scenario: "fault-http-hopeless/FAULT=no-retry", ends: "model_error",
			ahead: func(m *moment, _ Args) *fake.Plan { return with(m.Refuse(529, "", ""), "X-Should-Retry", "false") },
		},
		{
			Name: "bare-status", Summary: "An HTTP error with no body and no content type", Params: []Param{number("status", 503, 400, 599, "the status")},
			Reports: []string{"earendil-works/pi#4642"}, Rules: append([]string{"wire/no-hopeless-retry"}, transport...), Scenario: "fault-http-again/first/FAULT=bare-status", ends: "completed",
			ahead: func(_ *moment, a Args) *fake.Plan { return reply(a.int("status"), "", "") },
		},
		{
			Name: "proxy-html", Summary: "A proxy in between answers with a page of its own",
			Params:  []Param{number("status", 502, 200, 599, "the status")},
			Reports: []string{"earendil-works/pi#4642", "MoonshotAI/kimi-code#1508"}, AgentChaos: []string{"compound_proxy_html"},
			Rules: append([]string{"stop/no-empty-success"}, transport...), Scenario: "fault-http-again/first/FAULT=proxy-html", ends: "completed",
			ahead: func(_ *moment, a Args) *fake.Plan {
				n := a.int("status")
				title := fmt.Sprintf("%d %s", n, http.StatusText(n))
				return reply(n, "text/html", "<html>\r\n<head><title>"+title+"</title></head>\r\n<body>\r\n<center><h1>"+title+"</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n")
			},
		},
		{
			Name: "truncated-error", Summary: "An HTTP error whose body breaks off in the middle, with the connection",
			Params: []Param{number("status", 529, 400, 599, "the status")}, Reports: []string{"teng-lin/notebooklm-py#773"},
			Rules: transport, Scenario: "fault-http-again/first/FAULT=truncated-error", ends: "completed",
			ahead: func(m *moment, a Args) *fake.Plan {
				p := m.Refuse(a.int("status"), "", "")
				body := p.Steps[0].Data
				p.Steps = []fake.Step{{Act: fake.Write, Data: body[:len(body)/2]}, {Act: fake.Cut}}
				return p
			},
		},
		{
			Name: "huge-error", Summary: "An HTTP error with a very long body", Params: []Param{number("status", 503, 400, 599, "the status"), size("size", "2MB", 1, 64_000_000, "how long")},
			Reports: []string{"zed-industries/zed#63237"}, Rules: append([]string{"record/two-ledgers"}, transport...), Scenario: "fault-http-again/first/FAULT=huge-error", ends: "completed",
			ahead: func(_ *moment, a Args) *fake.Plan {
				return reply(a.int("status"), "text/plain", string(bytes.Repeat([]byte("no "), a.bytes("size")/3+1)))
			},
		},
		{
			Name: "error-under-200", Summary: "Status 200, and the body is the provider's JSON for an error",
			Params:  []Param{text("type", "overloaded_error", "the provider's error type")},
			Reports: []string{"anthropics/anthropic-sdk-python#1258"}, AgentChaos: []string{"llm_error_single"}, Rules: append([]string{"stop/no-empty-success"}, transport...), Scenario: "fault-http-again/first/FAULT=error-under-200", ends: "completed",
			ahead: func(m *moment, a Args) *fake.Plan {
				p := m.Refuse(529, a["type"], "Overloaded")
				p.Status = http.StatusOK
				return p
			},
		},
		{
			Name: "close-before-head", Summary: "The connection is closed before an answer comes", Reports: []string{"NousResearch/hermes-agent#30988"},
			AgentChaos: []string{"llm_timeout_single"}, Rules: transport, Scenario: "fault-http-again/first/FAULT=close-before-head", ends: "completed",
			ahead: func(*moment, Args) *fake.Plan {
				return &fake.Plan{Status: http.StatusOK, Header: http.Header{}, Steps: []fake.Step{{Act: fake.Cut}}}
			},
		},
		{
			Name: "reset-before-head", Summary: "The connection is reset before an answer comes", Reports: []string{"HKUDS/OpenHarness#240"},
			Rules: transport, Scenario: "fault-http-again/first/FAULT=reset-before-head", ends: "completed",
			ahead: func(*moment, Args) *fake.Plan {
				return &fake.Plan{Status: http.StatusOK, Header: http.Header{}, Steps: []fake.Step{{Act: fake.Reset}}}
			},
		},
		{
			Name: "close-after-head", Summary: "A good head comes, and the connection is closed before the first byte of the body", Reports: []string{"zeroclaw-labs/zeroclaw#8663"},
			Rules: append([]string{"stop/no-empty-success"}, transport...), Scenario: "fault-http-again/first/FAULT=close-after-head", ends: "completed",
			ahead: func(*moment, Args) *fake.Plan {
				p := reply(http.StatusOK, "text/event-stream; charset=utf-8", "")
				p.Steps = []fake.Step{{Act: fake.Write}, {Act: fake.Cut}}
				return p
			},
		},
		{
			Name: "silent-head", slow: true, Summary: "No answer comes at all, and the connection stays open", Reports: []string{"openai/codex#3229"},
			AgentChaos: []string{"llm_timeout_single", "llm_timeout_persistent", "llm_timeout_burst"},
			Rules:      []string{"stop/typed-end", "ladder/bounded"}, Scenario: "fault-http-again/first/FAULT=silent-head", ends: "completed",
			ahead: func(*moment, Args) *fake.Plan {
				return &fake.Plan{Status: http.StatusOK, Header: http.Header{}, Steps: []fake.Step{{Act: fake.Hang}}}
			},
		},
		{
			Name: "empty-body", Summary: "Status 200, and nothing in the body", Reports: []string{"openai/codex#3229", "kevin1024/vcrpy#661"},
			AgentChaos: []string{"llm_empty_single"}, Rules: append([]string{"stop/no-empty-success"}, transport...), Scenario: "fault-http-again/first/FAULT=empty-body", ends: "completed",
			ahead: func(*moment, Args) *fake.Plan { return reply(http.StatusOK, "text/event-stream; charset=utf-8", "") },
		},
		{
			Name: "no-content", Summary: "Status 204, with no body", Reports: []string{"zeroclaw-labs/zeroclaw#8663"},
			Rules: append([]string{"stop/no-empty-success"}, transport...), Scenario: "fault-http-again/first/FAULT=no-content", ends: "completed",
			ahead: func(*moment, Args) *fake.Plan { return reply(http.StatusNoContent, "", "") },
		},
		{
			Name: "redirect", Summary: "A redirect to another host, which must not be given the key",
			Params:  []Param{number("status", 307, 300, 399, "the status"), text("to", "http://elsewhere.invalid/v1/messages", "where to")},
			Reports: []string{"canonical/ubuntu.com#16555"}, Rules: append([]string{"secrets/none"}, hopeless...), Scenario: "fault-http-hopeless/FAULT=redirect", ends: "model_error",
			ahead: func(_ *moment, a Args) *fake.Plan {
				return with(reply(a.int("status"), "", ""), "Location", a["to"])
			},
		},
		{
			Name: "auth-flap", Summary: "401 for every other request", Reports: []string{"Lexus2016/hermes-agent-evolution#366"},
			Rules: hopeless, Scenario: "fault-http-hopeless/FAULT=auth-flap", ends: "model_error", always: true,
			ahead: func(m *moment, _ Args) *fake.Plan {
				if m.n++; m.n%2 == 1 {
					return m.Refuse(http.StatusUnauthorized, "", "")
				}
				return nil
			},
		},
		{
			Name: "stale-answer", Summary: "A cache in between repeats the answer before, byte for byte, whatever was asked", Reports: []string{"dnaeon/go-vcr#21"},
			AgentChaos: []string{"compound_stale_cache"}, Rules: []string{"ladder/no-rerun", "wire/legal", "resume/effect-once"}, Scenario: "fault-http-stale/once", ends: "completed",
			with: []string{"nth=2"},
			ahead: func(m *moment, _ Args) *fake.Plan {
				if m.last == nil {
					return nil
				}
				p := *m.last
				return &p
			},
		},
	}
}

// answerFaults change the head of a good answer, or put its bytes into another
// form.
func answerFaults() []Fault {
	form := []string{"stop/typed-end", "stop/no-empty-success", "ladder/bounded"}
	headed := func(f func(h http.Header)) func(*moment, *fake.Plan, Args) *fake.Plan {
		return func(_ *moment, p *fake.Plan, _ Args) *fake.Plan {
			q := *p
			q.Header = p.Header.Clone()
			f(q.Header)
			return &q
		}
	}
	return []Fault{
		{
			Name: "wrong-content-type", Summary: "A stream that says it is text/plain", Reports: []string{"inngest/inngest-js#1714"}, Rules: form,
			Scenario: "fault-http-same/FAULT=wrong-content-type", ends: "completed",
			answer: headed(func(h http.Header) { h.Set("Content-Type", "text/plain") }),
		},
		{
			Name: "json-content-type", Summary: "A stream that says it is JSON", Reports: []string{"inngest/inngest-js#1714"}, Rules: form,
			Scenario: "fault-http-same/FAULT=json-content-type", ends: "completed",
			answer: headed(func(h http.Header) { h.Set("Content-Type", "application/json") }),
		},
		{
			Name: "no-content-type", Summary: "An answer without a content type", Reports: []string{"inngest/inngest-js#1714"}, Rules: form,
			Scenario: "fault-http-same/FAULT=no-content-type", ends: "completed",
			answer: headed(func(h http.Header) { h.Del("Content-Type") }),
		},
		{
			Name: "gzip", Summary: "The answer is compressed, and says so, although nobody asked for that", Reports: []string{"kevin1024/vcrpy#661", "teng-lin/notebooklm-py#773"}, Rules: form,
			Scenario: "fault-http-encoded/FAULT=gzip", ends: "completed",
			answer: func(_ *moment, p *fake.Plan, _ Args) *fake.Plan { return with(zipped(p), "Content-Encoding", "gzip") },
		},
		{
			Name: "gzip-undeclared", Summary: "The answer is compressed, and does not say so", Reports: []string{"kevin1024/vcrpy#661"}, Rules: form,
			Scenario: "fault-http-encoded/FAULT=gzip-undeclared", ends: "completed",
			answer: func(_ *moment, p *fake.Plan, _ Args) *fake.Plan { return zipped(p) },
		},
		{
			Name: "gzip-untrue", Summary: "The answer says that it is compressed, and is not", Reports: []string{"teng-lin/notebooklm-py#773"}, Rules: form,
			Scenario: "fault-http-encoded/FAULT=gzip-untrue", ends: "completed",
			answer: headed(func(h http.Header) { h.Set("Content-Encoding", "gzip") }),
		},
		{
			Name: "html-under-200", Summary: "A page comes under status 200, as a captive portal sends it", Reports: []string{"earendil-works/pi#4642"},
			AgentChaos: []string{"compound_proxy_html"}, Rules: form, Scenario: "fault-http-page/once", ends: "completed",
			ahead: func(*moment, Args) *fake.Plan {
				return reply(http.StatusOK, "text/html", "<!doctype html><title>Sign in</title><p>Please accept the terms of this network.</p>\n")
			},
		},
		{
			Name: "slow-head", Summary: "The head of a good answer comes late", Params: []Param{duration("for", "5s", "how late")},
			Reports: []string{"openai/codex#658"}, AgentChaos: []string{"compound_slow_response"}, Rules: []string{"stop/typed-end", "ladder/bounded"},
			Scenario: "fault-http-same/FAULT=slow-head", ends: "completed",
			answer: func(_ *moment, p *fake.Plan, a Args) *fake.Plan {
				q := *p
				q.Steps = append([]fake.Step{stallFor(a.duration("for"))}, p.Steps...)
				return &q
			},
		},
		{
			Name: "late-error", Summary: "503, after a long time", Params: []Param{duration("for", "3s", "how long")},
			Reports: []string{"block/buzz#5557"}, AgentChaos: []string{"compound_api_degradation"}, Rules: []string{"wire/backoff", "stop/typed-end"},
			Scenario: "fault-http-again/first/FAULT=late-error", ends: "completed",
			ahead: func(m *moment, a Args) *fake.Plan {
				p := m.Refuse(http.StatusServiceUnavailable, "api_error", "Service Unavailable")
				p.Steps = append([]fake.Step{stallFor(a.duration("for"))}, p.Steps...)
				return p
			},
		},
	}
}

// zipped is an answer with its body compressed, in one piece; its waits come
// first.
func zipped(p *fake.Plan) *fake.Plan {
	var raw, out bytes.Buffer
	q := *p
	q.Steps = nil
	end := fake.Step{Act: fake.EOF}
	for _, s := range p.Steps {
		switch s.Act {
		case fake.Write:
			raw.Write(s.Data)
		case fake.Delay, fake.Gate:
			q.Steps = append(q.Steps, s)
		default:
			end = s
		}
	}
	z := gzip.NewWriter(&out)
	_, _ = z.Write(raw.Bytes()) // into memory
	_ = z.Close()
	q.Steps = append(q.Steps, fake.Step{Act: fake.Write, Data: out.Bytes()}, end)
	return &q
}
