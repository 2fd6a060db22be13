package gemini

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers/internal/ask/asktest"
)

// drainStrict decodes without the template, and counts the chunks that it would
// have read.
func drainStrict(body string) (got []string, fast int) {
	d := NewDecoder(strings.NewReader(body))
	for {
		d.plate.known = false
		ev, err := d.Next()
		if err != nil {
			if err != io.EOF {
				got = append(got, "error "+err.Error())
			}
			break
		}
		got = append(got, asktest.Show(ev))
	}
	d = NewDecoder(strings.NewReader(body))
	for {
		queued := d.read < len(d.out)
		d.seen.usage = []byte{} // which the strict way forgets
		ev, err := d.Next()
		if err != nil {
			return got, fast
		}
		if !queued && ev.Text != "" && d.seen.usage != nil && len(d.seen.usage) == 0 {
			fast++
		}
	}
}

// both decodes in both ways, which must tell the same, and says how many chunks
// went the fast way.
func both(t *testing.T, name, body string) (fast int) {
	t.Helper()
	slow, fast := drainStrict(body)
	if got := asktest.Drain(NewDecoder(strings.NewReader(body))); !slices.Equal(got, slow) {
		t.Errorf("%s:\n got %q\nwant %q", name, got, slow)
	}
	return fast
}

func TestTemplate(t *testing.T) {
	chunk := func(text, usage, more string) string {
		return `{"candidates": [{"content": {"parts": [{"text": "` + text + `"}],"role": "model"},"index": 0}],"usageMetadata": {` + usage + `},"responseId": "r"` + more + `}`
	}
	counts := func(prompt, answer, total string) string {
		return `"promptTokenCount": ` + prompt + `,"candidatesTokenCount": ` + answer + `,"totalTokenCount": ` + total + `,"promptTokensDetails": [{"modality": "T\"7","tokenCount": ` + prompt + `}]`
	}
	plain := chunk("c", counts("9", "3", "12"), "")
	with := func(old, now string) string { return strings.Replace(plain, old, now, 1) }
	known := []string{chunk("a", counts("9", "1", "10"), ""), chunk("b", counts("9", "2", "11"), "")}
	for _, c := range []struct {
		name, chunk string
		fast        int
	}{
		{"the same", plain, 1},
		{"another text, other numbers", chunk(`c é\n\"`, counts("90", "0", "1234567890"), ""), 1},
		{"no text", chunk("", counts("9", "3", "12"), ""), 0},
		{"an escape that is not simple", chunk(`\u0041`, counts("9", "3", "12"), ""), 0},
		{"invalid UTF-8", chunk("\xff", counts("9", "3", "12"), ""), 0},
		{"a number that is none", chunk("c", counts("9", "03", "12"), ""), 0},
		{"no number", chunk("c", counts("9", "", "12"), ""), 0},
		{"a negative number", chunk("c", counts("9", "-3", "12"), ""), 0},
		{"a fraction", chunk("c", counts("9", "3.5", "12"), ""), 0},
		{"a fraction that says nothing", chunk("c", counts("9", "3", "12.5"), ""), 0},
		{"a number that is too long", chunk("c", counts("9", "12345678901", "12"), ""), 0},
		{"something more", chunk("c", counts("9", "3", "12"), `,"x":1`), 0},
		{"cut", plain[:120], 0},
		{"a signature", with(`c"}`, `c","thoughtSignature":"s"}`), 0},
		{"a thought", with(`c"}`, `c","thought":true}`), 0},
		{"a finish reason", with(`"index"`, `"finishReason":"STOP","index"`), 0},
		{"another candidate", with(`"index": 0`, `"index": 1`), 0},
		{"another response", with(`"r"`, `"s"`), 0},
	} {
		three := append(known[:2:2], c.chunk)
		for _, body := range []string{frame(three...), "[" + join(three) + "]"} {
			if fast := both(t, c.name, body); fast != c.fast {
				t.Errorf("%s: %d chunks went the fast way; want %d", c.name, fast, c.fast)
			}
		}
	}
	// What comes between makes the template void.
	between := append(append(known[:2:2], fc(`"name":"a","args":{}`)), known...)
	if fast := both(t, "a call between", frame(between...)); fast != 0 {
		t.Errorf("%d chunks behind a call went the fast way", fast)
	}
	// The report may stand in front of the words, have numbers that are none of ours,
	// or be missing.
	for _, form := range []string{
		`{"usageMetadata":{"promptTokenCount":%d},"candidates":[{"content":{"parts":[{"text":"x%[1]d"}]}}]}`,
		`{"candidates":[{"avgLogprobs":-0.5,"content":{"parts":[{"text":"x"}]}}],"usageMetadata":{"candidatesTokenCount":%d,"x":-1.5e3,"y":[0,12]}}`,
		`{"candidates":[{"content":{"parts":[{"thought":true,"text":"x%d"}]}}]}`,
	} {
		var chunks []string
		for i := range 4 {
			chunks = append(chunks, fmt.Sprintf(form, i))
		}
		if fast := both(t, form, frame(chunks...)); fast != 2 {
			t.Errorf("%s: %d chunks went the fast way; want 2", form, fast)
		}
	}
}
