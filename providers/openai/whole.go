package openai

import (
	"fmt"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// itemDone tells the item to its end, or all of it.
func (r *responses) itemDone(e *event, kind string) error {
	now, err := r.newItem(e.item)
	if err != nil {
		return strict.Within("item", err)
	}
	it := r.find(e)
	if it == nil || it.typ != now.typ || it.other(now) {
		it = now
		r.place(e.output, it)
	}
	return strict.Within("item", r.wholeItem(it, now, e.item, kind))
}

// wholeItem tells what is new in an item that stands there whole, now. It is
// over then, unless it says that it was cut.
func (r *responses) wholeItem(it, now *item, v []byte, kind string) error {
	cut := string(strict.Member(v, "status")) == `"incomplete"`
	switch it.typ {
	case typeMessage:
		i := 0
		for e := strict.Elements(arrayOf(strict.Member(v, "content"))); e.Next(); i++ {
			if err := r.wholePart(it, i, e.Value, kind); err != nil {
				return strict.Within(fmt.Sprintf("content[%d]", i), err)
			}
		}
		for _, k := range it.order {
			if !cut {
				r.shut(k)
			}
		}
		return nil
	case typeReasoning:
		if it.block.closed {
			return nil // that its words were said again otherwise changes nothing
		}
		r.open(&it.block, providers.Thinking)
		for _, part := range []string{"summary", "content"} {
			i := 0
			for e := strict.Elements(arrayOf(strict.Member(v, part))); e.Next(); i++ {
				if err := r.wholeThought(it, partKey{i, part == "summary"}, strict.Member(e.Value, "text"), kind); err != nil {
					return strict.Within(fmt.Sprintf("%s[%d]", part, i), err)
				}
			}
		}
		// What the model wants back is the item as it is: the text that was
		// encrypted, and what belongs to it.
		if !strict.Hollow(strict.Member(v, "encrypted_content")) {
			r.add(providers.Event{Kind: providers.SignatureDelta, Index: it.block.index, Text: r.arena.Copy(v)})
		}
	case typeCall, typeCustom:
		if !it.block.begun {
			it.start, it.callID = now.start, now.callID
		} else if it.start.ID != now.start.ID || it.start.Name != now.start.Name {
			r.other(kind + " differs")
		}
		input := strict.Member(v, "arguments")
		if it.typ == typeCustom {
			input = strict.Member(v, "input")
		}
		if err := r.wholeInput(it, input, kind); err != nil {
			return err
		}
	default:
		if !it.block.begun {
			it.block.begun, it.block.index = true, r.begin(&providers.Block{Kind: providers.Opaque, Raw: string(v)})
		}
	}
	if !cut {
		r.shut(&it.block)
	}
	return nil
}

// other reports whether now, in the place of a call, is another call: some
// proxies give every item the same place. Of the two ids of a call one may change
// from event to event.
func (it *item) other(now *item) bool {
	return it.callID != now.callID && it.callID != "" && now.callID != "" && (it.id == "" || it.id != now.id)
}

// list tells what is new in the terminal event's items. Which of them were told
// before, their ids say, for calls the ids of the calls too, and else their place.
func (r *responses) list(v []byte, kind string) error {
	type key struct{ typ, id string }
	byID, byCall := map[key]*item{}, map[string][]*item{}
	for _, it := range r.items {
		if it.id != "" {
			byID[key{it.typ, it.id}] = it
		}
		if it.callID != "" {
			byCall[it.callID] = append(byCall[it.callID], it)
		}
	}
	i := 0
	for e := strict.Elements(v); e.Next(); i++ {
		now, err := r.newItem(e.Value)
		if err != nil {
			return strict.Within(fmt.Sprintf("[%d]", i), err)
		}
		it := byID[key{now.typ, now.id}]
		switch calls := byCall[now.callID]; {
		case it != nil && !it.listed: // by its id, whatever became of the call's
		case len(calls) > 0:
			it, byCall[now.callID] = calls[0], calls[1:]
		case it == nil && now.callID == "" && i < len(r.items) && r.items[i].typ == now.typ:
			it = r.items[i]
		}
		if it == nil || it.listed || it.typ != now.typ {
			it = now
			r.place(-1, it)
		}
		it.listed = true
		if err := r.wholeItem(it, now, e.Value, kind); err != nil {
			return strict.Within(fmt.Sprintf("[%d]", i), err)
		}
	}
	return nil
}

// shutWhole ends what nobody ended, but of which all was said, when the answer
// is complete.
func (r *responses) shutWhole() {
	for _, it := range r.items {
		if it.block.whole {
			r.shut(&it.block)
		}
		for _, k := range it.order {
			if k.whole && it.typ == typeMessage {
				r.shut(k)
			}
		}
	}
}
