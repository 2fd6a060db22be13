package fake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/harnessbench/bench/providers"
	anthropiccodec "github.com/harnessbench/bench/providers/anthropic"
	geminicodec "github.com/harnessbench/bench/providers/gemini"
	"github.com/harnessbench/bench/providers/openai"
)

// client returns the project's own client of a protocol.
func client(protocol, url string, h *http.Client) providers.Provider {
	switch protocol {
	case "anthropic":
		return anthropiccodec.New(anthropiccodec.Config{BaseURL: url, HTTP: h, BenchHeaders: true})
	case "chat":
		return openai.Chat.New(openai.Config{BaseURL: url + "/v1", HTTP: h, BenchHeaders: true})
	case "responses":
		return openai.Responses.New(openai.Config{BaseURL: url + "/v1", HTTP: h, BenchHeaders: true})
	}
	return geminicodec.New(geminicodec.Config{BaseURL: url + "/v1beta", HTTP: h, BenchHeaders: true})
}

// turn is an answer as a loop reads it: to the end of the answer, or the first
// failure.
type turn struct {
	blocks []providers.Block
	stop   string
	stops  bool
	usage  providers.Usage
	end    string // end, eof, failure CLASS, or an error's class
	index  map[int]int
}

func (u *turn) add(ev providers.Event) {
	switch ev.Kind {
	case providers.BlockStart:
		b := *ev.Block
		b.Open, b.Raw, b.Signature = true, "", ""
		if u.index == nil {
			u.index = map[int]int{}
		}
		u.index[ev.Index] = len(u.blocks)
		u.blocks = append(u.blocks, b)
	case providers.TextDelta, providers.ThinkingDelta:
		u.blocks[u.index[ev.Index]].Text += ev.Text
	case providers.InputDelta:
		u.blocks[u.index[ev.Index]].Input += ev.Text
	case providers.BlockStop:
		u.blocks[u.index[ev.Index]].Open = false
	case providers.Stop:
		u.stop, u.stops = ev.Text, true
	case providers.MessageStop:
		u.end = "end"
	case providers.Failure:
		u.end = "failure " + string(ev.Err.Class)
	}
	if ev.Usage != nil {
		u.usage = *ev.Usage
	}
}

func (u *turn) calls() bool {
	return slices.ContainsFunc(u.blocks, func(b providers.Block) bool { return b.Kind == providers.ToolCall })
}

// readTurn asks and reads the answer.
func readTurn(p providers.Provider, req *providers.Request) *turn {
	u := &turn{}
	st, err := p.Stream(context.Background(), req)
	if err != nil {
		u.end = classOf(err)
		return u
	}
	defer st.Close()
	for u.end == "" {
		ev, err := st.Next()
		if err == io.EOF {
			u.end = "eof"
		} else if err != nil {
			u.end = classOf(err)
		} else {
			u.add(ev)
		}
	}
	return u
}

func classOf(err error) string {
	var e *providers.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	return fmt.Sprint(e.Class, " ", e.Status)
}

// String shows what of a turn is compared: see Inexpressible.
func (u *turn) String() string {
	if u.end == "protocol 0" {
		return u.end // bytes that are not UTF-8: where they stand differs
	}
	var out []string
	last := len(u.blocks) - 1
	told := u.stops || u.end == "end" // something can say whether the last block is over
	for i, b := range u.blocks {
		open := ""
		text := b.Kind == providers.Text || b.Kind == providers.Thinking
		switch {
		case i == last && (!told || truncates(u.stop)):
		case text && u.end == "end": // over with its answer
		case b.Open:
			open = " open"
		}
		out = append(out, fmt.Sprintf("[%s %q %q %q %q%s]", b.Kind, b.ID, b.Name, b.Text, b.Input, open))
	}
	if u.stops {
		out = append(out, fmt.Sprintf("stop %q %+v", u.stop, u.usage))
	}
	return strings.Join(append(out, u.end), " ")
}

func ordinary(stream bool) *providers.Request {
	return &providers.Request{Model: "m", MaxTokens: 4096, Stream: stream, Lane: providers.LaneMain,
		Messages: []providers.Message{{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: "hi"}}}}}
}

