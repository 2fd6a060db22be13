package harness

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/harnessbench/bench/harness/compact"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/anthropic"
	"github.com/harnessbench/bench/providers/fake"
)

// Any history, through any stages in any order, gives requests that the real
// API takes, that are no larger than before, and that still say what the user
// asked for, word for word. The history itself is what it was. And a projector
// that saw every step agrees with one that sees the end (E2, E6).
func TestPipelineKeepsRequestsLegal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &drawn{t: t}
		h.add(journal.Record{Kind: journal.KindSession, Session: "s"})
		h.prompt()
		l := Limits{
			Window: 100_000, CompactAt: rapid.IntRange(1, 4000).Draw(t, "compact_at"), BlockAt: 90_000, Preview: rapid.IntRange(1, 300).Draw(t, "preview"),
			MessageBytes: rapid.IntRange(1, 4000).Draw(t, "message_bytes"), SnipOver: rapid.IntRange(5, 60).Draw(t, "snip_over"), MicroKeep: rapid.IntRange(1, 6).Draw(t, "micro_keep"),
			CollapseOver: rapid.IntRange(1, 500).Draw(t, "collapse_over"), SummaryKeep: rapid.IntRange(1, 6).Draw(t, "summary_keep"),
		}.Resolve()
		var step projector
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				h.prompt()
			case 1:
				h.note()
			case 2, 3:
				h.compact(l)
			default:
				h.turn()
			}
			before := h.s.history.sum
			got := step.messages(h.s.history, "m")
			if again := Project(h.s.history, "m"); !reflect.DeepEqual(got, again) {
				t.Fatalf("step by step:\n%s\nat once:\n%s", show(got), show(again))
			}
			if h.s.history.sum != before {
				t.Fatal("a projection changed the history")
			}
			if !h.pending {
				h.judge(got)
			}
		}
	})
}

// drawn is a session's records being drawn.
type drawn struct {
	t       *rapid.T
	recs    []journal.Record
	s       State
	asked   string
	calls   int
	pending bool // the last message is an answer without calls: the next one is the user's
}

func (h *drawn) add(r journal.Record) {
	r.Seq, r.Run = int64(len(h.recs)+1), max(h.s.Run, 1)
	h.recs = append(h.recs, r)
	h.s = Apply(h.s, &h.recs[len(h.recs)-1])
}

func (h *drawn) prompt() {
	h.asked = fmt.Sprintf("request %d: do it", len(h.recs))
	h.add(journal.Record{Kind: journal.KindUser, Text: h.asked})
	h.pending = false
}

func (h *drawn) note() {
	h.add(journal.Record{Kind: journal.KindTransition, Reason: string(GateFeedback), Text: reminder("not yet")})
	h.pending = false
}

// turn adds an answer with up to four calls and their results, some of which
// were recorded before it.
func (h *drawn) turn() {
	if h.pending {
		h.note()
	}
	t := h.t
	n := rapid.IntRange(0, 4).Draw(t, "calls")
	a := attemptID(h.s.Attempts + 1)
	h.add(journal.Record{Kind: journal.KindAttempt, Attempt: a, Lane: providers.LaneMain, Model: "m"})
	blocks := []providers.Block{text(strings.Repeat("say ", rapid.IntRange(1, 40).Draw(t, "words")))}
	ids := make([]string, n)
	for i := range n {
		h.calls++
		ids[i] = fmt.Sprintf("c%d", h.calls)
		blocks = append(blocks, call(fmt.Sprintf("t%d", rapid.IntRange(1, 5).Draw(t, "id")), `{"line":"x"}`))
	}
	early := rapid.IntRange(0, n).Draw(t, "early")
	stop := "end_turn"
	if n > 0 {
		stop = "tool_use"
	}
	calls := func(from, to int) {
		for i := from; i < to; i++ {
			h.add(journal.Record{Kind: journal.KindCall, Attempt: a, Call: ids[i], ID: blocks[i+1].ID, Name: "note", Input: `{"line":"x"}`, Block: i + 1})
		}
	}
	results := func(from, to int) {
		for i := from; i < to; i++ {
			r := journal.Record{Kind: journal.KindResult, Call: ids[i], ID: blocks[i+1].ID, Name: "note", State: journal.Done, Text: strings.Repeat("result ", rapid.IntRange(1, 400).Draw(t, "bytes"))}
			if rapid.IntRange(0, 5).Draw(t, "image") == 0 {
				r.Images = []providers.ImageData{{Type: "image/png", Data: "iVBORw0KGgo="}}
			}
			h.add(r)
		}
	}
	calls(0, early)
	done := rapid.IntRange(0, early).Draw(t, "landed")
	results(0, done)
	h.add(journal.Record{Kind: journal.KindAssistant, Attempt: a, Stop: stop, Blocks: blocks})
	calls(early, n)
	results(done, n)
	if n > 0 {
		h.add(journal.Record{Kind: journal.KindTransition, Reason: string(NextTurn)})
	}
	h.pending = n == 0
}

// compact applies some stage, as the loop would.
func (h *drawn) compact(l Limits) {
	units := unitsOf(h.s.history)
	c := l.compact()
	var e compact.Edit
	var ok bool
	switch rapid.IntRange(0, 5).Draw(h.t, "stage") {
	case 0:
		e, ok = compact.BudgetEdit(units, c)
	case 1:
		e, ok = compact.SnipEdit(units, c)
	case 2:
		e, ok = compact.MicroEdit(units, 1<<20, c)
	case 3:
		e, ok = compact.CollapseEdit(units, c)
	case 4:
		e, ok = compact.MediaEdit(units)
	default:
		keep := c.SummaryKeep
		if rapid.Bool().Draw(h.t, "reactive") {
			keep = reactiveKeep
		}
		if e, ok = compact.SummaryEdit(units, keep, compact.SummaryText("so it went")); ok {
			ok, _ = compact.CheckSummary("so it went", false, "end_turn", e.Before, e.After)
		}
	}
	if !ok {
		return
	}
	before := weigh(Project(h.s.history, "m"))
	h.add(journal.Record{Kind: journal.KindBoundary, Code: string(e.Stage), From: e.From, To: e.To, Names: e.Calls, Text: e.Text, Bytes: e.Preview})
	if after := weigh(Project(h.s.history, "m")); after > before {
		h.t.Fatalf("%s made the request larger: %d after %d", e.Stage, after, before)
	}
	if got := compact.Sum(unitsOf(h.s.history)); got != e.After {
		h.t.Fatalf("%s: the units are %+v, the edit said %+v", e.Stage, got, e.After)
	}
}

// weigh is what a request weighs, with images at what they cost.
func weigh(msgs []providers.Message) int {
	n := 0
	for _, m := range msgs {
		for i := range m.Blocks {
			n += len(m.Blocks[i].Text) + len(m.Blocks[i].Input) + 6400*len(m.Blocks[i].Images)
		}
	}
	return n
}

// judge holds a request against the real API's rules, and the user's words.
func (h *drawn) judge(msgs []providers.Message) {
	body := anthropic.EncodeRequest(nil, &providers.Request{Model: "m", MaxTokens: 1000, Messages: msgs, Tools: []providers.Tool{{Name: "note", Schema: noteTool.Schema}}})
	if no := fake.CheckMessages(body); no != nil {
		h.t.Fatalf("the API would refuse this: %s\n%s", no.Message, show(msgs))
	}
	for _, m := range msgs {
		for i := range m.Blocks {
			if m.Role == providers.User && m.Blocks[i].Text == h.asked {
				return
			}
		}
	}
	h.t.Fatalf("%q is nowhere in\n%s", h.asked, show(msgs))
}
