package evidence_test

import (
	"fmt"

	"github.com/harnessbench/bench/evidence"
)

// A fake provider, a subscriber and the simulated machine report to a
// collector; the files are added when the run is over.
func ExampleCollector() {
	c := evidence.NewCollector()

	x := c.Exchange(evidence.Exchange{Lane: "main", Attempt: "a1", Method: "POST", Path: "/v1/messages", Body: []byte("{...}")})
	x.Answer(200, nil)
	x.Deliver([]byte("event: message_start\n"))
	x.End("reset", "")

	c.Show(evidence.Shown{Life: 1, Kind: "preview", Attempt: "a1", Text: "Hel"})
	c.Life(evidence.Life{N: 1, Outcome: "killed", Point: "stream.event"})

	ev := c.Evidence()
	ev.Load([]byte(`{"seq":1,`), nil, nil) // what the killed process left
	fmt.Println(len(ev.Wire), len(ev.Shown), len(ev.Records))
	fmt.Println(ev.Odd[0].File, "line", ev.Odd[0].Line, ev.Odd[0].Why)
	// Output:
	// 1 1 0
	// transcript.jsonl line 1 it ends without a newline after 9 bytes, so it was never committed
}

// A tool writes its own line into the effect ledger. Behind a line that a kill
// has torn it begins a new one.
func ExampleAppendEffect() {
	ledger := []byte(`{"tool":"append","ca`) // a killed tool left this
	ledger = evidence.AppendEffect(ledger, ledger[len(ledger)-1], evidence.Effect{Tool: "append", Call: "c2", ID: "t2", Life: 2})
	fmt.Printf("%s", ledger)

	effects, odd := evidence.ReadEffects(ledger)
	fmt.Println(len(effects), "effect,", len(odd), "torn line")
	// Output:
	// {"tool":"append","ca
	// {"tool":"append","call":"c2","id":"t2","life":2}
	// 1 effect, 1 torn line
}
