package sse

import (
	"bytes"
	"testing"
)

// BenchmarkSplit is what everything above it is measured against: the line
// splitter alone, then the event reader, over the same bytes.
func BenchmarkSplit(b *testing.B) {
	src := bytes.Repeat([]byte("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"some text of it\"}}\n\n"), 10000)
	b.Run("lines", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		b.ReportAllocs()
		for b.Loop() {
			l := NewLines(bytes.NewReader(src), 0)
			for err := error(nil); err == nil; {
				_, err = l.Next()
			}
		}
	})
	b.Run("events", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		b.ReportAllocs()
		for b.Loop() {
			r := NewReader(bytes.NewReader(src), 0)
			for err := error(nil); err == nil; {
				_, err = r.Next()
			}
		}
	})
	b.Run("one line in 1-byte pieces", func(b *testing.B) {
		for _, n := range []int{1 << 16, 1 << 20} { // the same ns/byte at both sizes: linear
			line := append(bytes.Repeat([]byte("x"), n), '\n')
			b.Run(map[int]string{1 << 16: "64KiB", 1 << 20: "1MiB"}[n], func(b *testing.B) {
				b.SetBytes(int64(n))
				for b.Loop() {
					if _, err := NewLines(&oneByte{line}, 0).Next(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}

type oneByte struct{ b []byte }

func (o *oneByte) Read(p []byte) (int, error) {
	p[0] = o.b[0]
	o.b = o.b[1:]
	return 1, nil
}
