package fake

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/harnessbench/bench/providers"
)

// genLine draws a line of a stream. What one line says about another is left
// to the examples.
func genLine(t *rapid.T) Line {
	str := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a", "${n}", "${HOME}", "\"'\\#", "\xff\x00", strings.Repeat("ab", 300), "\r\n", "none", "=", "@x", "[x]"}))
	strs := func() []string { return rapid.SliceOfN(str, 1, 4).Draw(t, "strings") }
	name := func() string { return str.Draw(t, "name") }
	json := func() string {
		return rapid.SampledFrom([]string{`{}`, `{"a":"b # c","d":[1,{"e":"]}"}]}`, `[1, 2]`, `true`, `-1.5e3`, `{"a":${n}}`, `null`, `{"k":"\u0024{HOME}"}`}).Draw(t, "json")
	}
	op := rapid.SampledFrom([]Op{OpText, OpThink, OpCall, OpCutText, OpCutThink, OpCutCall, OpServerCall, OpStop, OpPing,
		OpComment, OpError, OpRefusal, OpRaw, OpFrame, OpHeader, OpGate, OpDelay}).Draw(t, "op")
	l := Line{Op: op}
	v, _ := verbOf(op)
	switch op {
	case OpText, OpCutText, OpCutThink, OpRaw:
		l.Values = strs()
	case OpThink:
		l.Values = strs()
		if l.HasSig = rapid.Bool().Draw(t, "signed"); l.HasSig {
			l.Sig = name()
		}
	case OpCall, OpCutCall, OpServerCall:
		l.ID, l.Name = name(), name()
		if rapid.Bool().Draw(t, "json?") {
			l.JSON = json()
		} else {
			l.Values = strs()
		}
	case OpStop, OpRefusal:
		l.Values = []string{name()}
	case OpComment:
		l.Values = []string{strings.NewReplacer("\r", "", "\n", "").Replace(name())}
	case OpError:
		l.Name, l.Values = name(), []string{name()}
	case OpFrame:
		l.JSON = json()
	case OpHeader:
		l.Name = rapid.StringMatching(`[a-z][a-z-]{0,9}`).Draw(t, "header")
		l.Values = []string{rapid.StringMatching(`([!-~]([ -~]{0,9}[!-~])?)?`).Draw(t, "value")}
	case OpGate:
		l.Name = rapid.StringMatching(`[a-z][a-z0-9.-]{0,9}`).Draw(t, "gate")
	case OpDelay:
		l.D = time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "delay"))
	}
	if v.waits && rapid.Bool().Draw(t, "waits") {
		l.After = time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "after"))
	}
	if v.repeats && rapid.Bool().Draw(t, "repeats") {
		l.Times = rapid.IntRange(2, 4).Draw(t, "times")
	}
	return l
}

// genReply draws a reply.
func genReply(t *rapid.T) *Reply {
	r := &Reply{Lane: rapid.SampledFrom(Lanes()).Draw(t, "lane"), Min: 1, Max: 1}
	if rapid.Bool().Draw(t, "times") {
		r.Max = rapid.IntRange(1, 5).Draw(t, "max")
		r.Min = rapid.IntRange(0, r.Max).Draw(t, "min")
	}
	if rapid.IntRange(0, 4).Draw(t, "kind") == 0 {
		r.Status = rapid.SampledFrom([]int{400, 429, 500, 529}).Draw(t, "status")
		if rapid.Bool().Draw(t, "typed") {
			r.Type, r.Message = "some_error", rapid.String().Draw(t, "message")
		}
		r.RetryAfter = rapid.SampledFrom([]string{"", "1", "Wed, 21 Oct 2015 07:28:00 GMT"}).Draw(t, "retry-after")
	} else {
		r.Lines = rapid.SliceOfN(rapid.Custom(genLine), 0, 6).Draw(t, "lines")
	}
	if len(r.Lines) == 0 {
		r.Lines = nil
	}
	switch rapid.IntRange(0, 6).Draw(t, "more") {
	case 0:
		r.Lines = append(r.Lines, Line{Op: OpChunk, N: rapid.IntRange(1, 50).Draw(t, "chunk")})
	case 1:
		r.Lines = append(r.Lines, Line{Op: OpChunk, Name: "at", N: rapid.IntRange(1, 500).Draw(t, "at")})
	case 2:
		r.Lines = append(r.Lines, Line{Op: OpHang, D: time.Duration(rapid.IntRange(0, 3).Draw(t, "hang")) * time.Second})
	case 3:
		r.Lines = append(r.Lines, Line{Op: OpEOF}, Line{Op: OpExpect, Expect: &Expect{Path: "result.a b.error", Cmp: "!=", Value: rapid.String().Draw(t, "value")}})
	case 4:
		if r.Status == 0 {
			r.Lines = append(r.Lines, Line{Op: OpUsage, Usage: providers.Usage{In: rapid.IntRange(0, 9).Draw(t, "in"), Out: rapid.IntRange(0, 9).Draw(t, "out")}},
				Line{Op: OpHead, N: -1}, Line{Op: OpTail})
		}
	}
	return r
}

