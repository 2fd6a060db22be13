package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/sim"
)

// BenchmarkValidate compares the whole check with one encoding/json decode of
// the same bytes into a map, which checks nothing.
func BenchmarkValidate(b *testing.B) {
	r := registry(b, tools.Tool{Name: "work", Schema: schemaOfT, Run: nothing})
	for _, size := range []int{20, 100_000} {
		input := []byte(`{"path":"` + strings.Repeat("p", size) + `","count":3,"mode":"fast","items":[{"text":"x"}]}`)
		b.Run(fmt.Sprintf("%dB", len(input)), func(b *testing.B) {
			b.SetBytes(int64(len(input)))
			b.ReportAllocs()
			for b.Loop() {
				if no := r.Validate("work", input); no != nil {
					b.Fatal(no)
				}
			}
		})
		b.Run(fmt.Sprintf("%dB/decode-only", len(input)), func(b *testing.B) {
			b.SetBytes(int64(len(input)))
			b.ReportAllocs()
			for b.Loop() {
				var v map[string]any
				if err := json.Unmarshal(input, &v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("refused", func(b *testing.B) {
		for b.Loop() {
			r.Validate("work", []byte(`{"count":true,"zz":1}`))
		}
	})
	b.Run("unknown", func(b *testing.B) {
		for b.Loop() {
			r.Validate("wrok", []byte(`{}`))
		}
	})
}

// BenchmarkExecute is the overhead of one call of a tool that does nothing.
func BenchmarkExecute(b *testing.B) {
	tool := &tools.Tool{Name: "null", Run: nothing}
	c := tools.Call{ID: "c1", Name: "null", Input: []byte("{}")}
	b.Run("real", func(b *testing.B) {
		e := env.Env{Clock: env.RealClock(), Probe: env.NoProbe{}}
		b.ReportAllocs()
		for b.Loop() {
			tools.Execute(context.Background(), e, tool, c, tools.Options{})
		}
	})
	b.Run("sim", func(b *testing.B) {
		m := sim.NewWorld(1).Boot(nil)
		m.Run(func() {
			e := m.Env("session")
			b.ReportAllocs()
			for b.Loop() {
				tools.Execute(context.Background(), e, tool, c, tools.Options{})
			}
		})
	})
}

// BenchmarkRunBatch is the overhead per call of a batch of eight.
func BenchmarkRunBatch(b *testing.B) {
	var runs []run
	for range 8 {
		runs = append(runs, nothing)
	}
	js := jobs(runs...)
	bench := func(b *testing.B, e env.Env, limit int) {
		batch := tools.Batch{Limit: limit, Done: func(int, tools.Outcome) error { return nil }}
		n := 0
		for b.Loop() {
			tools.RunBatch(context.Background(), e, js, batch)
			n += len(js)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/call")
	}
	for _, limit := range []int{1, 4} {
		b.Run(fmt.Sprintf("real/%d", limit), func(b *testing.B) {
			bench(b, env.Env{Clock: env.RealClock(), Probe: env.NoProbe{}}, limit)
		})
		b.Run(fmt.Sprintf("sim/%d", limit), func(b *testing.B) {
			m := sim.NewWorld(1).Boot(nil)
			m.Run(func() { bench(b, m.Env("session"), limit) })
		})
	}
}

// BenchmarkCut cuts one line of 10 MB.
func BenchmarkCut(b *testing.B) {
	out := tools.Output{Text: strings.Repeat("x", 10<<20)}
	tool := &tools.Tool{Name: "big", Run: func(context.Context, tools.Call) (tools.Output, error) { return out, nil }}
	e := env.Env{Clock: env.RealClock(), Probe: env.NoProbe{}}
	b.SetBytes(10 << 20)
	for b.Loop() {
		tools.Execute(context.Background(), e, tool, tools.Call{ID: "c1"}, tools.Options{})
	}
}
