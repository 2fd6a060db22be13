package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// events renders each event as NAME=DATA, an unterminated one with a final "$".
func events(r io.Reader, max int) (got []string, err error) {
	rd := NewReader(r, max)
	for {
		ev, err := rd.Next()
		if err == io.EOF {
			return got, nil
		}
		if err != nil {
			return got, err
		}
		s := string(ev.Name) + "=" + string(ev.Data)
		if ev.Unterminated {
			s += "$"
		}
		got = append(got, s)
	}
}

var streams = []struct {
	name, src string
	want      []string
}{
	{"nothing", "", nil},
	{"one", "event: a\ndata: 1\n\n", []string{"a=1"}},
	{"two", "event: a\ndata: 1\n\nevent: b\ndata: 2\n\n", []string{"a=1", "b=2"}},
	{"crlf", "event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", []string{"a=1", "=2"}},
	{"bare cr (a2aproject/a2a-js#714)", "data: {}\r\rdata: 2\r\r", []string{"={}", "=2"}},
	{"crlf, then lf (Effect-TS/effect#7670)", "data: a\r\ndata: b\n\n", []string{"=a\nb"}},
	{"every line another end", "event: a\rdata: 1\ndata: 2\r\n\r\rdata: 3\n\r\n", []string{"a=1\n2", "=3"}},
	{"no event line", "data: 1\n\n", []string{"=1"}},
	{"event after data", "data: 1\nevent: a\n\n", []string{"a=1"}},
	{"the last name counts", "event: a\nevent: b\ndata: 1\n\n", []string{"b=1"}},
	{"an empty name", "event: a\nevent\ndata: 1\n\n", []string{"=1"}},
	{"a name does not outlive its event", "event: a\n\ndata: 1\n\n", []string{"=1"}},
	{"a name outlives a comment", "event: a\n: hm\ndata: 1\n\n", []string{"a=1"}},
	{"no space after the colon", "event:a\ndata:1\n\n", []string{"a=1"}},
	{"only one space is removed", "event:  a\ndata:  1 \n\n", []string{" a= 1 "}},
	{"colons in the value", "data: a:b: c\n\ndata::\n\n", []string{"=a:b: c", "=:"}},
	{"several lines of data", "data: a\ndata:\ndata: b\ndata\n\n", []string{"=a\n\nb\n"}},
	{"empty data is an event", "data\n\ndata:\n\n", []string{"=", "="}},
	{"no data is none", "event: a\nid: 1\n\n\n\nretry: 5\n\n", nil},
	{"comments", ": OPENROUTER PROCESSING\n\n:\n:data: no\ndata: 1\n:x\n\n: end\n", []string{"=1"}},
	{"id, retry and unknown fields", "id: 7\nretry: 10\nretry: x\nfoo: bar\nDATA: 2\ndata: 1\nid: \x00\n\n", []string{"=1"}},
	{"fields that begin like others", "event: a\ndata1: x\ndatax\nevents: b\ndata: 1\n\n", []string{"a=1"}},
	{"a space before the field (a real stream of the corpus)", " data: 1\n\ndata: 2\n\n", []string{"=2"}},
	{"a byte-order mark", "\ufeffdata: 1\n\n", []string{"=1"}},
	{"a byte-order mark before a comment", "\ufeff: x\n\ndata: 1\n\n", []string{"=1"}},
	{"only the first mark is one", "\ufeffdata: 1\n\n\ufeffdata: 2\n\n", []string{"=1"}},
	{"two marks", "\ufeff\ufeffdata: 1\n\n", nil},
	{"NUL and broken UTF-8 pass", "event: \x00\ndata: \xff\x00\xed\xa0\x80\n\n", []string{"\x00=\xff\x00\xed\xa0\x80"}},
	{"U+2028 and form feed end no line", "data: a\u2028b\fc\vd\u0085e\n\n", []string{"=a\u2028b\fc\vd\u0085e"}},
	{"no blank line at the end", "event: a\ndata: 1\n", []string{"a=1$"}},
	{"no line end at the end", "data: 0\n\nevent: a\ndata: 1", []string{"=0", "a=1$"}},
	{"an end inside the field name", "data: 1\n\ndat", []string{"=1"}},
	{"an end inside the event line", "data: 1\n\nevent: mess", []string{"=1"}},
	{"an end between the halves of a CRLF", "data: 1\r\n\r", []string{"=1"}},
	{"multibyte text", "data: 北 é 😀\n\n", []string{"=北 é 😀"}},
}

