package cassettes_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers/anthropic"
	"github.com/harnessbench/bench/sim"
)

// bench is the real loop on a simulated machine, with the real client in front
// of some transport. It outlives processes.
type bench struct {
	t         *testing.T
	world     *sim.World
	transport http.RoundTripper
	look      bool // there is a tool `look`
	killAt    int  // the visit of a crash point at which the process dies; -1: none
	visits    int
}

func newBench(t *testing.T, c ownCassette, transport http.RoundTripper) *bench {
	return &bench{t: t, world: sim.NewWorld(0), transport: transport, look: c.look, killAt: -1}
}

// probe kills the life at the chosen visit.
type probe struct {
	b *bench
	m *sim.Machine
}

func (p *probe) Hit(s env.Site) error {
	p.b.visits++
	if p.b.visits-1 == p.b.killAt {
		p.m.Kill(string(s.Point))
	}
	return nil
}

// live is one process: it opens the session or makes a new one, and runs.
func (b *bench) live(prompt string) (res harness.Result, crashed bool) {
	b.t.Helper()
	p := &probe{b: b}
	m := b.world.Boot(p)
	p.m = m
	var err error
	out := m.Run(func() {
		e := m.Env("session")
		var reg *tools.Registry
		if reg, err = tools.NewRegistry(b.tools(m)...); err != nil {
			return
		}
		cfg := harness.Config{
			Model: "bench-model", Tools: reg, Env: e,
			Provider: anthropic.New(anthropic.Config{
				BaseURL: "http://127.0.0.1", APIKey: "bench-key-0123456789", BenchHeaders: true,
				HTTP: &http.Client{Transport: b.transport},
			}),
		}
		ctx := context.Background()
		var s *harness.Session
		s, err = harness.Open(ctx, cfg)
		if errors.Is(err, journal.ErrNoSession) {
			s, err = harness.Create(ctx, cfg)
		}
		if err != nil {
			return
		}
		// A crash may have come before the prompt was recorded, in the run, or
		// behind its terminal.
		switch st := s.State(); {
		case st.Run == 0:
			res, err = s.Run(ctx, prompt)
		case st.Live():
			res, err = s.Resume(ctx, "")
		default:
			res = harness.Result{Reason: st.Ended, Text: st.Text}
		}
		err = errors.Join(err, s.Close())
	})
	if err != nil && !out.Crashed || out.Panic != "" || out.Deadlock != "" {
		b.t.Fatalf("%v %s %s", err, out.Panic, out.Deadlock)
	}
	return res, out.Crashed
}

// tools are those that the scenarios of testdata have, as the engine
// advertises them: the cassettes hold requests with these words.
func (b *bench) tools(m *sim.Machine) []tools.Tool {
	appendLine := func(_ context.Context, c tools.Call) (tools.Output, error) {
		var in struct{ File, Line string }
		if err := json.Unmarshal(c.Input, &in); err != nil {
			return tools.Output{}, err
		}
		f, err := m.Env("work").FS.Append(in.File)
		if err != nil {
			return tools.Output{}, err
		}
		_, err = io.WriteString(f, in.Line+"\n")
		return tools.Output{Text: "appended a line to " + in.File}, errors.Join(err, f.Sync(), f.Close())
	}
	look := func(ctx context.Context, c tools.Call) (tools.Output, error) {
		d := time.Second
		if c.ProviderID == "toolu_a" {
			d = 2 * time.Second
		}
		return tools.Output{Text: "look: ok"}, c.Env.Clock.Sleep(ctx, d)
	}
	none := func(context.Context, tools.Call) (tools.Output, error) { return tools.Output{Text: "1"}, nil }
	list := []tools.Tool{
		{Name: "append", Description: "Append a line to a file of the workspace.", Run: appendLine,
			Schema: `{"type":"object","properties":{"file":{"type":"string","minLength":1},"line":{"type":"string"}},"required":["file","line"],"additionalProperties":false}`},
		{Name: "counter", Description: "Count the calls of this tool.", Run: none,
			Schema: `{"type":"object","additionalProperties":false}`},
	}
	if b.look {
		list = append(list, tools.Tool{
			Name: "look", Description: "A tool declared by the scenario.", Run: look, ReadOnly: true,
			Schema: `{"type":"object"}`,
		})
	}
	return list
}

// unknown reports whether the model is told of a call that its outcome is
// unknown. One that began early in an answer that died is in no request.
func (b *bench) unknown() bool {
	b.t.Helper()
	f, err := b.world.Boot(nil).Env("session").FS.Open(journal.TranscriptFile)
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	var recs []journal.Record
	for r, err := range journal.Records(f) {
		if err != nil {
			b.t.Fatal(err)
		}
		recs = append(recs, r)
	}
	h := harness.Fold(recs).History()
	for i := range h.Len() {
		if h.At(i).State == journal.Unknown {
			return true
		}
	}
	return false
}
