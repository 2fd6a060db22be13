package splits_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/harnessbench/bench/internal/splits"
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/anthropic"
)

const stream = "event: message_start\r\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"x\",\"content\":[],\"usage\":{\"input_tokens\":1}}}\r\n\r\n" +
	"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n" +
	"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"北 and 😀\"}}\n\n" +
	": a comment\n\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n" +
	"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"

func open(r io.Reader) splits.Events { return anthropic.NewDecoder(r) }

func TestBlind(t *testing.T) {
	n, err := splits.Blind(open, []byte(stream), splits.Effort{})
	if want := 1 + 1 + 1 + len(stream) - 1 + 8; err != nil || n != want {
		t.Errorf("%d ways, %v; want %d", n, err, want)
	}
	n, err = splits.Blind(open, []byte(strings.Repeat(stream, 20)), splits.Effort{})
	if want := 1 + 1 + 1 + 32 + 64 + 8; err != nil || n != want {
		t.Errorf("%d ways of the long one, %v; want %d", n, err, want)
	}
}

// What is short or wrong is read in pieces as well; an error is the same too.
func TestBlindToo(t *testing.T) {
	for _, body := range []string{"", "d", "data: {", "data: {}\n\n", "data: {\"type\":\"ping\"}\n\ndata: \xff\n\n", stream + "data: nonsense\n\n"} {
		if _, err := splits.Blind(open, []byte(body), splits.Effort{}); err != nil {
			t.Errorf("%q: %v", body, err)
		}
	}
}

// each makes an event of every read that it gets.
type each struct {
	r   io.Reader
	say func([]byte) string

	drops bool // what comes together with an error is lost
}

func (d *each) Next() (providers.Event, error) {
	b := make([]byte, 4096)
	n, err := d.r.Read(b)
	if err != nil && (n == 0 || d.drops) {
		return providers.Event{}, err
	}
	return providers.Event{Kind: providers.TextDelta, Text: d.say(b[:n])}, nil
}

// joined makes one event of all that it reads, piece by piece: it is sensitive
// only to what say does at a boundary.
type joined struct {
	each
	over bool
}

func (d *joined) Next() (providers.Event, error) {
	text := ""
	for {
		ev, err := d.each.Next()
		if err != nil {
			if d.over || err != io.EOF {
				return providers.Event{}, err
			}
			d.over = true
			return providers.Event{Kind: providers.TextDelta, Text: text}, nil
		}
		text += ev.Text
	}
}

// Decoders that look at their pieces are seen, each by the way of splitting
// that it is sensitive to.
func TestSensitiveDecodersAreRed(t *testing.T) {
	plain := func(b []byte) string { return string(b) }
	long := strings.Repeat("abcdefgh", 400) // longer than every two-way split is tried for
	for _, c := range []struct {
		name, body string
		open       func(io.Reader) splits.Events
		want       string
	}{
		{"an event for each read", "abc", func(r io.Reader) splits.Events { return &each{r: r, say: plain} }, "byte by byte: event 1 is "},
		{ // the classic: a character cut at a boundary becomes U+FFFD (musistudio/claude-code-router p1672)
			"a string made of each piece", "a北b", func(r io.Reader) splits.Events {
				return &joined{each: each{r: r, say: func(b []byte) string { return strings.ToValidUTF8(string(b), "�") }}}
			}, "byte by byte: event 1 is ",
		},
		{ // only one place matters, and only when what comes before it came at once
			"the fourth byte after three", "abcdef", func(r io.Reader) splits.Events {
				return &joined{each: each{r: r, say: func(b []byte) string {
					if len(b) == 3 && string(b) == "abc" {
						return "ABC"
					}
					return string(b)
				}}}
			}, "split at byte 3 of 6: event 1 is ",
		},
		{ // a place deep in a long stream, behind a short piece: the combs reach it
			"one place of a long stream", long, func(r io.Reader) splits.Events {
				seen := 0
				return &joined{each: each{r: r, say: func(b []byte) string {
					if seen += len(b); seen == 1777 && len(b) == 64 {
						return "!"
					}
					return string(b)
				}}}
			}, "in pieces of 64 bytes behind the first 49: event 1 is ",
		},
		{ // only pieces of a random size show it
			"pieces of five bytes in the middle", long, func(r io.Reader) splits.Events {
				seen := 0
				return &joined{each: each{r: r, say: func(b []byte) string {
					if seen += len(b); len(b) == 5 && seen > 5 && seen < len(long) {
						return "!"
					}
					return string(b)
				}}}
			}, "in random pieces of at most ",
		},
		{ // io.Reader may return its last bytes and io.EOF at once
			"bytes that come with the end are lost", "abc", func(r io.Reader) splits.Events { return &joined{each: each{r, plain, true}} },
			"whole, with its end in the last read: event 1 is ",
		},
		{ // no comb and no random pieces: only the end differs
			"an error only when split", "abcdef", func(r io.Reader) splits.Events { return &fussy{r: r} }, `byte by byte: it ends with "1-byte read"; whole, with "EOF"`,
		},
	} {
		if _, err := splits.Blind(c.open, []byte(c.body), splits.Effort{}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %.200v, want %q", c.name, err, c.want)
		}
	}
}

