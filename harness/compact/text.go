package compact

import (
	"strconv"

	"github.com/harnessbench/bench/internal/cut"
)

// PreviewOf is what is shown of a result that is too large: its first n bytes,
// less where a rune would be split, and a line that says how many of its whole
// bytes are missing and how to read them.
func PreviewOf(text string, n int, call string, whole int) string {
	head := cut.Head(text, n)
	left := max(whole, len(text)) - len(head)
	if left == 0 {
		return text
	}
	return string(appendLeft(append(make([]byte, 0, len(head)+128), head...), call, left))
}

func appendLeft(b []byte, call string, left int) []byte {
	b = append(b, "\n[... "...)
	b = appendCount(b, left, "byte")
	b = append(b, " left out here; read_result with call "...)
	b = append(b, call...)
	return append(b, " reads them ...]"...)
}

// previewBytes is the length of r's preview; of its real text it may be some
// bytes less, where a rune is not split.
func previewBytes(r Result, n int) int {
	n = max(n, 0)
	if r.Bytes <= n {
		return r.Bytes
	}
	var buf [256]byte
	return n + len(appendLeft(buf[:0], r.Call, r.Bytes-n))
}

// StubOf is what stands for a result, text and images: which tool's it
// was, how large, and how to read it again.
func StubOf(tool, call string, bytes int) string {
	return string(appendStub(nil, tool, call, bytes))
}

func appendStub(b []byte, tool, call string, bytes int) []byte {
	b = append(b, "[The result of "...)
	b = appendName(b, tool)
	b = append(b, " is left out here, "...)
	b = appendCount(b, bytes, "byte")
	b = append(b, "; read_result with call "...)
	b = append(b, call...)
	return append(b, " reads it]"...)
}

func stubBytes(r Result) int {
	var buf [256]byte
	return len(appendStub(buf[:0], r.Tool, r.Call, r.Bytes))
}

// MediaStub stands behind the text of a result whose n images were taken out.
func MediaStub(n int) string {
	return "\n[" + count(n, "image") + " left out here: the provider refused the request with all images in it]"
}

// SnipText is a snip's marker: how many steps are missing, and that they are
// not lost. The prompts that survive stand behind it.
func SnipText(steps int) string {
	return "[" + count(steps, "earlier step") + " left out here to save room; the session's record keeps them]"
}

func count(n int, what string) string { return string(appendCount(nil, n, what)) }

func appendCount(b []byte, n int, what string) []byte {
	b = strconv.AppendInt(b, int64(n), 10)
	b = append(b, ' ')
	b = append(b, what...)
	if n != 1 {
		b = append(b, 's')
	}
	return b
}

// appendName appends a tool's name. A model may have made it up: one that is
// not plain is quoted and cut, so that it cannot speak in the loop's place.
func appendName(b []byte, name string) []byte {
	const most = 64
	plain := name != "" && len(name) <= most
	for i := 0; i < len(name) && plain; i++ {
		c := name[i]
		plain = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.'
	}
	if plain {
		return append(b, name...)
	}
	return strconv.AppendQuote(b, cut.Head(name, most))
}
