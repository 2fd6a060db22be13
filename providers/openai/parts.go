package openai

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// delta tells a delta.
func (r *responses) delta(kind providers.EventKind, k *block, v []byte) error {
	text, err := r.arena.Text("delta", v)
	if err != nil {
		return err
	}
	r.add(providers.Event{Kind: kind, Index: k.index, Text: text})
	k.told = append(k.told, text...)
	r.text, r.fed = v, k
	return nil
}

// rest tells what text, which is all of it, has beyond the deltas. It reports
// false, and tells nothing, if the deltas were something else.
func (r *responses) rest(kind providers.EventKind, k *block, text string) bool {
	n := len(k.told)
	if len(text) < n || text[:n] != string(k.told) || k.closed && len(text) > n {
		return false
	}
	if len(text) > n {
		r.add(providers.Event{Kind: kind, Index: k.index, Text: text[n:]})
		k.told = append(k.told, text[n:]...)
	}
	k.whole = true
	return true
}

func (r *responses) partAdded(e *event) error {
	switch string(strict.Member(e.content, "type")) {
	case `"output_text"`, `"refusal"`:
		r.open(r.found(e, typeMessage).part(e.part), providers.Text)
	}
	return nil
}

func (r *responses) textDelta(e *event, refused bool) error {
	r.refused = r.refused || refused
	k := r.found(e, typeMessage).part(e.part)
	r.open(k, providers.Text)
	return r.delta(providers.TextDelta, k, e.delta)
}

func (r *responses) textDone(e *event, member string, v []byte, kind string) error {
	k := r.found(e, typeMessage).part(e.part)
	return r.wholeText(k, member, v, kind)
}

func (r *responses) wholeText(k *block, member string, v []byte, kind string) error {
	text, err := r.arena.Text(member, v)
	if err != nil {
		return err
	}
	r.refused = r.refused || member == "refusal" && text != ""
	r.open(k, providers.Text)
	if !r.rest(providers.TextDelta, k, text) {
		r.other(kind + " differs")
	}
	return nil
}

func (r *responses) partDone(e *event, kind string) error {
	switch string(strict.Member(e.content, "type")) {
	case `"output_text"`, `"refusal"`:
		return strict.Within("part", r.wholePart(r.found(e, typeMessage), e.part.index, e.content, kind))
	}
	return nil
}

// wholePart tells a part of a message to its end.
func (r *responses) wholePart(it *item, i int, v []byte, kind string) error {
	if !strict.IsKind(v, '{') {
		return strict.Mistyped("", v, "an object")
	}
	member := "text"
	switch string(strict.Member(v, "type")) {
	case `"output_text"`:
	case `"refusal"`:
		member = "refusal"
	default:
		r.other("content part")
		return nil
	}
	k := it.part(partKey{index: i})
	if err := r.wholeText(k, member, strict.Member(v, member), kind); err != nil {
		return err
	}
	r.shut(k)
	return nil
}

func (r *responses) inputDelta(e *event) error {
	it := r.find(e)
	if it == nil || !it.isCall() {
		return nil // of a call that nobody has named: told when it is done
	}
	r.openCall(it)
	return r.delta(providers.InputDelta, &it.block, e.delta)
}

func (r *responses) inputDone(e *event, kind string) error {
	it := r.find(e)
	if it == nil || !it.isCall() {
		return nil
	}
	return r.wholeInput(it, e.input, kind)
}

// wholeInput tells the input of a call to its end. Where it contradicts what was
// streamed, nobody can say which to run.
func (r *responses) wholeInput(it *item, v []byte, kind string) error {
	text, err := r.input(v)
	if err != nil {
		return err
	}
	k := &it.block
	r.openCall(it)
	switch told := string(k.told); {
	case text == "" && told != "": // says nothing
		k.whole = true
	case r.rest(providers.InputDelta, k, text):
	case sameJSON(told, text):
		k.whole = true
		r.other(kind + " differs")
	default:
		return fmt.Errorf("arguments of call %s are %s, but were streamed as %s; they are always equal", it.start.ID, strict.Snippet([]byte(text)), strict.Snippet(k.told))
	}
	return nil
}

// sameJSON reports whether two texts are the same value in other spellings.
func sameJSON(a, b string) bool {
	x, y := jsontext.Value(a), jsontext.Value(b)
	return x.Canonicalize() == nil && y.Canonicalize() == nil && bytes.Equal(x, y)
}

func (r *responses) thoughtDelta(e *event) error {
	k := r.openThought(r.found(e, typeReasoning), e.part)
	return r.delta(providers.ThinkingDelta, k, e.delta)
}

func (r *responses) thoughtDone(e *event, kind string) error {
	it := r.found(e, typeReasoning)
	it.block.whole = true
	return r.wholeThought(it, e.part, e.text, kind)
}

func (r *responses) wholeThought(it *item, key partKey, v []byte, kind string) error {
	text, err := r.arena.TextOr("text", v)
	if err != nil {
		return err
	}
	if !r.rest(providers.ThinkingDelta, r.openThought(it, key), text) {
		r.other(kind + " differs")
	}
	return nil
}