// fussy reads everything and complains behind it of reads of one byte.
type fussy struct {
	r    io.Reader
	told bool
}

func (d *fussy) Next() (providers.Event, error) {
	if d.told {
		return providers.Event{}, fmt.Errorf("told already")
	}
	d.told = true
	b := make([]byte, 100)
	for n := 0; ; {
		k, err := d.r.Read(b)
		if err != nil {
			if n == 1 {
				return providers.Event{}, fmt.Errorf("1-byte read")
			}
			return providers.Event{}, err
		}
		n = k
	}
}

// What an event says is compared in every part.
func TestEveryPartIsCompared(t *testing.T) {
	e := providers.Event{Kind: providers.Stop, Text: "x", Usage: &providers.Usage{In: 1}, Block: &providers.Block{Text: "a"}, Err: &providers.Error{Message: "m"}}
	for name, change := range map[string]func(*providers.Event){
		"kind":  func(e *providers.Event) { e.Kind = providers.Ping },
		"index": func(e *providers.Event) { e.Index = 1 },
		"text":  func(e *providers.Event) { e.Text = "y" },
		"id":    func(e *providers.Event) { e.ID = "y" },
		"model": func(e *providers.Event) { e.Model = "y" },
		"block": func(e *providers.Event) { e.Block = &providers.Block{Text: "b"} },
		"usage": func(e *providers.Event) { e.Usage = nil },
		"count": func(e *providers.Event) { e.Usage = &providers.Usage{In: 2} },
		"error": func(e *providers.Event) { e.Err = &providers.Error{Message: "n"} },
	} {
		whole := true
		_, err := splits.Blind(func(r io.Reader) splits.Events {
			ev := e
			if !whole {
				change(&ev)
			}
			whole = false
			return &one{ev: &ev}
		}, []byte("abc"), splits.Effort{})
		if err == nil || !strings.HasPrefix(err.Error(), "byte by byte: event 1 is ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := splits.Blind(func(io.Reader) splits.Events { ev := e; return &one{ev: &ev} }, []byte("abc"), splits.Effort{}); err != nil {
		t.Errorf("the same event: %v", err)
	}
}

type one struct{ ev *providers.Event }

func (o *one) Next() (ev providers.Event, err error) {
	if o.ev == nil {
		return ev, io.EOF
	}
	ev, o.ev = *o.ev, nil
	return ev, nil
}

func BenchmarkBlind(b *testing.B) {
	body := bytes.Repeat([]byte(stream), 3)
	b.SetBytes(int64(len(body)))
	for range b.N {
		if _, err := splits.Blind(open, body, splits.Effort{}); err != nil {
			b.Fatal(err)
		}
	}
}
