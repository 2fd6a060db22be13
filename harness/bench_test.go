package harness_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/anthropic"
	"github.com/harnessbench/bench/providers/fake"
	"github.com/harnessbench/bench/sim"
)

// cpu is the processor time this process has used. Unlike the clock on the
// wall it does not count what the neighbours do.
func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// benchNote is a tool that does nothing: what is measured is the loop.
var benchNote = tools.Tool{
	Name: "note", Description: "Notes a line.", Schema: `{"type":"object","properties":{"line":{"type":"string"}},"required":["line"]}`,
	Run: func(context.Context, tools.Call) (tools.Output, error) { return tools.Output{Text: "noted"}, nil },
}

func benchRegistry(tb testing.TB) *tools.Registry {
	tb.Helper()
	r, err := tools.NewRegistry(benchNote)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// benchScript is three turns of twenty deltas, two of them with a call.
func benchScript(tb testing.TB) *fake.Script {
	tb.Helper()
	words := "reply\n    text " + strings.Repeat(`"word " `, 19)
	src := words + "\n    call t1 note {\"line\":\"x\"}\n" + words + "\n    call t2 note {\"line\":\"y\"}\n" + words + "\"end\"\n"
	s, err := fake.Parse("bench", []byte(src), fake.ParseOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

type quiet struct{ n int }

func (q *quiet) Publish(harness.Event) error { q.n++; return nil }

// live boots a machine with a fresh session on its disk and lets f use it.
func live(tb testing.TB, script *fake.Script, reg *tools.Registry, f func(*harness.Session, *anthropic.Client) error) *fake.Server {
	var srv *fake.Server
	w := sim.NewWorld(0)
	m := w.Boot(env.NoProbe{})
	out := m.Run(func() {
		e := m.Env("session")
		srv = fake.NewServer(script, fake.Options{Clock: e.Clock, NewNote: func() fake.Note { return e.Clock.Note() }})
		c := anthropic.New(anthropic.Config{BaseURL: "http://fake", BenchHeaders: true, HTTP: &http.Client{Transport: srv.Transport()}})
		s, err := harness.Create(context.Background(), harness.Config{Model: "m", Provider: c, Tools: reg, Env: e, Subscriber: &quiet{}})
		if err == nil {
			if err = f(s, c); err == nil {
				err = s.Close()
			}
		}
		if err != nil {
			tb.Error(err)
		}
	})
	if out.Panic != "" || out.Deadlock != "" {
		tb.Fatalf("%+v", out)
	}
	return srv
}

// nullLoop asks, reads, calls the tool and asks again: what anybody would write
// who records nothing, checks nothing and expects nothing to go wrong.
func nullLoop(c *anthropic.Client, reg *tools.Registry) error {
	msgs := []providers.Message{{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: "go"}}}}
	for {
		st, err := c.Stream(context.Background(), &providers.Request{Model: "m", MaxTokens: 8000, Stream: true, Messages: msgs, Tools: reg.Advertise()})
		if err != nil {
			return err
		}
		answer, err := nullRead(st)
		if err != nil {
			return err
		}
		if err := st.Close(); err != nil {
			return err
		}
		results := nullCalls(answer)
		if len(results) == 0 {
			return nil
		}
		msgs = append(msgs, providers.Message{Role: providers.Assistant, Blocks: answer}, providers.Message{Role: providers.User, Blocks: results})
	}
}

func nullRead(st interface {
	Next() (providers.Event, error)
}) ([]providers.Block, error) {
	var blocks []providers.Block
	var bufs []strings.Builder
	for {
		ev, err := st.Next()
		if err == io.EOF || err == nil && ev.Kind == providers.MessageStop {
			break
		}
		if err != nil {
			return nil, err
		}
		switch ev.Kind {
		case providers.BlockStart:
			blocks, bufs = append(blocks, *ev.Block), append(bufs, strings.Builder{})
		case providers.TextDelta, providers.InputDelta:
			bufs[ev.Index].WriteString(ev.Text)
		}
	}
	for i := range blocks {
		if blocks[i].Kind == providers.ToolCall {
			blocks[i].Input = bufs[i].String()
		} else {
			blocks[i].Text = bufs[i].String()
		}
	}
	return blocks, nil
}

func nullCalls(answer []providers.Block) []providers.Block {
	var results []providers.Block
	for _, b := range answer {
		if b.Kind == providers.ToolCall {
			out, _ := benchNote.Run(context.Background(), tools.Call{ID: b.ID, Name: b.Name, Input: []byte(b.Input)})
			results = append(results, providers.Block{Kind: providers.ToolResult, ID: b.ID, Text: out.Text})
		}
	}
	return results
}

// BenchmarkLoop measures the loop's own cost of a turn: three turns of twenty
// deltas, from real wire bytes in memory to two durable ledgers on a simulated
// disk, minus the same requests and answers without a loop: the same client,
// wire, machine and tool, and a session that is made and closed but not used.
// The target is 20 us. codec-us/turn is what reading the answers' bytes and
// calling the tool alone costs.
func BenchmarkLoop(b *testing.B) {
	const batch = 40
	script, reg := benchScript(b), benchRegistry(b)
	loop := func(s *harness.Session, _ *anthropic.Client) error {
		res, err := s.Run(context.Background(), "go")
		if err == nil && (res.Reason != harness.Completed || res.Turns != 3 || res.Calls != 2) {
			err = fmt.Errorf("%+v", res)
		}
		return err
	}
	null := func(_ *harness.Session, c *anthropic.Client) error { return nullLoop(c, reg) }
	var replies [][]byte
	for _, x := range live(b, script, reg, loop).Exchanges() {
		replies = append(replies, x.Reply)
	}
	codec := func() {
		for _, r := range replies {
			answer, err := nullRead(anthropic.NewDecoder(bytes.NewReader(r)))
			if err != nil {
				b.Fatal(err)
			}
			nullCalls(answer)
		}
	}
	ways := []func(){
		func() { live(b, script, reg, loop) },
		func() { live(b, script, reg, null) },
		codec,
	}
	used := make([]float64, len(ways)) // ns a turn
	for b.Loop() {
		for i, f := range ways {
			begin := cpu()
			for range batch {
				f()
			}
			used[i] += float64(cpu()-begin) / batch / 3
		}
	}
	us := func(ns float64) float64 { return ns / float64(b.N) / 1000 }
	b.ReportMetric(us(used[0]-used[1]), "own-us/turn")
	b.ReportMetric(us(used[0]), "loop-us/turn")
	b.ReportMetric(us(used[1]), "null-us/turn")
	b.ReportMetric(us(used[2]), "codec-us/turn")
	b.ReportMetric((testing.AllocsPerRun(5, ways[0])-testing.AllocsPerRun(5, ways[1]))/3, "own-allocs/turn")
}

// calling is a provider that asks for the tool until the last turn. Its answers
// are events, so that nothing is measured but the loop.
type calling struct {
	turns, n int
	evs      []providers.Event
}

func (c *calling) Stream(_ context.Context, req *providers.Request) (providers.Stream, error) {
	if req.Lane == providers.LaneSummary {
		return &eventList{evs: []providers.Event{
			{Kind: providers.BlockStart, Block: &providers.Block{Kind: providers.Text}}, {Kind: providers.TextDelta, Text: "it went on"},
			{Kind: providers.BlockStop}, {Kind: providers.Stop, Text: "end_turn"}, {Kind: providers.MessageStop},
		}}, nil
	}
	c.n++
	c.evs = append(c.evs[:0], providers.Event{Kind: providers.MessageStart, Usage: &providers.Usage{In: 5}},
		providers.Event{Kind: providers.BlockStart, Block: &providers.Block{Kind: providers.Text}})
	for range 19 {
		c.evs = append(c.evs, providers.Event{Kind: providers.TextDelta, Text: "word "})
	}
	c.evs = append(c.evs, providers.Event{Kind: providers.BlockStop})
	stop := "end_turn"
	if c.n < c.turns {
		stop = "tool_use"
		c.evs = append(c.evs, providers.Event{Kind: providers.BlockStart, Index: 1, Block: &providers.Block{Kind: providers.ToolCall, ID: fmt.Sprintf("t%d", c.n), Name: "note"}},
			providers.Event{Kind: providers.InputDelta, Index: 1, Text: fmt.Sprintf(`{"line":"x%d"}`, c.n)}, providers.Event{Kind: providers.BlockStop, Index: 1})
	}
	c.evs = append(c.evs, providers.Event{Kind: providers.Stop, Text: stop, Usage: &providers.Usage{Out: 7}}, providers.Event{Kind: providers.MessageStop})
	return &eventList{evs: c.evs}, nil
}

type eventList struct{ evs []providers.Event }

func (l *eventList) Next() (providers.Event, error) {
	if len(l.evs) == 0 {
		return providers.Event{}, io.EOF
	}
	ev := l.evs[0]
	l.evs = l.evs[1:]
	return ev, nil
}
func (l *eventList) Close() error { return nil }

// BenchmarkTurns shows that a turn costs the same however long the
// conversation is: a request costs what is new. With a small window it is
// compacted, again and again, and still costs the same.
func BenchmarkTurns(b *testing.B) {
	reg := benchRegistry(b)
	for _, n := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchTurns(b, reg, n, -1) })
	}
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprintf("compacting/%d", n), func(b *testing.B) { benchTurns(b, reg, n, 20_000) })
	}
}

func benchTurns(b *testing.B, reg *tools.Registry, n, window int) {
	b.ReportAllocs()
	begin := cpu()
	for b.Loop() {
		m := sim.NewWorld(0).Boot(env.NoProbe{})
		m.Run(func() {
			s, err := harness.Create(b.Context(), harness.Config{
				Model: "m", Provider: &calling{turns: n}, Tools: reg, Env: m.Env("session"), Limits: harness.Limits{MaxTurns: n + 1, Window: window},
			})
			if err != nil {
				b.Error(err)
				return
			}
			res, err := s.Run(b.Context(), "go")
			if err != nil || res.Reason != harness.Completed || res.Turns != n {
				b.Errorf("%+v, %v", res, err)
			}
			s.Close()
		})
	}
	b.ReportMetric(float64((cpu()-begin).Microseconds())/float64(b.N)/float64(n), "us-cpu/turn")
}