// timeless returns a script of the reply alone, without what costs time.
func timeless(name string, r *Reply) *Script {
	one := *r
	one.Lane, one.Min, one.Max, one.Lines = providers.LaneMain, 0, 1, nil
	for _, l := range r.Lines {
		l.After = 0
		if l.Op == OpHang {
			l = Line{Line: l.Line, Op: OpCut}
		}
		if l.Op != OpDelay && l.Op != OpGate && l.Op != OpExpect {
			one.Lines = append(one.Lines, l)
		}
	}
	return &Script{Name: name, Replies: []*Reply{&one}}
}

// tester is what testing and rapid have in common.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
}

// sameTurn checks one reply in one protocol: what it can carry is read as in
// Anthropic's; it reports whether it can.
func sameTurn(t tester, s *Script, protocol string, stream bool) bool {
	t.Helper()
	if Inexpressible(s, protocol, stream) != nil {
		return false
	}
	var turns []*turn
	for _, p := range []string{"anthropic", protocol} {
		srv := NewServer(s, Options{})
		turns = append(turns, readTurn(client(p, "http://fake", inMemory(srv.Wire)), ordinary(stream)))
		if f := srv.Findings(); f != nil && (p != "anthropic" || Inexpressible(s, p, stream) == nil) {
			t.Errorf("%s\n%s, stream %v: %v", s, p, stream, f)
		}
	}
	if Inexpressible(s, "anthropic", stream) != nil {
		return true // nothing to compare with
	}
	if got := turns[1]; protocol == "gemini" && got.stop == stopEnd && got.calls() {
		got.stop = stopTool // the API has no word for it
	}
	if turns[0].String() != turns[1].String() {
		t.Errorf("%s\n%s, stream %v:\n got %s\nwant %s", s, protocol, stream, turns[1], turns[0])
	}
	return true
}

// TestSameTurn: what a protocol can carry means the same in it as in
// Anthropic's, for scripts drawn at random.
func TestSameTurn(t *testing.T) {
	for _, protocol := range Protocols()[1:] {
		for _, stream := range []bool{true, false} {
			carried := 0
			rapid.Check(t, func(rt *rapid.T) {
				s := timeless("f", rapid.Custom(genAnswer).Draw(rt, "reply"))
				if sameTurn(rt, s, protocol, stream) {
					carried++
				}
			})
			if carried < 10 {
				t.Errorf("%s, stream %v: only %d of the drawn scripts can be carried", protocol, stream, carried)
			}
		}
	}
}

// genAnswer draws a reply of the kinds that scenarios are made of: more often
// than genReply one that other protocols can carry.
func genAnswer(t *rapid.T) *Reply {
	if rapid.IntRange(0, 9).Draw(t, "wild") == 0 {
		return genReply(t)
	}
	strs := func() []string {
		return rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b ", "", "é\n", "\"x\\"}), 1, 3).Draw(t, "strings")
	}
	r := &Reply{Lane: providers.LaneMain, Max: 1, Line: 1}
	ops := []Op{OpText, OpText, OpThink, OpCall, OpCall, OpCall, OpCutText, OpCutThink, OpCutCall, OpStop, OpStop, OpPing, OpComment, OpError, OpRefusal, OpHead, OpTail, OpUsage, OpCut, OpEOF}
	has := map[Op]bool{}
	for i := range rapid.IntRange(0, 5).Draw(t, "lines") {
		l := Line{Line: i + 2, Op: rapid.SampledFrom(ops).Draw(t, "op")}
		switch l.Op {
		case OpText, OpCutText, OpCutThink:
			l.Values = strs()
		case OpThink:
			l.Values = strs()
			l.HasSig = rapid.Bool().Draw(t, "sig")
		case OpCall, OpCutCall:
			l.ID = rapid.SampledFrom([]string{"t1", "t2", "t3", ""}).Draw(t, "id")
			l.Name = rapid.SampledFrom([]string{"f", "g", ""}).Draw(t, "name")
			if l.JSON = rapid.SampledFrom([]string{`{}`, `{"a":"b","c":[1,2]}`, ""}).Draw(t, "json"); l.JSON == "" {
				l.Values = rapid.SampledFrom([][]string{{""}, {"{\"a", "\":1"}, {"{\"a\":1}"}, {"5"}, {"null"}, {"{\"a\":\"b\",\"c\":\"é"}, {"{\"a\":tr"}, {"{ \"a\":1}"}}).Draw(t, "bytes")
			}
		case OpStop:
			l.Values = []string{rapid.SampledFrom([]string{stopEnd, stopTool, stopMax, stopRefusal, stopWindow, stopNone, "null", "zzz_new", stopSequence, "length"}).Draw(t, "reason")}
		case OpComment, OpRefusal:
			l.Values = []string{rapid.SampledFrom([]string{"no", ""}).Draw(t, "said")}
		case OpError:
			l.Name, l.Values = rapid.SampledFrom(errorTypes()).Draw(t, "type"), []string{"Something."}
		case OpHead, OpTail:
			l.N = -rapid.IntRange(0, 1).Draw(t, "none")
		case OpUsage:
			l.Usage = providers.Usage{In: rapid.IntRange(0, 9).Draw(t, "in"), Out: rapid.IntRange(0, 9).Draw(t, "out"), CacheRead: rapid.IntRange(0, 9).Draw(t, "read"), CacheWrite: rapid.IntRange(0, 9).Draw(t, "write")}
		case OpEOF:
			l.N = rapid.IntRange(0, 20).Draw(t, "short")
		}
		if (l.Op == OpHead || l.Op == OpTail || l.Op == OpUsage) && has[l.Op] {
			continue
		}
		has[l.Op] = true
		r.Lines = append(r.Lines, l)
		if l.Op.ending() {
			break
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "newline") == 0 {
		r.Lines = append(r.Lines, Line{Op: OpNewline, Name: rapid.SampledFrom([]string{"lf", "cr", "crlf"}).Draw(t, "end")})
	}
	return r
}

