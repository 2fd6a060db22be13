package gemini

import (
	"bytes"
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

// Where the bytes are cut into reads says nothing: whole, byte by byte, and at
// every place into two, a stream tells the same.
func TestSplitBlind(t *testing.T) {
	d := NewDecoder(nil)
	for _, c := range decodings {
		t.Run(c.name, func(t *testing.T) {
			want := asktest.Drain(NewDecoder(strings.NewReader(c.src)))
			same := func(how string, r io.Reader) {
				d.Reset(r)
				if got := asktest.Drain(d); !slices.Equal(got, want) {
					t.Fatalf("%s:\n got %q\nwant %q", how, got, want)
				}
			}
			same("byte by byte", iotest.OneByteReader(strings.NewReader(c.src)))
			same("with the end in the last read", iotest.DataErrReader(strings.NewReader(c.src)))
			for i := range len(c.src) {
				same(fmt.Sprintf("in two at %d", i), io.MultiReader(strings.NewReader(c.src[:i]), strings.NewReader(c.src[i:])))
			}
		})
	}
}

func TestDecoderTypes(t *testing.T) {
	for _, c := range []struct{ chunk, want string }{
		{`{"candidates":{}}`, "candidates is {}; want an array"},
		{`{"candidates":[7]}`, "candidates[0] is 7; want an object"},
		{`{"candidates":[{"index":"0"}]}`, `candidates[0].index is "0"; want a whole number`},
		{`{"candidates":[{"content":[]}]}`, "candidates[0].content is []; want an object"},
		{`{"candidates":[{"content":{"parts":{}}}]}`, "candidates[0].content.parts is {}; want an array"},
		{parts(`7`), "candidates[0].content.parts[0] is 7; want an object"},
		{parts(`{"text":7}`), "candidates[0].content.parts[0].text is 7; want a string"},
		{parts(`{"thought":7}`), "candidates[0].content.parts[0].thought is 7; want true or false"},
		{parts(`{"thoughtSignature":{}}`), "candidates[0].content.parts[0].thoughtSignature is {}; want a string"},
		{parts(`{"functionCall":7}`), "candidates[0].content.parts[0].functionCall is 7; want an object"},
		{fc(`"name":7`), "candidates[0].content.parts[0].functionCall.name is 7; want a string"},
		{fc(`"name":"a","id":7`), "candidates[0].content.parts[0].functionCall.id is 7; want a string"},
		{fc(`"name":"a","willContinue":1`), "candidates[0].content.parts[0].functionCall.willContinue is 1; want true or false"},
		{fc(`"name":"a","partialArgs":{"a":1}`), `candidates[0].content.parts[0].functionCall.partialArgs is {"a":1}; want an array`},
		{fc(`"name":"a","args":{},"partialArgs":[1]`), "candidates[0].content.parts[0].functionCall has both args and partialArgs; want one of them"},
		{parts(`{"toolCall":{"id":7}}`), "candidates[0].content.parts[0].toolCall.id is 7; want a string"},
		{`{"candidates":[{"finishReason":{}}]}`, "candidates[0].finishReason is {}; want a string"},
		{`{"candidates":[{"finishReason":1.5}]}`, "candidates[0].finishReason is 1.5; want a whole number"},
		{`{"candidates":[{"finishReason":"STOP","finishMessage":1}]}`, "candidates[0].finishMessage is 1; want a string"},
		{`{"promptFeedback":1}`, "promptFeedback is 1; want an object"},
		{`{"promptFeedback":{"blockReason":{}}}`, "promptFeedback.blockReason is {}; want a string"},
		{`{"usageMetadata":1}`, "usageMetadata is 1; want an object"},
		{`{"usageMetadata":{"promptTokenCount":"1"}}`, `usageMetadata.promptTokenCount is "1"; want a whole number`},
		{`{"candidates":[],"responseId":1}`, "responseId is 1; want a string"},
		{`{"candidates":[],"modelVersion":1}`, "modelVersion is 1; want a string"},
	} {
		got := asktest.Drain(NewDecoder(strings.NewReader(frame(c.chunk))))
		last := ""
		if len(got) > 0 {
			last = got[len(got)-1]
		}
		if !strings.HasPrefix(last, "error protocol: the event ending at line 2 of the stream, ") || !strings.HasSuffix(last, ": "+c.want) {
			t.Errorf("%s:\n got %s\nwant %s", c.chunk, last, c.want)
		}
	}
}

func TestDecoderReadErrors(t *testing.T) {
	body := frame(says("a"), ends("STOP")) + "data: {"
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"cut", io.ErrUnexpectedEOF, "error cut: the answer broke off: the connection was closed too early"},
		{"reset", fmt.Errorf("read tcp 1.2.3.4:5: %w", syscall.ECONNRESET), "error cut: the answer broke off: connection reset by peer"},
		{"other", errors.New("odd"), "error cut: the answer broke off: odd"},
	} {
		for _, src := range []string{body, "[" + says("a") + "," + ends("STOP") + ",{"} {
			d := NewDecoder(io.MultiReader(strings.NewReader(src), iotest.ErrReader(c.err)))
			asktest.Equal(t, asktest.Drain(d), []string{begun, "start 0 text", `text 0 "a"`, "stop 0", `reason "end_turn"`, c.want})
			for range 2 {
				_, err := d.Next()
				if e := new(providers.Error); !errors.As(err, &e) || !e.InStream || e.Class != providers.Cut || !errors.Is(err, c.err) {
					t.Errorf("%s: %#v", c.name, err)
				}
			}
		}
	}
}

