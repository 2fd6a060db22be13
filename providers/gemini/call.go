package gemini

import (
	"fmt"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// call decodes a call: whole, as nearly always, or a piece of one (Vertex, where
// streamFunctionCallArguments was asked for). A piece without a name is more of
// the call that said last that it goes on; it has come to its end with the first
// piece that does not say so.
func (c *codec) call(p *part, signature string) error {
	if !strict.IsKind(p.data, '{') {
		return strict.Mistyped(partCall, p.data, "an object")
	}
	var name, id, in, pieces, goesOn []byte
	for m := strict.Members(p.data); m.Next(); {
		switch string(camel(m.Name)) {
		case "name":
			name = m.Value
		case "id":
			id = m.Value
		case "args":
			in = m.Value
		case "partialArgs":
			pieces = m.Value
		case "willContinue":
			goesOn = m.Value
		default:
			p.incomplete = true
		}
	}
	more, err := strict.Flag("willContinue", goesOn)
	if err != nil {
		return strict.Within(partCall, err)
	}
	if strict.Hollow(name) && c.open == call {
		if !strict.Absent(in) {
			return fmt.Errorf("%s.args stands behind a call in pieces; want partialArgs", partCall)
		}
	} else if strict.Hollow(name) && strict.Hollow(id) && strict.Hollow(in) && strict.Hollow(pieces) {
		c.other(partCall + " without a name")
		return nil
	} else if err := c.newCall(p, name, id); err != nil {
		return strict.Within(partCall, err)
	}
	c.delta(providers.SignatureDelta, signature)
	switch {
	case !strict.Absent(in) && !strict.Hollow(pieces):
		return fmt.Errorf("%s has both args and partialArgs; want one of them", partCall)
	case !strict.Absent(in):
		c.delta(providers.InputDelta, c.arena.Copy(in))
		c.args.whole = true
	default:
		if err := c.pieces(pieces); err != nil {
			return strict.Within(partCall, err)
		}
	}
	if !more {
		c.delta(providers.InputDelta, c.arena.Copy(c.args.end()))
		c.end()
	}
	return nil
}

func (c *codec) newCall(p *part, name, id []byte) (err error) {
	b := &providers.Block{Kind: providers.ToolCall}
	if b.Name, err = c.arena.TextOr("name", name); err != nil {
		return err
	}
	if b.ID, err = c.arena.TextOr("id", id); err != nil {
		return err
	}
	if p.incomplete {
		b.Raw = string(p.raw)
	}
	c.begin(call, b)
	c.args = args{stack: c.args.stack[:0], out: c.args.out[:0]}
	return nil
}

// pieces tells the pieces of an input that one part has, as the JSON that they
// are.
func (c *codec) pieces(v []byte) error {
	if strict.Absent(v) {
		return nil
	}
	if !strict.IsKind(v, '[') {
		return strict.Mistyped("partialArgs", v, "an array")
	}
	i := 0
	c.args.out = c.args.out[:0]
	for e := strict.Elements(v); e.Next(); i++ {
		if err := c.args.add(&c.arena, e.Value); err != nil {
			return strict.Within(fmt.Sprintf("partialArgs[%d]", i), err)
		}
	}
	c.delta(providers.InputDelta, c.arena.Copy(c.args.out))
	return nil
}
