package harness_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers/anthropic"
	"github.com/harnessbench/bench/providers/fake"
)

// One run of the loop, against a provider that plays a script, on the real disk.
func Example() {
	script, err := fake.Parse("replies.script", []byte(`
reply
    call t1 greet {"name":"Ada"}
reply
    expect results == t1
    text "She says hello."
`), fake.ParseOptions{})
	if err != nil {
		log.Fatal(err)
	}
	greet := tools.Tool{
		Name:        "greet",
		Description: "Greets a person.",
		Schema:      `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}`,
		ReadOnly:    true,
		Run: func(ctx context.Context, c tools.Call) (tools.Output, error) {
			return tools.Output{Text: "hello"}, nil
		},
	}
	reg, err := tools.NewRegistry(greet)
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "session")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	machine, err := env.Real(dir)
	if err != nil {
		log.Fatal(err)
	}
	provider := fake.NewServer(script, fake.Options{Clock: machine.Clock})
	s, err := harness.Create(context.Background(), harness.Config{
		Model: "some-model",
		Tools: reg,
		Env:   machine,
		Provider: anthropic.New(anthropic.Config{
			BaseURL: "http://provider.invalid",
			HTTP:    &http.Client{Transport: provider.Transport()},
		}),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	res, err := s.Run(context.Background(), "greet Ada")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Reason, res.Turns, res.Calls)
	fmt.Println(res.Text)
	// Output:
	// completed 2 1
	// She says hello.
}

// Decide is pure: content decides, the stop reason only explains.
func ExampleDecide() {
	turn := &harness.Turn{
		Stop: "end_turn", HasStop: true, Ending: harness.Complete,
		Calls: []harness.Call{{ID: "t1", Name: "greet", Input: `{"name":"Ada"}`}},
	}
	d := harness.Decide(harness.State{Run: 1}, turn, harness.DefaultLimits())
	fmt.Println(d.Go, d.Calls)
	// Output: next_turn true
}
