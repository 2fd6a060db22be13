package openai

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask/asktest"
)

// told is what a stream told.
type told struct {
	events []providers.Event
	end    string
}

func listen(st *Decoder) (out told) {
	for {
		ev, err := st.Next()
		if err != nil {
			out.end = err.Error()
			return out
		}
		out.events = append(out.events, ev)
	}
}

func (a told) equal(b told) bool { return a.end == b.end && slices.EqualFunc(a.events, b.events, same) }

func same(a, b providers.Event) bool {
	is := a.Kind == b.Kind && a.Index == b.Index && a.Text == b.Text && a.ID == b.ID && a.Model == b.Model &&
		(a.Block == nil) == (b.Block == nil) && (a.Usage == nil) == (b.Usage == nil) && (a.Err == nil) == (b.Err == nil)
	return is && (a.Block == nil || a.Block.Equal(b.Block)) && (a.Usage == nil || *a.Usage == *b.Usage) && (a.Err == nil || *a.Err == *b.Err)
}

// orderly reports what is wrong with the order of events, whatever the bytes
// were: blocks are numbered as they begin, each ends once at most, and a delta is
// of a block that has begun.
func orderly(evs []providers.Event) string {
	next, ended := 0, map[int]bool{}
	for i, ev := range evs {
		wrong := ""
		switch ev.Kind {
		case providers.MessageStart:
			next, ended = 0, map[int]bool{} // another answer
		case providers.BlockStart:
			if ev.Index != next || ev.Block == nil {
				wrong = fmt.Sprintf("want block %d", next)
			}
			next++
		case providers.BlockStop:
			if ev.Index >= next || ended[ev.Index] {
				wrong = "no such block is open"
			}
			ended[ev.Index] = true
		case providers.TextDelta, providers.ThinkingDelta, providers.InputDelta, providers.SignatureDelta:
			if ev.Index >= next {
				wrong = "no such block has begun"
			}
		case providers.Failure:
			if ev.Err == nil || ev.Err.Class == "" || !ev.Err.InStream || ev.Err.Message == "" {
				wrong = "no error"
			}
		case 0:
			wrong = "no kind"
		}
		if wrong != "" {
			return fmt.Sprintf("event %d, %s: %s", i, asktest.Show(ev), wrong)
		}
	}
	return ""
}

func TestDecoderErrors(t *testing.T) {
	body := chunks(says("a")) + "data: {"
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"reset", fmt.Errorf("read tcp 127.0.0.1:1->127.0.0.1:2: %w", syscall.ECONNRESET), "cut: the answer broke off: connection reset by peer"},
		{"closed inside the body", io.ErrUnexpectedEOF, "cut: the answer broke off: the connection was closed too early"},
		{"anything else", errors.New("http2: stream closed"), "cut: the answer broke off: http2: stream closed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Chat.NewDecoder(io.MultiReader(strings.NewReader(body), iotest.ErrReader(c.err)))
			for range 3 {
				if ev, err := d.Next(); err != nil {
					t.Fatal(ev, err)
				}
			}
			for range 2 {
				_, err := d.Next()
				e := new(providers.Error)
				if !errors.As(err, &e) || e.Error() != c.want || e.Class != providers.Cut || !e.InStream || !errors.Is(err, c.err) {
					t.Fatalf("%#v; want %s", err, c.want)
				}
			}
		})
	}
	t.Run("protocol errors repeat", func(t *testing.T) {
		d := Responses.NewDecoder(strings.NewReader("data: x\n\n" + events(created)))
		_, first := d.Next()
		_, again := d.Next()
		if first == nil || first != again {
			t.Fatalf("%v, then %v", first, again)
		}
	})
	t.Run("a line beyond all measure", func(t *testing.T) {
		d := Chat.NewDecoder(io.MultiReader(strings.NewReader("data: "), asktest.Endless{}))
		_, err := d.Next()
		e := new(providers.Error)
		if !errors.As(err, &e) || e.Class != providers.Protocol || !strings.Contains(e.Message, "the line is longer than 33554432 bytes") {
			t.Fatal(err)
		}
	})
}

// 100 KB in one event exist (the longest of the corpus); megabytes do too.
func TestLongEvents(t *testing.T) {
	for _, n := range []int{64 << 10, 100867, 3 << 20} {
		text := strings.Repeat("x\n", n/2)
		d := Chat.NewDecoder(strings.NewReader(chunks(says("a"), says(text), says(text+"y")) + done))
		for i, want := range []string{"", "", "a", text, text + "y"} {
			if ev, err := d.Next(); err != nil || ev.Text != want {
				t.Fatalf("%d bytes, event %d: %d, %v", n, i, len(ev.Text), err)
			}
		}
	}
}

type closer struct {
	io.Reader
	closed int
}

func (c *closer) Close() error { c.closed++; return nil }

func TestDecoderClose(t *testing.T) {
	c := &closer{Reader: strings.NewReader("")}
	if err := Chat.NewDecoder(c).Close(); err != nil || c.closed != 1 {
		t.Error(err, c.closed)
	}
	if err := Responses.NewDecoder(strings.NewReader("")).Close(); err != nil {
		t.Error(err)
	}
}
