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

// pieces is a reader that returns exactly the given pieces, then err.
type pieces struct {
	p   [][]byte
	err error
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.p) == 0 {
		return 0, p.err
	}
	n := copy(b, p.p[0])
	if p.p[0] = p.p[0][n:]; len(p.p[0]) == 0 {
		p.p = p.p[1:]
	}
	return n, nil
}

// at returns src cut in two at byte n.
func at(src string, n int) io.Reader {
	p := &pieces{err: io.EOF}
	for _, s := range []string{src[:n], src[n:]} {
		if s != "" {
			p.p = append(p.p, []byte(s))
		}
	}
	return p
}

// lines reads all lines; an unterminated one is marked with a trailing "$".
func lines(r io.Reader, max int) (got []string, err error) {
	l := NewLines(r, max)
	for {
		line, err := l.Next()
		if err == io.EOF {
			if len(line) > 0 {
				got = append(got, string(line)+"$")
			}
			return got, nil
		}
		if err != nil {
			return got, err
		}
		got = append(got, string(line))
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 3*firstBuffer+5)
	for _, c := range []struct {
		name, src string
		want      []string
	}{
		{"nothing", "", nil},
		{"lf", "a\nb\n\nc\n", []string{"a", "b", "", "c"}},
		{"crlf", "a\r\nb\r\n\r\nc\r\n", []string{"a", "b", "", "c"}},
		{"cr", "a\rb\r\rc\r", []string{"a", "b", "", "c"}},
		{"mixed", "a\r\nb\nc\rd\n\re\r\n\n", []string{"a", "b", "c", "d", "", "e", ""}},
		{"crlf then lf (Effect-TS/effect#7670)", "data: a\r\ndata: b\n\n", []string{"data: a", "data: b", ""}},
		{"cr cr lf is two ends", "a\r\r\nb\n", []string{"a", "", "b"}},
		{"lf cr is two ends", "a\n\rb\n", []string{"a", "", "b"}},
		{"open end", "a\nb", []string{"a", "b$"}},
		{"open end after cr", "a\r", []string{"a"}},
		{"long", long + "\r\n" + long + "\n" + long, []string{long, long, long + "$"}},
		{"exactly the buffer", long[:firstBuffer] + "\n" + long[:firstBuffer-1] + "\r\nz\n", []string{long[:firstBuffer], long[:firstBuffer-1], "z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := range len(c.src) + 1 {
				if len(c.src) > 4096 && n%997 != 0 && n < len(c.src)-3 {
					continue
				}
				if got, err := lines(at(c.src, n), 0); err != nil || !slices.Equal(got, c.want) {
					t.Fatalf("cut at %d: %q, %v; want %q", n, got, err, c.want)
				}
			}
			for name, r := range map[string]io.Reader{
				"byte by byte":  iotest.OneByteReader(strings.NewReader(c.src)),
				"EOF with data": iotest.DataErrReader(strings.NewReader(c.src)),
			} {
				if got, err := lines(r, 0); err != nil || !slices.Equal(got, c.want) {
					t.Fatalf("%s: %q, %v; want %q", name, got, err, c.want)
				}
			}
		})
	}
}

// A CR ends its line at once: the next byte may be seconds away.
func TestLinesDoNotWaitAfterCR(t *testing.T) {
	asked := errors.New("asked for more before the line was delivered")
	l := NewLines(&pieces{p: [][]byte{[]byte("a\r")}, err: asked}, 0)
	if line, err := l.Next(); err != nil || string(line) != "a" {
		t.Fatalf("%q, %v; want the line a", line, err)
	}
	if _, err := l.Next(); err != asked {
		t.Fatalf("%v; want %v", err, asked)
	}
}