func errorTypes() []string {
	return []string{"invalid_request_error", "authentication_error", "permission_error", "billing_error", "not_found_error",
		"request_too_large", "rate_limit_error", "api_error", "timeout_error", "overloaded_error", "brand_new_error"}
}

// TestSameTurnOfScenarios: the same for every reply of the shipped scenarios whose
// script needs no variable.
func TestSameTurnOfScenarios(t *testing.T) {
	files, err := filepath.Glob("../../scenarios/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	replies := 0
	carried := map[string]int{}
	for _, file := range files {
		for _, s := range scenarioScripts(t, file) {
			for _, r := range s.Replies {
				replies++
				one := timeless(s.Name, r)
				for _, p := range Protocols()[1:] {
					for _, stream := range []bool{true, false} {
						if sameTurn(t, one, p, stream) {
							carried[fmt.Sprint(p, " ", stream)]++
						}
					}
				}
			}
		}
	}
	t.Logf("%d replies; carried: %v", replies, carried)
	for _, p := range Protocols()[1:] {
		for _, stream := range []bool{true, false} {
			if n := carried[fmt.Sprint(p, " ", stream)]; n < replies*8/10 {
				t.Errorf("%s, stream %v: only %d of %d replies can be carried", p, stream, n, replies)
			}
		}
	}
}

var (
	scriptMark = regexp.MustCompile(`(?m)^-- (\S+) --$`)
	guardName  = regexp.MustCompile(`(?m)^\s*\[!?([A-Za-z_][\w.-]*)\]`)
)

// scenarioScripts returns the reply scripts of a scenario file, in each choice of
// their guards: none, all, and each alone.
func scenarioScripts(t *testing.T, file string) []*Script {
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	src := string(b)
	files := map[string]string{}
	marks := scriptMark.FindAllStringSubmatchIndex(src, -1)
	for i, m := range marks {
		end := len(src)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		files[src[m[2]:m[3]]] = strings.TrimPrefix(src[m[1]:end], "\n")
	}
	var out []*Script
	for _, name := range keys(files) {
		if !strings.HasSuffix(name, ".script") {
			continue
		}
		choices := []string{"", "*"}
		for _, m := range guardName.FindAllStringSubmatch(files[name], -1) {
			if !slices.Contains(choices, m[1]) {
				choices = append(choices, m[1])
			}
		}
		for _, choice := range choices {
			s, err := Parse(filepath.Base(file), []byte(files[name]), ParseOptions{
				Guard:    func(g string) (bool, error) { return choice == "*" || choice == g, nil },
				ReadFile: func(f string) ([]byte, error) { return []byte(files[f]), nil },
			})
			if err == nil { // else it needs a variable
				out = append(out, s)
			}
		}
	}
	return out
}
