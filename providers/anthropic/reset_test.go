package anthropic

import (
	"reflect"
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers"
)

// A decoder that is used again decodes as a new one, and what it returned
// before stays as it was.
func TestDecoderReset(t *testing.T) {
	all := func(d *Decoder) (evs []providers.Event, end string) {
		for {
			ev, err := d.Next()
			if err != nil {
				return evs, err.Error()
			}
			evs = append(evs, ev)
		}
	}
	const (
		first = "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m1\",\"model\":\"a\",\"content\":[{\"type\":\"text\",\"text\":\"early\"}],\"usage\":{\"input_tokens\":9,\"output_tokens\":3}}}\n\n" +
			"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"one\"}}\n\n"
		second = "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1}}\n\n" +
			"data: {\"type\":\"message_start\",\"message\":{\"id\":\"m2\",\"model\":\"b\",\"usage\":{\"output_tokens\":1}}}\n\n" +
			"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"two\"}}\n\n" +
			"data: {\"type\":\"message_stop\"}\n\n"
	)
	want, wantEnd := all(NewDecoder(strings.NewReader(second)))
	for _, before := range []string{"", first, first + "data: {]\n\n", first + "data: {\"type\":"} {
		d := NewDecoder(strings.NewReader(before))
		old, _ := all(d)
		kept, _ := all(NewDecoder(strings.NewReader(before)))
		d.Reset(strings.NewReader(second))
		if got, end := all(d); !reflect.DeepEqual(got, want) || end != wantEnd {
			t.Errorf("behind %q: %+v, %s; want %+v, %s", before, got, end, want, wantEnd)
		}
		if !reflect.DeepEqual(old, kept) {
			t.Errorf("behind %q: what was returned has changed to %+v; want %+v", before, old, kept)
		}
	}
	d := NewDecoder(strings.NewReader(first)) // left in the middle of a message_start
	if _, err := d.Next(); err != nil {
		t.Fatal(err)
	}
	d.Reset(strings.NewReader(second))
	if got, end := all(d); !reflect.DeepEqual(got, want) || end != wantEnd {
		t.Errorf("in the middle: %+v, %s; want %+v, %s", got, end, want, wantEnd)
	}
}
