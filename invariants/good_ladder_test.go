package invariants_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// Answers of a provider that does not take a request.
var (
	tooLong    = answer{status: 400, typ: "invalid_request_error", text: "prompt is too long: 250000 tokens > 200000 maximum"}
	tooLarge   = answer{status: 413, typ: "request_too_large", text: "Request exceeds the maximum size"}
	badImage   = answer{status: 400, typ: "invalid_request_error", text: "messages.2.content.0.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes"}
	noRoom     = answer{status: 400, typ: "invalid_request_error", text: "input length and `max_tokens` exceed context limit: 174167 + 64000 > 200000, decrease input length or `max_tokens` and try again"}
	overloaded = answer{status: 529, typ: "overloaded_error", text: "Overloaded"}
)

// ladderLimits are the limits of a loop's counters.
func ladderLimits(b *builder) {
	b.ev.Limits.Counters = map[string]int{
		"retries": 10, "drains": 1, "summaries": 1, "lowers": 1, "escalations": 1, "continuations": 3, "empty": 1, "protocol": 1, "pauses": 8,
		"hook_blocks": 7, "gate_blocks": 1, "judge_blocks": 7, "nudges": 10, "fallbacks": 1,
	}
	b.ev.Limits.PerTurn, b.ev.Limits.PerRun, b.ev.Limits.Fallbacks = 16, 10, 1
	b.ev.Limits.MaxTurns = 10
}

// afterRead is a session with one read behind it, whose result has size bytes.
func afterRead(t testing.TB, size int, images ...providers.ImageData) (*builder, string) {
	b := newBuilder(t).start()
	ladderLimits(b)
	b.user("go")
	a := answer{text: "I read.", calls: []tc{{id: "t1", name: "read", input: `{}`}}}
	c := b.answered(b.ask(a), a, nil)[0]
	b.starts(c, "read")
	b.enters(c)
	b.leaves(c, evidence.ToolDone)
	r := b.resultRecord(c, "read", strings.Repeat("x", size))
	r.Images = images
	b.settle(r)
	b.goesOn("next_turn")
	return b, c
}

// seen lets an answer come behind a result, with another call.
func (b *builder) seen() {
	a := answer{text: "I go on.", calls: []tc{{id: fmt.Sprintf("s%d", b.calls), name: "read", input: fmt.Sprintf(`{"n":%d}`, b.calls)}}}
	b.runs(b.answered(b.ask(a), a, nil)[0], "read")
	b.goesOn("next_turn")
}

// drain collapses a result for a refusal, and goes on.
func (b *builder) drain(call, trigger string) {
	b.boundary(journal.Record{Code: "collapse", Reason: trigger, Names: []string{call}}, 3000, 1000)
	b.shorten(call, "[left out]")
	b.goesOn("collapse_drain_retry")
}

// summarises asks for a summary of the records from 2 up to the last prompt's
// answers, and puts it in their place.
func (b *builder) summarises(trigger string, to int64) {
	b.aside("summary", answer{text: "It was read."})
	b.boundary(journal.Record{Code: "summary", Reason: trigger, From: 2, To: to, Text: "<summary>It was read.</summary>"}, 2000, 500)
	first := b.msgs[0].Blocks[len(b.msgs[0].Blocks)-1]
	b.msgs = []providers.Message{{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: "<summary>It was read.</summary>"}, first}}}
}

// final is an answer without calls, not yet judged.
func (b *builder) final(text string) {
	a := answer{text: text}
	b.answered(b.ask(a), a, nil)
}

func (b *builder) hooked(kind string, active bool, outcome string) {
	n := b.step(evidence.Step{Kind: "hook"})
	b.ev.Hooks = append(b.ev.Hooks, evidence.Hook{Step: int(n), Life: b.life, Kind: kind, Active: active, Outcome: outcome})
}