func TestReader(t *testing.T) {
	for _, c := range streams {
		t.Run(c.name, func(t *testing.T) {
			for n := range len(c.src) + 1 {
				if got, err := events(at(c.src, n), 0); err != nil || !slices.Equal(got, c.want) {
					t.Fatalf("cut at %d: %q, %v; want %q", n, got, err, c.want)
				}
			}
			if got, err := events(iotest.OneByteReader(strings.NewReader(c.src)), 0); err != nil || !slices.Equal(got, c.want) {
				t.Fatalf("byte by byte: %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

// 100 KB lines exist (bufio.Scanner gives up at 64 KiB), and far longer ones.
func TestReaderLongLines(t *testing.T) {
	for _, n := range []int{64<<10 - 1, 64 << 10, 100867, 5 << 20} {
		want := strings.Repeat("x", n)
		got, err := events(strings.NewReader("data: "+want+"\n\ndata: 1\n\n"), 0)
		if err != nil || len(got) != 2 || got[0] != "="+want || got[1] != "=1" {
			t.Errorf("%d bytes: %d events, %v", n, len(got), err)
		}
	}
}

func TestReaderMax(t *testing.T) {
	got, err := events(strings.NewReader("data: 1\n\ndata: 23456\ndata: 234\n\n"), 11)
	want := "sse: line 3: the line is longer than 11 bytes"
	if err != nil || len(got) != 2 {
		t.Errorf("%q, %v; want both events", got, err)
	}
	got, err = events(strings.NewReader("data: 1\n\ndata: 234567\n\n"), 11)
	if len(got) != 1 || err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%q, %v; want one event and %q", got, err, want)
	}
	want = "sse: line 5: the event is longer than 10 bytes"
	got, err = events(strings.NewReader("data: 1\n\n"+strings.Repeat("data: 123\n", 3)+"\n"), 10)
	if len(got) != 1 || err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%q, %v; want one event and %q", got, err, want)
	}
}

func TestReaderErrors(t *testing.T) {
	boom := errors.New("boom")
	r := NewReader(io.MultiReader(strings.NewReader("data: 1\n\ndata: 2\n"), iotest.ErrReader(boom)), 0)
	if ev, err := r.Next(); err != nil || string(ev.Data) != "1" {
		t.Fatalf("%q, %v", ev.Data, err)
	}
	for range 2 {
		if ev, err := r.Next(); err != boom || ev.Data != nil {
			t.Fatalf("%q, %v; want only boom: an event that a reset interrupts is none", ev.Data, err)
		}
	}
	r = NewReader(strings.NewReader("data: 1"), 0)
	r.Next()
	for range 2 {
		if _, err := r.Next(); err != io.EOF {
			t.Fatalf("%v; want io.EOF", err)
		}
	}
}

func TestReaderDoesNotAllocate(t *testing.T) {
	src := []byte(strings.Repeat("event: content_block_delta\ndata: {\"some\":\"text of ordinary length\"}\n\n", 1000))
	rd := bytes.NewReader(src)
	r := NewReader(rd, 0)
	n := testing.AllocsPerRun(10, func() {
		rd.Reset(src)
		r.err, r.lines.err, r.lines.later = nil, nil, nil
		for {
			if _, err := r.Next(); err != nil {
				break
			}
		}
	})
	if n != 0 {
		t.Errorf("%v allocations for 1000 events; want none", n)
	}
}

// model is the WHATWG algorithm, word for word and slow: split the whole text
// into lines, process each, keep the pending event at the end.
func model(src string) (got []string) {
	src = strings.TrimPrefix(src, "\ufeff")
	src = strings.ReplaceAll(strings.ReplaceAll(src, "\r\n", "\n"), "\r", "\n")
	all := strings.Split(src, "\n")
	var name, data string
	has := false
	field := func(line string) {
		if strings.HasPrefix(line, ":") {
			return
		}
		f, v, _ := strings.Cut(line, ":")
		v = strings.TrimPrefix(v, " ")
		switch f {
		case "event":
			name = v
		case "data":
			data, has = data+v+"\n", true
		}
	}
	for i, line := range all {
		if last := i == len(all)-1; last {
			if field(line); has {
				got = append(got, name+"="+strings.TrimSuffix(data, "\n")+"$")
			}
			return got
		}
		if line != "" {
			field(line)
			continue
		}
		if data != "" {
			got = append(got, name+"="+strings.TrimSuffix(data, "\n"))
		}
		name, data, has = "", "", false
	}
	return got
}

// FuzzReader holds the reader against the model, for any bytes and any cut.
func FuzzReader(f *testing.F) {
	for i, s := range streams {
		f.Add([]byte(s.src), i)
	}
	f.Fuzz(func(t *testing.T, src []byte, cut int) {
		want := model(string(src))
		if got, err := events(bytes.NewReader(src), 0); err != nil || !slices.Equal(got, want) {
			t.Fatalf("whole: %q, %v; want %q", got, err, want)
		}
		if n := len(src) + 1; cut < 0 {
			cut = -(cut % n)
		} else {
			cut %= n
		}
		if got, err := events(at(string(src), cut), 0); err != nil || !slices.Equal(got, want) {
			t.Fatalf("cut at %d: %q, %v; want %q", cut, got, err, want)
		}
		if got, err := events(iotest.OneByteReader(bytes.NewReader(src)), 0); err != nil || !slices.Equal(got, want) {
			t.Fatalf("byte by byte: %q, %v; want %q", got, err, want)
		}
	})
}

func ExampleReader() {
	body := ": keep-alive\n\nevent: greeting\ndata: hello\ndata: world\n\ndata:cut"
	r := NewReader(strings.NewReader(body), 0)
	for {
		ev, err := r.Next()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%q %q unterminated=%v\n", ev.Name, ev.Data, ev.Unterminated)
	}
	// Output:
	// "greeting" "hello\nworld" unterminated=false
	// "" "cut" unterminated=true
	// EOF
}

func ExampleLines() {
	l := NewLines(strings.NewReader("one\r\ntwo\rthree"), 0)
	for {
		line, err := l.Next()
		fmt.Printf("%q %v\n", line, err)
		if err != nil {
			return
		}
	}
	// Output:
	// "one" <nil>
	// "two" <nil>
	// "three" EOF
}
