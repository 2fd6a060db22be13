package compact

import (
	"fmt"
	"testing"
)

// long is a conversation of n messages under one prompt in twenty.
func long(n int) []Unit {
	units := make([]Unit, 0, n/2)
	seq, calls := int64(1), 0
	for messages := 0; messages < n; {
		u := Unit{Kind: Step, From: seq, To: seq + 6, Bytes: 900}
		if messages%20 == 0 {
			u = Unit{Kind: Prompt, From: seq, To: seq + 1, Bytes: 300}
			messages++
		} else {
			calls++
			r := Result{Call: fmt.Sprintf("c%d", calls), Tool: "read_file", Bytes: 5000, Read: true}
			u.Results, u.Bytes = []Result{r}, u.Bytes+r.Bytes
			messages += 2
		}
		seq = u.To
		units = append(units, u)
	}
	return units
}

// BenchmarkPlan shows that a plan costs the same per message however many there
// are, and next to nothing where nothing is to be done. In "micro" no snip
// makes the conversation short first, so that every result is looked at and
// reduced; "summary" then hides all but the end.
func BenchmarkPlan(b *testing.B) {
	nosnip := Defaults()
	nosnip.SnipOver, nosnip.CompactAt = 0, 1000
	for _, c := range []struct {
		name   string
		tokens int
		l      Limits
	}{{"idle", 0, Defaults()}, {"snip", 1 << 40, Defaults()}, {"micro", 1 << 40, nosnip}} {
		for _, n := range []int{1_000, 10_000, 100_000} {
			units := long(n)
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					edits, _, _, _ := Plan(units, c.tokens, c.l)
					if len(edits) == 0 && c.tokens > 0 {
						b.Fatal("nothing was done")
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/message")
			})
		}
	}
}

// BenchmarkMaterial renders what a summary of n messages is made from.
func BenchmarkMaterial(b *testing.B) {
	text := fmt.Sprintf("%5000s\n", "x")
	for _, n := range []int{1_000, 10_000} {
		parts := make([]Part, n)
		for i := range parts {
			parts[i] = Part{"result of read_file", text}
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if len(Material(parts, 500_000)) == 0 {
					b.Fatal("no material")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/part")
		})
	}
}