// Runs that climb the ladder.
var goodLadder = []goodLoop{
	{"too long: drained, summarised, given up", func(t testing.TB) *builder {
		b, c := afterRead(t, 3000)
		b.seen()
		b.discards(b.ask(tooLong), "collapse_drain_retry")
		b.drain(c, "overflow")
		b.discards(b.ask(tooLong), "reactive_compact_retry")
		b.summarises("overflow", b.seq-4)
		b.goesOn("reactive_compact_retry")
		b.discards(b.ask(tooLong), "prompt_too_long")
		b.ends("prompt_too_long")
		return b
	}},
	{"too large: images left out, fewer bytes", func(t testing.TB) *builder {
		b, c := afterRead(t, 10, providers.ImageData{Type: "image/png", Data: strings.Repeat("QUJD", 400)})
		b.discards(b.ask(tooLarge), "collapse_drain_retry")
		b.boundary(journal.Record{Code: "media", Reason: "too_large", Names: []string{c}}, 1600, 60)
		b.shorten(c, strings.Repeat("x", 10)+"[1 image left out]")
		b.goesOn("collapse_drain_retry")
		b.lastTurn()
		return b
	}},
	{"an image that is refused, left out, and still refused", func(t testing.TB) *builder {
		b, c := afterRead(t, 10, providers.ImageData{Type: "image/png", Data: strings.Repeat("QUJD", 40)})
		b.discards(b.ask(badImage), "collapse_drain_retry")
		b.boundary(journal.Record{Code: "media", Reason: "image", Names: []string{c}}, 1600, 60)
		b.shorten(c, strings.Repeat("x", 400)+"[1 image left out]") // more bytes, fewer images
		b.goesOn("collapse_drain_retry")
		b.discards(b.ask(badImage), "image_error")
		b.ends("image_error")
		return b
	}},
	{"a summary that fails for a refusal uses up its rung", func(t testing.TB) *builder {
		b, _ := afterRead(t, 10)
		b.discards(b.ask(tooLong), "reactive_compact_retry")
		b.aside("summary", answer{text: " \n"})
		b.commit("the summary changes nothing", journal.Record{Kind: journal.KindNotice, Code: "compaction_failed", Reason: "overflow", Text: "empty"})
		b.ends("prompt_too_long")
		return b
	}},
	{"a full window is an overflow", func(t testing.TB) *builder {
		b, c := afterRead(t, 3000)
		b.seen()
		b.discards(b.ask(answer{text: "half", stop: "model_context_window_exceeded"}), "collapse_drain_retry")
		b.drain(c, "overflow")
		b.lastTurn()
		return b
	}},
	{"max_tokens lowered to what fits, until the next turn", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.max = 64000
		b.user("go")
		b.discards(b.ask(noRoom), "max_output_lower")
		b.goes(journal.Record{Reason: "max_output_lower", MaxTokens: 25833})
		b.max = 25833
		a := answer{text: "x", calls: []tc{{id: "t1", name: "read", input: `{}`}}}
		b.runs(b.answered(b.ask(a), a, nil)[0], "read")
		b.goesOn("next_turn")
		b.max = 64000
		b.lastTurn()
		return b
	}},
	{"cut, raised, continued twice, whole", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		b.discards(b.ask(answer{text: "one ", stop: "max_tokens", calls: []tc{{id: "t1", name: "append", input: `{}`}, {id: "t2", name: "append", input: `{}`}}}), "max_output_escalate")
		b.goes(journal.Record{Reason: "max_output_escalate", MaxTokens: 800})
		b.max = 800
		for _, part := range []string{"one ", "two "} {
			a := answer{text: part, stop: "max_tokens"}
			b.answered(b.ask(a), a, nil)
			b.goes(journal.Record{Reason: "max_output_recovery", Text: "Go on."})
			b.discards(b.ask(answer{status: 500}), "transport_retry")
			b.goesOn("transport_retry")
		}
		b.lastTurn()
		return b
	}},
	{"a cut call is something new", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.ev.Limits.Counters["escalations"] = 0
		b.user("go")
		a := answer{stop: "max_tokens", calls: []tc{{id: "t1", name: "append", input: `{"a`, open: true}}}
		b.answered(b.ask(a), a, map[string]string{"t1": "cut"})
		b.goes(journal.Record{Reason: "max_output_recovery", Text: "Go on."})
		b.lastTurn()
		return b
	}},
	{"three overloads, and another model", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		for range 2 {
			b.discards(b.ask(overloaded), "transport_retry")
			b.goesOn("transport_retry")
		}
		b.discards(b.ask(answer{text: "x", ending: "error"}), "model_fallback")
		b.goes(journal.Record{Reason: "model_fallback", Model: "n"})
		b.model = "n"
		b.lastTurn()
		return b
	}},
	{"a hook that blocks, then allows", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		b.final("Done?")
		b.hooked(evidence.HookStop, false, "block")
		b.gate("hook", "block")
		b.goes(journal.Record{Reason: "stop_hook_blocking", Text: "Not yet."})
		b.final("Done.")
		b.hooked(evidence.HookStop, true, "allow")
		b.gate("hook", "allow")
		b.ends("completed")
		return b
	}},
	{"a hook that fails, one that prevents, one that halts behind tools", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		b.final("Done.")
		b.hooked(evidence.HookStop, false, "crash")
		b.gate("hook", "failed")
		b.terminal("completed_unverified")
		b.user("again")
		b.final("Done.")
		b.gate("hook", "prevent")
		b.terminal("stop_hook_prevented")
		b.user("and again")
		a := answer{text: "x", calls: []tc{{id: "t1", name: "read", input: `{}`}}}
		b.runs(b.answered(b.ask(a), a, nil)[0], "read")
		b.hooked(evidence.HookTool, false, "halt")
		b.gate("tool_hook", "halt")
		b.ends("hook_stopped")
		return b
	}},
	{"the gate fails twice", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		b.final("Done.")
		b.gate("hook", "allow")
		b.gate("completion", "fail")
		b.goes(journal.Record{Reason: "gate_feedback", Text: "Run the tests."})
		b.final("Done.")
		b.gate("completion", "fail")
		b.ends("completion_gate_blocked")
		return b
	}},
	{"the judge in all its moods", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		b.final("Done.")
		b.gate("completion", "unverified")
		b.aside("judge", answer{text: `{"ok":false}`})
		b.gate("judge", "not_done")
		b.goes(journal.Record{Reason: "gate_feedback", Text: "Not yet."})
		b.final("Done.")
		b.aside("judge", answer{text: `{"ok":true}`})
		b.gate("judge", "done")
		b.terminal("completed")
		for verdict, reason := range map[string]string{"error": "judge_error", "impossible": "goal_impossible", "deferred": "completed_unverified"} {
			b.user("again, " + verdict)
			b.final("Done.")
			b.gate("judge", verdict)
			b.terminal(reason)
		}
		b.over()
		return b
	}},
	{"nudged until enough is used", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.ev.Limits.Nudge = 18
		b.user("go")
		for i := range 3 {
			b.final(fmt.Sprintf("part %d", i))
			b.goes(journal.Record{Reason: "token_budget_continuation", Text: "Go on."})
		}
		b.final("Done.")
		b.ends("completed")
		return b
	}},
	{"a blocking limit", func(t testing.TB) *builder {
		b, _ := afterRead(t, 3000)
		b.ev.Limits.BlockAt = 600
		b.ends("blocking_limit")
		return b
	}},
}
