package tools_test

import (
	"context"
	"fmt"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/tools"
)

var greet = tools.Tool{
	Name:        "greet",
	Description: "Greets somebody.",
	Schema:      `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}`,
	ReadOnly:    true,
	Run: func(ctx context.Context, c tools.Call) (tools.Output, error) {
		return tools.Output{Text: "hello, " + string(c.Input)}, nil
	},
}

func ExampleRegistry_Validate() {
	reg, err := tools.NewRegistry(greet)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range [][2]string{
		{"greet", `{"name":"Ada"}`},
		{"greet", `{"nmae":"Ada"}`},
		{"greet", `{"name":"Ad`},
		{"Greeter", `{}`},
	} {
		if no := reg.Validate(c[0], []byte(c[1])); no != nil {
			fmt.Printf("%s: %s\n", no.Code, no.Sentence)
		} else {
			fmt.Println("admitted")
		}
	}
	// Output:
	// admitted
	// invalid_arguments: The input of greet does not fit its schema: name is missing; nmae is not allowed (did you mean name?). Send one JSON object with name (string, required).
	// invalid_arguments: The input of greet is not complete JSON: it ends after 11 bytes in the middle of a value. Send one JSON object with name (string, required).
	// unknown_tool: There is no tool "Greeter". Did you mean greet? The tools are: greet.
}

func ExampleExecute() {
	machine := env.Env{Clock: env.RealClock(), Probe: env.NoProbe{}}
	out := tools.Execute(context.Background(), machine, &greet,
		tools.Call{ID: "c1", Name: "greet", Input: []byte(`{"name":"Ada"}`)}, tools.Options{})
	fmt.Println(out.State, out.IsError, out.Text)
	// Output: done false hello, {"name":"Ada"}
}

func ExampleRunBatch() {
	machine := env.Env{Clock: env.RealClock(), Probe: env.NoProbe{}}
	turn := []tools.Call{{ID: "c1", Input: []byte("1")}, {ID: "c2", Input: []byte("2")}, {ID: "c3", Input: []byte("3")}}
	results := make([]string, len(turn)) // in call order, whoever is first
	for _, batch := range tools.Batches(len(turn), func(i int) bool { return greet.ReadOnly }) {
		var jobs []tools.Job
		for _, i := range batch {
			jobs = append(jobs, tools.Job{Tool: &greet, Call: turn[i]})
		}
		_, err := tools.RunBatch(context.Background(), machine, jobs, tools.Batch{
			Start: func(i int) error { return nil }, // record that it starts
			Done: func(i int, o tools.Outcome) error { // record what became of it
				results[batch[i]] = o.Text
				return nil
			},
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(results)
	// Output: [hello, 1 hello, 2 hello, 3]
}

// Two calls begin while the answer that asks for them still streams; once it is
// whole the batch takes them over.
func ExampleFlight() {
	machine := env.Env{Clock: env.RealClock(), Probe: env.NoProbe{}}
	ctx := context.Background()
	jobs := []tools.Job{
		{Tool: &greet, Call: tools.Call{ID: "c1", Input: []byte("1")}},
		{Tool: &greet, Call: tools.Call{ID: "c2", Input: []byte("2")}},
		{Tool: &greet, Call: tools.Call{ID: "c3", Input: []byte("3")}},
	}
	flight := tools.NewFlight(ctx, machine, tools.Options{}, 4)
	defer flight.Stop(nil)
	for i := range 2 {
		flight.Launch(i, jobs[i])
	}
	results := make([]string, len(jobs))
	_, err := tools.RunBatch(ctx, machine, jobs, tools.Batch{
		Flight:   flight,
		Launched: func(i int) bool { return i < 2 },
		Start:    func(i int) error { fmt.Println("started by the batch:", jobs[i].Call.ID); return nil },
		Done:     func(i int, o tools.Outcome) error { results[i] = o.Text; return nil },
	})
	fmt.Println(results, err)
	// Output:
	// started by the batch: c3
	// [hello, 1 hello, 2 hello, 3] <nil>
}

func ExamplePolicy_Decide() {
	policy := tools.WorkspacePolicy()
	for _, c := range []tools.Call{
		{Name: "read_file", Input: []byte(`{"path":"go.mod"}`)},
		{Name: "bash", Input: []byte(`{"command":"make test"}`)},
		{Name: "bash", Input: []byte(`{"command":"make test && env rm -rf ~"}`)},
		{Name: "launch_missiles", Input: []byte(`{}`)},
	} {
		d := policy.Decide(c)
		fmt.Println(d.Action, d.Rule)
	}
	// Output:
	// allow path.read_allow
	// ask bash.requires_approval
	// deny bash.hard_deny
	// deny default.deny
}
