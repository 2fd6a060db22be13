// Package cells is the matrix of answers: every stop reason beside every
// content, with the last block whole or not, the terminal event there or not,
// the stop reason before, between or behind the blocks, in every protocol, with
// the ladder full or spent.
// Each combination is a Cell; what a loop must do with it stands in a table that
// is written by hand (table.go).
//
//	m := cells.Build(nil)             // the protocols that no Expressible was given for are left out
//	for _, c := range m.Cells {
//		os.WriteFile(c.Name()+".txtar", []byte(c.Scenario()), 0o666)
//	}
//
// A cell's scenario runs with `bench run`: its reply script gives the answer
// once, then as many plain good ones as any rung may ask for, and its assertions
// are the two verdicts of the cell's row. Did is what the loop did: which calls
// ran, and the next transition, if there was one. Said is what it reported: how
// the run ended, whether the answer was kept, its text, and the states of the calls.
// Whatever came, the session then takes another prompt.
//
//	bench list cells                  # name, digest of the reply script, both verdicts
//	bench explain cell/NAME           # the scenario, to be saved and run
//
// A combination that is no cell (a call's input cannot be cut where there is no
// call) is an Absent, with the reason: it is counted, never dropped.
//
// The package knows nothing of any loop and imports none: a table that shared
// code with what it judges would agree with its bugs.
package cells
