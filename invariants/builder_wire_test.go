package invariants_test

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/anthropic"
)

// ask makes a request, answered with a; the previews of a's text are shown.
func (b *builder) ask(a answer) string {
	id := b.attempt("main")
	b.send(id, a)
	return id
}

func (b *builder) attempt(lane string) string {
	b.attempts++
	id := fmt.Sprintf("a%d", b.attempts)
	b.commit("a request is due", journal.Record{Kind: journal.KindAttempt, Attempt: id, Lane: lane, Model: b.model, MaxTokens: b.max})
	return id
}

// aside asks in a side lane, whose answer is never part of the history.
func (b *builder) aside(lane string, a answer) string {
	id := b.attempt(lane)
	msgs, quiet := b.msgs, b.quiet
	b.msgs, b.quiet = []providers.Message{{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: "material"}}}}, true
	b.send(id, a).Lane = lane
	b.msgs, b.quiet = msgs, quiet
	b.commit("a side lane answered", journal.Record{Kind: journal.KindDiscarded, Attempt: id, Reason: lane, Text: a.text, Ending: "complete", Usage: &providers.Usage{In: 3, Out: 2}})
	return id
}

// send is the exchange alone.
func (b *builder) send(id string, a answer) *evidence.Exchange {
	status, ending := 200, "eof"
	if a.ending == "reset" {
		ending = "reset"
	}
	reply := a.sse()
	if a.status != 0 {
		status = a.status
		reply = fmt.Appendf(nil, `{"type":"error","error":{"type":%q,"message":%q}}`, cmp.Or(a.typ, "api_error"), cmp.Or(a.text, "no"))
	}
	x := &evidence.Exchange{
		N: len(b.ev.Wire) + 1, Life: b.life, Lane: "main", Attempt: id, Method: "POST", Path: "/v1/messages",
		Body: anthropic.EncodeRequest(nil, &providers.Request{
			Model: b.model, MaxTokens: b.max, Stream: true, Messages: b.msgs,
			Tools: []providers.Tool{{Name: "append", Schema: `{"type":"object"}`}},
		}),
		At: b.now(), Status: status, Head: a.head, Reply: reply, Chunks: []int{len(reply)}, Ending: ending, Place: "replies.script:1",
	}
	b.ev.Wire = append(b.ev.Wire, x)
	b.step(evidence.Step{Kind: evidence.StepRequest, N: x.N})
	if a.text != "" && status == 200 && !b.quiet {
		half := len(a.text) / 2
		b.preview(id, a.text[:half])
		b.preview(id, a.text[half:])
	}
	b.step(evidence.Step{Kind: evidence.StepReply, N: x.N})
	return x
}

func (b *builder) assistantRecord(id string, a answer) journal.Record {
	stop := a.stopReason()
	if stop == "none" {
		stop = ""
	}
	return journal.Record{Kind: journal.KindAssistant, Attempt: id, Blocks: a.blocks(), Stop: stop, Ending: "complete", Usage: &providers.Usage{In: 10, Out: 5}}
}

// callRecords are the records of an answer's calls; refused maps an id of the
// model's to a code.
func (b *builder) callRecords(attempt string, a answer, refused map[string]string) []journal.Record {
	var recs []journal.Record
	first := len(a.blocks()) - len(a.calls)
	for i, c := range a.calls {
		b.calls++
		call := fmt.Sprintf("c%d", b.calls)
		b.wireIDs[call] = c.id
		recs = append(recs, journal.Record{
			Kind: journal.KindCall, Call: call, ID: c.id, Name: c.name, Input: c.input, Attempt: attempt, Block: first + i, Refused: refused[c.id],
		})
		if code := refused[c.id]; code != "" {
			recs = append(recs, journal.Record{Kind: journal.KindResult, Call: call, ID: c.id, Name: c.name, State: journal.Refused, IsError: true, Code: code, Text: "not run: " + code})
		}
	}
	return recs
}

// answered commits an answer with its calls, and returns our ids.
func (b *builder) answered(attempt string, a answer, refused map[string]string) []string {
	recs := append([]journal.Record{b.assistantRecord(attempt, a)}, b.callRecords(attempt, a, refused)...)
	recs = b.commit("the answer is whole", recs...)
	blocks := a.blocks()
	for i := range blocks {
		if blocks[i].Kind == providers.ToolCall && (blocks[i].Input == "" || blocks[i].Input[0] != '{' || !jsontext.Value(blocks[i].Input).IsValid()) {
			blocks[i].Input = "{}"
		}
		blocks[i].Open = false
	}
	if len(blocks) > 0 && a.stop != "refusal" {
		b.say(providers.Assistant, blocks...)
	}
	var ids []string
	for _, r := range recs {
		switch r.Kind {
		case journal.KindCall:
			ids = append(ids, r.Call)
		case journal.KindResult:
			if a.stop != "refusal" {
				b.tell(r)
			}
		}
	}
	return ids
}

// tell adds a result to the conversation.
func (b *builder) tell(r journal.Record) {
	b.say(providers.User, providers.Block{Kind: providers.ToolResult, ID: b.wireIDs[r.Call], Text: r.Text, IsError: r.IsError || r.Kind == journal.KindToolError, Images: r.Images})
}

// shorten changes what later requests show of a result.
func (b *builder) shorten(call, text string) {
	b.msgs = slices.Clone(b.msgs)
	for i := range b.msgs {
		for k := range b.msgs[i].Blocks {
			if r := &b.msgs[i].Blocks[k]; r.Kind == providers.ToolResult && r.ID == b.wireIDs[call] {
				blocks := slices.Clone(b.msgs[i].Blocks)
				blocks[k].Text, blocks[k].Images = text, nil
				b.msgs[i].Blocks = blocks
			}
		}
	}
}
