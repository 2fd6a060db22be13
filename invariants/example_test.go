package invariants_test

import (
	"fmt"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/invariants"
)

// A foreign agent leaves a wire log and an effect ledger. Its one tool ran
// twice for a call that the model made once.
func ExampleCheck() {
	c := evidence.NewCollector()
	x := c.Exchange(evidence.Exchange{
		Life: 1, Lane: "main", Path: "/v1/messages",
		Body: []byte(`{"model":"m","max_tokens":100,"messages":[{"role":"user","content":"append hello"}]}`),
	})
	x.Answer(200, nil)
	x.Deliver([]byte(`{"id":"m1","type":"message","role":"assistant","model":"m","stop_reason":"tool_use",` +
		`"content":[{"type":"tool_use","id":"t1","name":"append","input":{"line":"hello"}}],"usage":{"input_tokens":1,"output_tokens":1}}`))
	x.End("eof", "")
	ev := c.Evidence()
	ev.Load(nil, nil, []byte(`{"tool":"append","call":"","id":"t1","life":1}`+"\n"+`{"tool":"append","call":"","id":"t1","life":2}`+"\n"))
	ev.Missing = []evidence.Kind{evidence.KindTranscript, evidence.KindAudit, evidence.KindShown, evidence.KindTrace, evidence.KindLives}

	findings, applied, notApplicable := invariants.Check(ev, invariants.Options{})
	for _, f := range findings {
		fmt.Println(f)
	}
	fmt.Println(len(applied), "rules applied; for example", notApplicable[0])
	// Output:
	// resume/effect-once: append had effect 2 for call t1, which the answers hold 1 times
	//   at effects.jsonl:2
	//       append "" (t1), life 1
	//     > append "" (t1), life 2
	// 9 rules applied; for example stop/blocks-decide: not applicable: there is no transcript here
}

func ExampleLookup() {
	r, _ := invariants.Lookup("ladder/no-rerun")
	fmt.Println(r.Strength)
	fmt.Println(r.Example)
	// Output:
	// ours
	// The result of a call cannot be recorded: the loop runs the tool once more, to have a result.
}

func ExampleCompare() {
	a := &evidence.Evidence{Trace: []evidence.Step{{Seq: 1, Life: 1, Kind: evidence.StepToolStart, Call: "c1"}}}
	b := &evidence.Evidence{Trace: []evidence.Step{{Seq: 1, Life: 1, Kind: evidence.StepToolStart, Call: "c2"}}}
	for _, f := range invariants.Compare(a, b) {
		fmt.Println(f)
	}
	// Output:
	// run/deterministic: two runs with the same seed differ, first in step 1 of trace.jsonl
	//   at trace.jsonl:1
	//     first:  life 1  0s  tool.start c1
	//     second: life 1  0s  tool.start c2
}
