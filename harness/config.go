package harness

import (
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/internal/seam"
	"github.com/harnessbench/bench/providers"
)

// Config is everything a session needs. Provider and Env are required.
type Config struct {
	Model    string // the model's name, sent as it is
	System   string // system prompt; "" sends none
	Provider providers.Provider
	Tools    *tools.Registry // nil: no tools
	Env      env.Env
	Limits   Limits // zero fields take the defaults of DefaultLimits
	// Fallback is the model that takes over for the rest of a run after three
	// overloads in a row (D8); "" for none.
	Fallback string
	// Policy decides which calls may run (C9), and Approver is asked where it
	// says so; without an Approver every question is a denial. A nil Policy
	// allows everything and records nothing.
	Policy   *tools.Policy
	Approver tools.Approver
	// Hooks are asked in order, at the end of an answer or behind its tools (D10, G8).
	Hooks []Hook
	// Gate turns the completion gate on: an answer that ends a run must show
	// what the user asked for (G1).
	Gate bool
	// Goal is judged by a model of its own lane before a run may end; "" for
	// none (G5).
	Goal string
	// Whole asks for whole JSON answers instead of streams.
	Whole bool
	// NoEarly keeps calls without effects from starting while the answer still
	// streams (B4).
	NoEarly bool
	// NoSpill cuts large results instead of keeping them in files (F).
	NoSpill bool
	// Dump writes the exact messages of each main request to dump/ATTEMPT.json
	// in the session's folder (O3).
	Dump bool
	// Subscriber is shown every record once it is durable, and previews of
	// text that is not. nil shows nothing.
	Subscriber Subscriber
	// Seam lets a mutant of this module swap parts; leave it empty.
	Seam seam.Slot
}

// Event is what a subscriber is shown: a record that is durable (Record), or a
// preview of text that is not recorded yet (Attempt, Text). A preview is
// settled by the assistant or discarded record of its attempt, or by the
// resume record that names the attempt.
type Event struct {
	Record  *journal.Record // not to be modified; nil for a preview
	Line    string          // sha256 of the record's transcript line, newline included, in hex
	Attempt string
	Text    string
}

// Subscriber is shown events, in order, by the loop's own task. An error
// detaches it; the run goes on.
type Subscriber interface {
	Publish(Event) error
}
