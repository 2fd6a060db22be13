// Package gate decides whether an answer may end a run: from what the user
// asked for, what was run since, and what is left on the todo list; and, where
// a goal is set, from what a judge says. Everything here is a pure function.
//
// The completion gate (G1-G3) asks three questions:
//
//	required := gate.Required(prompt) // what did the user ask to be checked?
//	steps := []gate.Step{             // what ran, in order?
//		{Turn: 1, Tool: "write_file", Changes: true, OK: true, Known: true},
//		{Turn: 2, Tool: "bash", Shell: true, Command: "go test ./...", OK: true, Known: true},
//	}
//	v := gate.Judge(required, steps, todos) // does it show that?
//
// Only a command is evidence, and only one whose exit status is the checker's
// own: Proves reads it with a small splitter of shell commands. What the
// splitter does not understand proves nothing and may change anything. That is
// the safe side of every decision here: to ask for one run too many costs a
// turn, to believe one too many is a false success.
//
// What a command proves is that the checker ran and ended well. What the tests
// are is not the gate's: a project whose test script is `true` passes.
//
// The goal judge (G5, G6) is a model without tools. The package writes what it
// is asked and reads what it answers, strictly: whatever is not exactly the
// asked object is an error, and an error is never a success.
package gate