// TestRandomRoundTrip: whatever script there is, printing and parsing gives it
// back.
func TestRandomRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &Script{Name: "f", Replies: rapid.SliceOfN(rapid.Custom(genReply), 1, 4).Draw(t, "replies")}
		printed := s.String()
		got, err := Parse("f", []byte(printed), ParseOptions{})
		if err != nil {
			t.Fatalf("%s\n%v", printed, err)
		}
		if !reflect.DeepEqual(unplaced(got), unplaced(s)) {
			t.Fatalf("%s\nreads back as\n%s", printed, got)
		}
	})
}

// TestRandomChunking: a reply's bytes depend neither on how they are cut nor
// on the waits between them, and every way ends as it should.
func TestRandomChunking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.Custom(genReply).Draw(t, "reply")
		a := answering{protocol: anthropic{}, stream: true, n: 1}
		whole, err := r.plan(1, a)
		if err != nil {
			t.Skip("eof short of more than there is")
		}
		other := *r
		other.Lines = nil
		for _, l := range r.Lines {
			if l.Op != OpChunk && l.Op != OpDelay && l.Op != OpGate {
				l.After = 0
				other.Lines = append(other.Lines, l)
			}
		}
		other.Lines = append(other.Lines, Line{Op: OpChunk, N: rapid.IntRange(1, 9).Draw(t, "size")})
		cut, err := other.plan(1, a)
		if err != nil {
			t.Fatal(err)
		}
		if bytesOf(whole) != bytesOf(cut) {
			t.Fatalf("%q\n%q", bytesOf(whole), bytesOf(cut))
		}
		for _, p := range []*Plan{whole, cut} {
			for i, s := range p.Steps {
				if last := i == len(p.Steps)-1; last != (s.Act == EOF || s.Act == Cut || s.Act == Reset || s.Act == Hang) {
					t.Fatalf("%s", outline(p))
				}
				if s.Act == Write && len(s.Data) == 0 && i > 0 && p.Steps[i-1].Act == Write {
					t.Fatalf("an empty piece: %s", outline(p))
				}
			}
		}
	})
}

// TestRandomLegal: the check never panics, and what it accepts the server
// answers.
func TestRandomLegal(t *testing.T) {
	blocks := []string{text("a"), text(""), result, second, search, found,
		`{"type":"tool_use","id":"t1","name":"f","input":{}}`, `{"type":"tool_use","id":"t2","name":"f","input":{}}`,
		`{"type":"thinking","thinking":"a","signature":"s"}`, `{"type":"image"}`, `{"type":5}`, `null`, `{}`}
	rapid.Check(t, func(t *rapid.T) {
		var messages []string
		for range rapid.IntRange(0, 6).Draw(t, "messages") {
			role := rapid.SampledFrom([]string{"user", "assistant", "system", ""}).Draw(t, "role")
			content := "[" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(blocks), 0, 4).Draw(t, "blocks"), ",") + "]"
			if rapid.IntRange(0, 5).Draw(t, "odd") == 0 {
				content = rapid.SampledFrom([]string{`""`, `"a"`, `null`, `5`}).Draw(t, "content")
			}
			messages = append(messages, `{"role":"`+role+`","content":`+content+`}`)
		}
		b := []byte(body(strings.Join(messages, ",")))
		r := CheckMessages(b)
		if r != nil && (r.Status != 400 || r.Message == "" || r.Level != API && r.Level != Strict) {
			t.Fatalf("%+v", r)
		}
	})
}
