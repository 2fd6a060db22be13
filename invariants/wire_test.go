package invariants

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/protocol"
)

// Every splitting of a reply is compared, and a codec that minds is noticed.
func TestSplits(t *testing.T) {
	reply := []byte("event: message_start\r\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\r\n\r\n" +
		"event: content_block_start\rdata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\r\r" +
		"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"北😀\\u00e9\"}}\n\n: comment\n\n")
	if how, what := splits(reply, protocol.Of("").Decoder); how != "" {
		t.Errorf("the codec decodes otherwise %s: %s", how, what)
	}
	d := decode(protocol.Of("").Decoder(bytes.NewReader(reply)))
	if len(d.events) != 3 {
		t.Fatalf("%d events, want 3: %+v", len(d.events), d)
	}
	for _, o := range [][]byte{
		reply[:len(reply)/2],
		slices.Concat(reply, reply),
		bytes.Replace(reply, []byte("text_delta"), []byte("text_deltb"), 1),
		slices.Concat(reply, []byte("event: ping\ndata: {\n\n")),
	} {
		if d.difference(protocol.Of("").Decoder(bytes.NewReader(o))) == "" {
			t.Errorf("no difference from %q", o)
		}
	}
}

// minding is a codec that minds how the bytes come: each piece is an event.
type minding struct{ r io.Reader }

func (m minding) Next() (providers.Event, error) {
	var b [64]byte
	n, err := m.r.Read(b[:])
	if err != nil {
		return providers.Event{}, err
	}
	return providers.Event{Kind: providers.TextDelta, Text: string(b[:n])}, nil
}

// late is a codec that minds only pieces longer than one byte.
type late struct{ r *pieces }

func (l late) Next() (providers.Event, error) {
	var b [1000]byte
	n, err := l.r.Read(b[:])
	if err == nil && n > 1 && n < 30 {
		return providers.Event{Kind: providers.Ping}, nil
	}
	return providers.Event{}, io.EOF
}

func TestSplitsFindsACodecThatMinds(t *testing.T) {
	reply := []byte(strings.Repeat("data: x\n\n", 10))
	if how, what := splits(reply, func(r io.Reader) protocol.Stream { return minding{r} }); how != "byte by byte" || what == "" {
		t.Errorf("byte by byte is not noticed: %q, %q", how, what)
	}
	if how, _ := splits(reply, func(r io.Reader) protocol.Stream {
		p, ok := r.(*pieces)
		if !ok {
			p = &pieces{}
		}
		return late{p}
	}); how != "in random pieces" {
		t.Errorf("random pieces are not noticed: %q", how)
	}
}

// What only a wire knows is no difference: the time, a signature, the spelling
// of an input, the words of an error.
func TestProtocolsMayDiffer(t *testing.T) {
	mk := func(sec int, sig, input, detail string) *evidence.Evidence {
		return &evidence.Evidence{Records: []journal.Record{
			{Seq: 1, Time: int64(sec), Kind: journal.KindAssistant, Blocks: []providers.Block{
				{Kind: providers.Thinking, Text: "hm", Signature: sig}, {Kind: providers.ToolCall, ID: "t1", Name: "look", Input: input},
			}},
			{Seq: 2, Kind: journal.KindDiscarded, Detail: detail},
		}}
	}
	a := mk(1, "abc", `{"a": 1}`, "overloaded 529")
	if out := blindTo(a, mk(2, "", `{"a":1}`, "503: overloaded")); out != nil {
		t.Error(out)
	}
	if blindTo(a, mk(1, "abc", `{"a":2}`, "overloaded 529")) == nil {
		t.Error("another input is no difference")
	}
}
