package openai

import (
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// item is one output item of an answer, as far as it was told. A message is told
// as a block for each of its parts, a call and reasoning as one block. Other
// items (of tools that the provider runs itself, and what comes next year) have
// no deltas that mean anything here: they are told when they are done, whole, as
// a block that goes back as it came.
type item struct {
	typ        string
	id, callID string
	block      block            // but for a message
	start      *providers.Block // of a call
	parts      map[partKey]*block
	order      []*block // the parts, as they came
	listed     bool     // by the terminal event
}

// partKey is a part of an item: of its content, or of its summary.
type partKey struct {
	index   int
	summary bool
}

// block is one block, or a part of one (of reasoning).
type block struct {
	begun, closed bool
	whole         bool // the event came that says all of it
	index         int
	told          []byte // by deltas
}

// Types of items.
const (
	typeMessage   = "message"
	typeReasoning = "reasoning"
	typeCall      = "function_call"
	typeCustom    = "custom_tool_call" // its input is text
)

func (it *item) isCall() bool { return it.typ == typeCall || it.typ == typeCustom }

// part returns a part, which may be a new one.
func (it *item) part(key partKey) *block {
	k := it.parts[key]
	if k == nil {
		if it.parts == nil {
			it.parts = map[partKey]*block{}
		}
		k = &block{}
		it.parts[key] = k
		it.order = append(it.order, k)
	}
	return k
}

func (r *responses) newItem(v []byte) (it *item, err error) {
	if !strict.IsKind(v, '{') {
		return nil, strict.Mistyped("", v, "an object")
	}
	it = &item{}
	if it.typ, err = r.arena.Text("type", strict.Member(v, "type")); err != nil {
		return nil, err
	}
	if it.id, err = r.arena.TextOr("id", strict.Member(v, "id")); err != nil {
		return nil, err
	}
	if it.isCall() {
		err = r.describe(it, v)
	}
	return it, err
}

// describe reads how a call starts.
func (r *responses) describe(it *item, v []byte) (err error) {
	b := &providers.Block{Kind: providers.ToolCall}
	more := it.typ == typeCustom
	for m := strict.Members(v); m.Next() && err == nil; {
		switch string(m.Name) {
		case "call_id":
			b.ID, err = r.arena.TextOr("call_id", m.Value)
		case "name":
			b.Name, err = r.arena.TextOr("name", m.Value)
		case "type", "id", "status", "arguments", "input":
		default: // namespace, which the API wants back
			more = more || !strict.Hollow(m.Value)
		}
	}
	if more {
		b.Raw = string(v)
	}
	it.start, it.callID = b, b.ID
	return err
}

func (r *responses) place(output int, it *item) {
	r.items = append(r.items, it)
	if it.id != "" {
		if r.byID == nil {
			r.byID = map[string]*item{}
		}
		r.byID[it.id] = it
	}
	if output >= 0 {
		if r.at == nil {
			r.at = map[int]*item{}
		}
		r.at[output] = it
	}
}

// find returns the item that an event is about, nil if there is none. Ids come
// second: one server changes them from event to event.
func (r *responses) find(e *event) *item {
	if e.output >= 0 {
		return r.at[e.output]
	}
	if len(r.items) == 0 {
		return nil
	}
	if strict.IsKind(e.itemID, '"') {
		if it := r.byID[string(e.itemID[1:len(e.itemID)-1])]; it != nil {
			return it
		}
	}
	return r.items[len(r.items)-1]
}

// found is find for events that say enough to begin an item.
func (r *responses) found(e *event, typ string) *item {
	it := r.find(e)
	if it == nil || it.typ != typ {
		it = &item{typ: typ}
		r.place(e.output, it)
	}
	return it
}

// open starts a block, once.
func (r *responses) open(k *block, kind providers.BlockKind) {
	if !k.begun {
		k.begun, k.index = true, r.begin(&providers.Block{Kind: kind})
	}
}

// shut ends a block, once.
func (r *responses) shut(k *block) {
	if k.begun && !k.closed {
		k.closed = true
		r.add(providers.Event{Kind: providers.BlockStop, Index: k.index})
	}
}

func (r *responses) openCall(it *item) {
	if r.called = true; !it.block.begun {
		it.block.begun, it.block.index = true, r.begin(it.start)
	}
}

// openThought makes a part of reasoning ready, which has no block of its own.
func (r *responses) openThought(it *item, key partKey) *block {
	r.open(&it.block, providers.Thinking)
	k := it.part(key)
	k.begun, k.index = true, it.block.index
	return k
}

// itemAdded begins an item. It is a new one even where its output_index was used
// before: some proxies send 0 for every item.
func (r *responses) itemAdded(e *event) error {
	it, err := r.newItem(e.item)
	if err != nil {
		return strict.Within("item", err)
	}
	r.place(e.output, it)
	switch {
	case it.typ == typeReasoning:
		r.open(&it.block, providers.Thinking)
	case it.isCall() && it.start.ID != "" && it.start.Name != "":
		r.openCall(it) // else when its input begins: a start cannot be told twice
	}
	return nil
}
