package kept

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/harnessbench/bench/providers"
)

// spell writes all that a message is.
func spell(dst []byte, m *providers.Message) []byte {
	dst = append(append(dst, m.Role...), ':')
	for _, b := range m.Blocks {
		dst = fmt.Appendf(dst, "%s %s %v;", b.Kind, b.Text, b.Images)
	}
	return dst
}

// clone copies what a caller may change in its place.
func clone(msgs []providers.Message) []providers.Message {
	msgs = slices.Clone(msgs)
	for i := range msgs {
		msgs[i].Blocks = slices.Clone(msgs[i].Blocks)
		for j := range msgs[i].Blocks {
			b := &msgs[i].Blocks[j]
			b.Images = slices.Clone(b.Images)
		}
	}
	return msgs
}

// Whatever lists of messages follow each other, what is kept is what would be
// encoded afresh, and only what is new is encoded: all from the first message
// that differs from the list before.
func TestMessages(t *testing.T) {
	images := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) providers.ImageData {
		return providers.ImageData{Type: "image/png", Data: rapid.StringMatching("[A-C]{4}").Draw(t, "data")}
	}), 1, 2)
	block := rapid.Custom(func(t *rapid.T) providers.Block {
		b := providers.Block{Kind: providers.Text, Text: rapid.StringMatching("[a-c]{0,3}").Draw(t, "text")}
		if rapid.Bool().Draw(t, "result") {
			b.Kind, b.Images = providers.ToolResult, images.Draw(t, "images")
		}
		return b
	})
	message := rapid.Custom(func(t *rapid.T) providers.Message {
		role := rapid.SampledFrom([]providers.Role{providers.User, providers.Assistant}).Draw(t, "role")
		return providers.Message{Role: role, Blocks: rapid.SliceOfN(block, 0, 2).Draw(t, "blocks")}
	})
	rapid.Check(t, func(t *rapid.T) {
		var k Messages
		var msgs, before []providers.Message
		for range rapid.IntRange(1, 8).Draw(t, "lists") {
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				msgs = msgs[:rapid.IntRange(0, len(msgs)).Draw(t, "keep")]
			case 1:
				msgs = clone(msgs) // built afresh: nothing of it is new
			case 2:
				if len(msgs) > 0 { // in place, which no comparison by address would notice
					m := &msgs[rapid.IntRange(0, len(msgs)-1).Draw(t, "changed")]
					if len(m.Blocks) == 0 {
						m.Role = providers.User
					} else if b := &m.Blocks[0]; len(b.Images) > 0 {
						b.Images[0].Data += "x"
					} else {
						b.Text += "x"
					}
				}
			default:
				msgs = append(msgs, rapid.SliceOfN(message, 1, 3).Draw(t, "new")...)
			}
			same := 0
			for same < min(len(msgs), len(before)) && string(spell(nil, &msgs[same])) == string(spell(nil, &before[same])) {
				same++
			}
			calls := 0
			got := k.Encode(msgs, func(dst []byte, _ int, m *providers.Message) []byte { calls++; return spell(dst, m) })
			var want []string
			for i := range msgs {
				want = append(want, string(spell(nil, &msgs[i])))
			}
			if string(got) != strings.Join(want, ",") {
				t.Fatalf("\n got %s\nwant %s", got, strings.Join(want, ","))
			}
			if calls != len(msgs)-same {
				t.Fatalf("%d messages were encoded; want %d: %d of %d are those of before", calls, len(msgs)-same, same, len(msgs))
			}
			before = clone(msgs)
		}
	})
}

// A list that is known costs nothing but the comparison.
func TestKnownMessagesCostNothing(t *testing.T) {
	var k Messages
	var msgs []providers.Message
	for i := range 100 {
		msgs = append(msgs, providers.Message{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: fmt.Sprint(i)}}})
	}
	k.Encode(msgs[:99], func(dst []byte, _ int, m *providers.Message) []byte { return spell(dst, m) })
	if n := k.Known(msgs); n != 99 {
		t.Errorf("%d messages are known; want 99", n)
	}
	k.Encode(msgs, func(dst []byte, _ int, m *providers.Message) []byte { return spell(dst, m) })
	if n := testing.AllocsPerRun(20, func() { k.Encode(msgs, func(dst []byte, _ int, m *providers.Message) []byte { return spell(dst, m) }) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	k.Keep(98)
	if n := k.Known(msgs); n != 98 {
		t.Errorf("%d messages are known; want 98", n)
	}
	if k.Keep(1000); len(k.ends) != 98 {
		t.Errorf("keeping more than there is left %d", len(k.ends))
	}
}