func TestLinesMax(t *testing.T) {
	for _, c := range []struct {
		src  string
		max  int
		want string
	}{
		{"12345\n123456\n", 5, "sse: line 2: the line is longer than 5 bytes; raise the reader's maximum if this server is to be trusted with more"},
		{"12345\r\n12345", 5, ""},
		{"123456", 5, "sse: line 1: the line is longer than 5 bytes; raise the reader's maximum if this server is to be trusted with more"},
		{"1\n" + strings.Repeat("x", DefaultMaxLine+1), 0, "sse: line 2: the line is longer than 33554432 bytes; raise the reader's maximum if this server is to be trusted with more"},
	} {
		for _, n := range []int{0, 1, 5, len(c.src) / 2, len(c.src)} {
			if c.max == 0 && n > 0 { // 32 MB are enough once
				break
			}
			_, err := lines(at(c.src, n), c.max)
			if got := fmt.Sprint(err); c.want == "" && err != nil || c.want != "" && got != c.want {
				t.Errorf("max %d, cut at %d: %v; want %q", c.max, n, err, c.want)
			}
			if long := new(TooLongError); c.want != "" && !errors.As(err, &long) {
				t.Errorf("%v is a %T; want a *TooLongError", err, err)
			}
		}
	}
}

func TestLinesErrors(t *testing.T) {
	boom := errors.New("boom")
	t.Run("kept and repeated", func(t *testing.T) {
		l := NewLines(&pieces{p: [][]byte{[]byte("a\nb")}, err: boom}, 0)
		if line, err := l.Next(); string(line) != "a" || err != nil {
			t.Fatalf("%q, %v", line, err)
		}
		for range 2 {
			if line, err := l.Next(); line != nil || err != boom {
				t.Fatalf("%q, %v; want no line and boom", line, err)
			}
		}
	})
	t.Run("that comes with bytes is not lost", func(t *testing.T) {
		once := &onceErr{b: "a\nb\n", err: boom}
		l := NewLines(once, 0)
		for _, want := range []string{"a", "b"} {
			if line, err := l.Next(); string(line) != want || err != nil {
				t.Fatalf("%q, %v; want %q", line, err, want)
			}
		}
		if _, err := l.Next(); err != boom {
			t.Fatalf("%v; want boom", err)
		}
	})
	t.Run("a reader that never returns anything", func(t *testing.T) {
		if _, err := lines(&pieces{p: make([][]byte, 1000)}, 0); err != io.ErrNoProgress {
			t.Fatalf("%v; want %v", err, io.ErrNoProgress)
		}
	})
}

// onceErr returns its error together with its bytes, and only then.
type onceErr struct {
	b   string
	err error
}

func (o *onceErr) Read(b []byte) (int, error) {
	n := copy(b, o.b)
	err := o.err
	o.b, o.err = "", nil
	return n, err
}

// Each byte is looked at a bounded number of times however it arrives: a line
// of n bytes in small pieces is copied by doubling only.
func TestLongLineIsLinear(t *testing.T) {
	const n = 1 << 20
	src := append(bytes.Repeat([]byte("x"), n), '\n')
	grown := testing.AllocsPerRun(1, func() {
		l := NewLines(iotest.OneByteReader(bytes.NewReader(src)), 0)
		line, err := l.Next()
		if err != nil || len(line) != n {
			t.Fatalf("%d bytes, %v", len(line), err)
		}
		if len(l.buf) > 4*n {
			t.Errorf("the buffer has %d bytes for a line of %d", len(l.buf), n)
		}
	})
	if grown > 30 {
		t.Errorf("%v allocations; want one each time the line doubles", grown)
	}
}

func TestLinesDoNotAllocate(t *testing.T) {
	src := []byte(strings.Repeat("data: some text of ordinary length\r\n", 1000))
	rd := bytes.NewReader(src)
	l := NewLines(rd, 0)
	n := testing.AllocsPerRun(10, func() {
		rd.Reset(src)
		l.err, l.later = nil, nil
		for {
			if _, err := l.Next(); err != nil {
				break
			}
		}
	})
	if n != 0 {
		t.Errorf("%v allocations for 1000 lines; want none", n)
	}
}