// Events of 100 KB exist; megabytes do too. An array's elements have the limit that
// the lines of events have.
func TestLongEvents(t *testing.T) {
	for _, n := range []int{64 << 10, 100867, 3 << 20} {
		text := strings.Repeat("x\\n", n/3)
		for _, src := range []string{frame(says(text)), "[" + says(text) + "]"} {
			d := NewDecoder(strings.NewReader(src))
			for range 2 {
				if _, err := d.Next(); err != nil {
					t.Fatal(err)
				}
			}
			if ev, err := d.Next(); err != nil || ev.Text != strings.Repeat("x\n", n/3) {
				t.Fatalf("%d bytes: %d, %v", n, len(ev.Text), err)
			}
		}
	}
	d := NewDecoder(io.MultiReader(strings.NewReader(`[{},{"a":"`), asktest.Endless{}))
	d.list.max = 100_000
	asktest.Equal(t, asktest.Drain(d), []string{`other "chunk without candidates"`, "error protocol: element 2 of the array is longer than 100000 bytes"})
}

type closer struct {
	io.Reader
	closed int
}

func (c *closer) Close() error { c.closed++; return nil }

func TestDecoderClose(t *testing.T) {
	c := &closer{Reader: strings.NewReader("")}
	if err := NewDecoder(c).Close(); err != nil || c.closed != 1 {
		t.Error(err, c.closed)
	}
	if err := NewDecoder(strings.NewReader("")).Close(); err != nil {
		t.Error(err)
	}
}

// A decoder that is used again decodes as a new one, and what it returned before
// stays as it was.
func TestDecoderReset(t *testing.T) {
	d := NewDecoder(strings.NewReader(""))
	var kept []providers.Event
	var shown []string
	for _, c := range slices.Concat(decodings, decodings) {
		d.Reset(strings.NewReader(c.src))
		for i := 0; ; i++ {
			ev, err := d.Next()
			if err != nil {
				break
			}
			kept, shown = append(kept, ev), append(shown, asktest.Show(ev))
			if i == 3 {
				break // left in the middle
			}
		}
		d.Reset(strings.NewReader(c.src))
		asktest.Equal(t, asktest.Drain(d), c.want)
	}
	for i := range kept {
		if got := asktest.Show(kept[i]); got != shown[i] {
			t.Fatalf("%s became %s", shown[i], got)
		}
	}
}

// orderly reports what is wrong with the order of events, whatever the bytes
// were: blocks are numbered as they begin, each ends once at most, and a delta is
// of a block that is open.
func orderly(evs []providers.Event) string {
	next, open := 0, -1
	for i, ev := range evs {
		wrong := ""
		switch ev.Kind {
		case providers.MessageStart:
			if i > 0 && evs[0].Kind == providers.MessageStart {
				wrong = "a second one"
			}
		case providers.BlockStart:
			if ev.Index != next || ev.Block == nil {
				wrong = fmt.Sprintf("want block %d", next)
			}
			open = next
			next++
		case providers.BlockStop:
			if ev.Index != open {
				wrong = "no such block is open"
			}
			open = -1
		case providers.TextDelta, providers.ThinkingDelta, providers.InputDelta, providers.SignatureDelta:
			if ev.Index != open || ev.Text == "" {
				wrong = "no such block is open, or no text"
			}
		case providers.Failure:
			if ev.Err == nil || ev.Err.Class == "" || !ev.Err.InStream || ev.Err.Message == "" {
				wrong = "no error"
			}
		case providers.MessageStop:
			if i != len(evs)-1 {
				wrong = "something follows"
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

// FuzzDecoder: no bytes panic, events are in order, and cut anywhere, a stream
// says the same.
func FuzzDecoder(f *testing.F) {
	for i, c := range decodings {
		f.Add([]byte(c.src), i*7)
	}
	f.Fuzz(func(t *testing.T, src []byte, cut int) {
		var evs []providers.Event
		d := NewDecoder(bytes.NewReader(src))
		for {
			ev, err := d.Next()
			if err != nil {
				break
			}
			evs = append(evs, ev)
		}
		if wrong := orderly(evs); wrong != "" {
			t.Fatal(wrong)
		}
		want := asktest.Drain(NewDecoder(bytes.NewReader(src)))
		n := max(cut, -cut, 0) % (len(src) + 1)
		got := asktest.Drain(NewDecoder(io.MultiReader(bytes.NewReader(src[:n]), bytes.NewReader(src[n:]))))
		if !slices.Equal(got, want) {
			t.Fatalf("cut at %d: %q; want %q", n, got, want)
		}
		if slow, _ := drainStrict(string(src)); !slices.Equal(slow, want) {
			t.Fatalf("the strict way: %q; want %q", slow, want)
		}
		DecodeMessage(src)
	})
}
