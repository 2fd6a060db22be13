// Package tools holds what a model may call: a registry of tools, the check of
// a call's input before anything runs, the execution of one call or of a batch,
// and the built-in tools of a real agent.
//
// A registry is made once and is the only source of what is advertised and of
// what can run:
//
//	reg, err := tools.NewRegistry(tools.Builtin(workspace)...)
//	request.Tools = reg.Advertise()
//
// A call is checked before it runs. A Refusal is data for the model: a code and
// a sentence that helps it to do better, never a stack trace:
//
//	if no := reg.Validate(call.Name, input); no != nil {
//		return no.Sentence // e.g. There is no tool "read". Did you mean read_file? ...
//	}
//
// What was admitted is executed, alone or with its neighbours:
//
//	t, _ := reg.Lookup(call.Name)
//	out := tools.Execute(ctx, machine, t, tools.Call{ID: "c1", Name: t.Name, Input: input}, tools.Options{})
//
//	for _, batch := range tools.Batches(len(calls), func(i int) bool { return calls[i].readOnly }) {
//		stopper, err := tools.RunBatch(ctx, machine, jobs(batch), tools.Batch{Start: record, Done: settle})
//	}
//
// Whatever the tool does, returning, failing, panicking, hanging, ignoring that
// it was told to stop, Execute comes back with exactly one Outcome, and
// Outcome.IsError holds exactly when the call is not done.
//
// Calls may begin while the answer still streams, in a Flight that the batch
// takes over. Whether a call may run is a Policy's to say, an Approver's where
// the policy asks, and a Breaker's where its tool keeps failing:
//
//	d := policy.Decide(call)
//	if d.Action == tools.AskFirst {
//		d = policy.Settle(call, d.Rule, tools.AskFor(ctx, machine, approver, tools.Ask{Call: call, Rule: d.Rule}, 0, 0))
//	}
//
// A result that is too long for the conversation is kept in a file by Keep and
// read piece by piece with the tool read_result. Deferred tools are not
// advertised until the tool tool_search has found them. EnvelopeOf writes an
// outcome in the form in which others exchange them.
//
// Nothing here records or publishes: that is the loop's. Tasks, timers and
// waits go through env.Clock, so the package runs unchanged on a simulated
// machine.
package tools

import (
	"context"
	"time"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// Tool is something a model may call.
type Tool struct {
	Name        string // ^[a-zA-Z0-9_-]{1,64}$
	Description string
	// Schema is the JSON Schema (draft 2020-12) of the input, as JSON text:
	// an object whose "type" is "object".
	Schema string
	// ReadOnly says that a call has no effects: it may run beside others of its
	// kind. Everything else runs alone (C6).
	ReadOnly bool
	// Idempotent says that a call whose outcome a crash left unknown may simply
	// be run again.
	Idempotent bool
	// Deferred keeps the tool out of a request until tool_search, or whoever
	// runs the loop, has revealed it (C12).
	Deferred bool
	// Background says that the loop does not wait for a call: the model gets a
	// placeholder at once, and a note when the call ends (C14).
	Background bool
	// Shell says that a call runs a command line: it may change anything, and
	// what it ran is evidence of what was checked.
	Shell bool
	// StopsSiblings says that the failure of a call stops the other calls of
	// its answer: what follows a failed command was most likely meant for
	// when it succeeds (C7).
	StopsSiblings bool
	// Aside says that the effects of a call are the session's own (a list of
	// todos, task files): they change nothing that a check looks at.
	Aside bool
	// Compacts says that a call asks for the conversation to be compacted
	// before the next request.
	Compacts bool
	// Timeout bounds one call; 0 takes Options.Timeout, a negative one sets none.
	Timeout time.Duration
	// Deaf declares that the tool ignores being told to stop. It changes
	// nothing here; whoever judges a run expects it to be left behind.
	Deaf bool
	// Run does the work, in a task of its own. It must return soon after ctx
	// ends, with what it has so far and an error. Its input was validated. Run
	// waits only through Call.Env.Clock.
	Run func(ctx context.Context, c Call) (Output, error)
}

// Call is one call as its tool sees it.
type Call struct {
	ID         string // ours, unique over the session
	ProviderID string // the provider's: data, never a name of anything
	Name       string
	Input      []byte  // one JSON object, as the model wrote it
	Env        env.Env // set by Execute
	Limit      int     // set by Execute: how many bytes of output will be kept
}

// Output is what a tool returns. With a nil error and IsError false the call is
// done; anything else is the tool's own failure.
type Output struct {
	Text string
	// A tool that produces more than Call.Limit may leave out the middle
	// itself: Text is then the beginning, Tail the end, and Cut the number of
	// bytes between them.
	Tail string
	Cut  int
	// Images stand behind the text. Those that no provider takes are left out,
	// and the text says so; see images.go.
	Images []providers.ImageData
	// Names are deferred tools that the call made available (C12).
	Names   []string
	IsError bool
	Code    string // with IsError or an error: the kind of failure; see the Code constants
}

// Error is a tool's failure with a code: a sentence for the model that says
// what is wrong and what would be right.
type Error struct {
	Code string
	Text string
}

func (e *Error) Error() string { return e.Text }

// Codes of refusals and failures. Tools may use others.
const (
	CodeUnknownTool = "unknown_tool"      // Validate: no such tool
	CodeInvalid     = "invalid_arguments" // Validate: the input is not what the tool takes
	CodeDeferred    = "tool_deferred"     // the tool is there, and was not revealed to the model
	CodePermission  = "permission_denied" // no rule permits the call, or its approval was not given
	CodeCircuit     = "circuit_open"      // the tool failed too often; see Breaker
	CodeExecution   = "execution_error"   // the tool failed and named no code
	CodeInternal    = "internal_error"    // the tool panicked
	CodeTimeout     = "timeout"           // stopped at its time limit
	CodeAborted     = "aborted"           // stopped, or never started, because the run was aborted
	CodeSibling     = "sibling_failed"    // stopped, or never started, because another call of the answer failed
	CodeLeft        = "left_running"      // told to stop and did not
)

// Outcome is what became of one call.
type Outcome struct {
	Text    string // for the model; never empty
	Code    string // why it is an error; "" when done
	State   journal.State
	IsError bool // State != journal.Done
	Cut     int  // bytes of output left out of Text
	Left    bool // the tool did not stop: it may still be running
	Images  []providers.ImageData
	Names   []string      // deferred tools that are available from now on
	Elapsed time.Duration // how long the tool ran, or was waited for
	// Stack is a panic's value and stack, for logs; the model never sees it.
	Stack string
	// Fault is a failure of our own part around the tool (the probe failed or
	// panicked). The rest of the outcome is true all the same; the caller ends
	// the run as an internal error.
	Fault error
}

// Defaults of Options and Batch.
const (
	DefaultLimit       = 50_000
	DefaultTimeout     = 120 * time.Second
	DefaultGrace       = 5 * time.Second
	DefaultConcurrency = 4
)

// Options bound one execution. A zero field takes its default.
type Options struct {
	Limit   int           // bytes of output kept; a note names what is left out
	Timeout time.Duration // of a tool that names none
	Grace   time.Duration // how long a stopped tool may take to settle
}

func (o Options) resolve() Options {
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Grace <= 0 {
		o.Grace = DefaultGrace
	}
	return o
}
