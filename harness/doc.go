// Package harness is the reference agent loop: it asks a model, runs the tools
// that the model calls, recovers from what goes wrong, and stops for exactly
// one typed reason. Everything it does is recorded before it is shown.
//
// A session lives in a folder and outlives processes:
//
//	machine, err := env.Real(dir)
//	s, err := harness.Create(ctx, harness.Config{
//		Model:    "claude-sonnet-4-5",
//		Provider: anthropic.New(anthropic.Config{APIKey: key}),
//		Tools:    registry,
//		Env:      machine,
//	})
//	res, err := s.Run(ctx, "append hello to notes.txt")
//	fmt.Println(res.Reason, res.Text)
//
// After a crash, Open takes the session over, settles what the dead process
// left, and Resume goes on with the run that it cut short:
//
//	s, err := harness.Open(ctx, cfg)
//	res, err := s.Resume(ctx, "")
//
// # How to read it
//
// The loop (loop.go) is a walk over an immutable State. Before each request the
// context pipeline edits what the model is shown (compaction.go over package
// compact). One iteration makes one attempt (attempt.go), whose events are
// folded into one Turn, parsed once (turn.go); calls without effects may begin
// while it still streams (early.go). Decide, a pure function over State and
// Turn, says what happens next (decide.go), by asking the rungs of the recovery
// ladder in order (ladder.go). An answer that would end the run is put to the
// gates first: hooks, the completion gate, the goal judge (gates.go over package
// gate). What is decided is recorded (record.go), and only the records make the
// next State (state.go): folding a transcript gives the live state, at every
// transition. Requests are built from the state's history alone (project.go,
// view.go). Calls are looked through (clear.go: deferred tools, breakers,
// permissions) and run (calls.go, background.go); a large output is kept in a
// file (keep.go). resume.go settles what a crash left open.
//
// # The claim
//
// A result recorded durably is never executed again; an effect dispatched but
// unrecorded at a crash is unknown and reported; no exactly-once is claimed.
package harness
