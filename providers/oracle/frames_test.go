package oracle

import (
	"strings"

	"github.com/tidwall/gjson"
)

// frame is one event of a stream, as the kinds of difference need it: of streams
// with line feeds only, and one field on each line.
type frame struct{ name, data string }

func (f frame) get(path string) gjson.Result { return gjson.Get(f.data, path) }

func frames(body string) (out []frame) {
	body = strings.ReplaceAll(body, "\r\n", "\n")
	for _, event := range strings.Split(body, "\n\n") {
		var f frame
		var lines []string
		for _, line := range strings.Split(event, "\n") {
			if v, ok := strings.CutPrefix(line, "event:"); ok {
				f.name = strings.TrimPrefix(v, " ")
			}
			if v, ok := strings.CutPrefix(line, "data:"); ok {
				lines = append(lines, strings.TrimPrefix(v, " "))
			}
		}
		if len(lines) > 0 {
			f.data = strings.Join(lines, "\n")
			out = append(out, f)
		}
	}
	return out
}

// joined is the stream of some frames.
func joined(fs []frame) string {
	var b strings.Builder
	for _, f := range fs {
		if f.name != "" {
			b.WriteString("event: " + f.name + "\n")
		}
		b.WriteString("data: " + strings.ReplaceAll(f.data, "\n", "\ndata: ") + "\n\n")
	}
	return b.String()
}

// cutLast is strings.Cut around the last sep; before is "" where there is none.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}

// keep is the stream of the frames that a function wants, or changes.
func keep(body string, want func(*frame) bool) string {
	if isWhole(body) {
		return body
	}
	var out []frame
	changed := false
	for _, f := range frames(body) {
		old := f
		if want(&f) {
			out = append(out, f)
		}
		changed = changed || len(out) == 0 || out[len(out)-1] != old
	}
	if !changed {
		return body
	}
	return joined(out)
}

// choice is what one chunk of Chat says of the first choice, or what a whole
// answer does: its delta or message, and the finish reason.
type choice struct{ said, finish gjson.Result }

func choices(body string) (out []choice) {
	if isWhole(body) {
		return []choice{{gjson.Get(body, "choices.0.message"), gjson.Get(body, "choices.0.finish_reason")}}
	}
	for _, f := range frames(body) {
		if c := f.get("choices.0"); c.Exists() && c.Get("index").Int() == 0 {
			said := c.Get("delta")
			if !said.Exists() {
				said = c.Get("message")
			}
			out = append(out, choice{said, c.Get("finish_reason")})
		}
	}
	return out
}

// byIndex puts the calls of a stream of Chat together by their index alone; a
// missing one is 0, and so is -1.
func byIndex(body string) (out []call) {
	if isWhole(body) {
		return nil
	}
	for _, c := range choices(body) {
		for _, e := range c.said.Get("tool_calls").Array() {
			at := int(max(0, e.Get("index").Int()))
			for len(out) <= at {
				out = append(out, call{})
			}
			k := &out[at]
			if id := e.Get("id").String(); id != "" {
				k.ID = id
			}
			k.Name += e.Get("function.name").String()
			k.Input += e.Get("function.arguments").String()
		}
	}
	for i := range out {
		if out[i].Input == "" {
			out[i].Input = "{}"
		}
		out[i].Input = canonical(out[i].Input)
	}
	return out
}
