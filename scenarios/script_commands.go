package scenarios

import (
	"fmt"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/harnessbench/bench/evidence"
)

// scriptCommands are the commands of ours, as testscript wants them.
var scriptCommands = func() map[string]func(*testscript.TestScript, bool, []string) {
	m := map[string]func(*testscript.TestScript, bool, []string){}
	for i := range commands {
		name, run := commands[i].name, commands[i].run
		if run == nil && commands[i].moves {
			run = obeys(name)
		}
		if run != nil {
			m[name] = func(ts *testscript.TestScript, neg bool, args []string) {
				e := hostOf(ts).e
				if e.guest != nil && (blind[name] || name == "events" && args[0] != "wire" && args[0] != "effects") {
					ts.Logf("not applicable to a foreign agent")
					return
				}
				run(e, ts, neg, args)
			}
		}
	}
	return m
}()

// obeys is a command that changes the world and has nothing to hold against it.
func obeys(name string) func(*engine, *testscript.TestScript, bool, []string) {
	return func(e *engine, ts *testscript.TestScript, _ bool, args []string) {
		e.obeyIn(ts, op{Name: name, Args: args})
	}
}

func (e *engine) cmdRun(ts *testscript.TestScript, neg bool, args []string) {
	e.refusal(ts, "run", neg, args)
}

func (e *engine) cmdResume(ts *testscript.TestScript, neg bool, args []string) {
	e.refusal(ts, "resume", neg, args)
}

// refusal runs or resumes, and holds what came of it against the `!`.
func (e *engine) refusal(ts *testscript.TestScript, name string, neg bool, args []string) {
	s := e.cur
	before := len(s.log.Evidence().Runs)
	out := e.obeyIn(ts, op{Name: name, Neg: neg, Args: args})
	switch {
	case neg && !out.refused:
		reason, _ := s.terminal(e)
		ts.Fatalf("! %s: it was to be refused, and it ran (terminal %s)", name, reason)
	case !neg && out.refused:
		ts.Fatalf("%s was refused: %s", name, lastErr(s, before))
	}
}

func lastErr(s *session, before int) string {
	if runs := s.log.Evidence().Runs; len(runs) > before {
		return runs[len(runs)-1].Err
	}
	return "no reason was given"
}

// hold fails the script with what an expectation has to say.
func (e *engine) hold(ts *testscript.TestScript, err error) {
	if err != nil {
		ts.Fatalf("%v", err)
	}
}

func (e *engine) cmdTerminal(ts *testscript.TestScript, _ bool, args []string) {
	e.hold(ts, e.expectTerminal(args))
}
func (e *engine) cmdEffects(ts *testscript.TestScript, _ bool, args []string) {
	e.hold(ts, e.expectEffects(args))
}
func (e *engine) cmdRequests(ts *testscript.TestScript, _ bool, args []string) {
	e.hold(ts, e.expectRequests(args))
}
func (e *engine) cmdCalls(ts *testscript.TestScript, _ bool, args []string) {
	e.hold(ts, e.expectCalls(args))
}
func (e *engine) cmdEvents(ts *testscript.TestScript, neg bool, args []string) {
	e.hold(ts, e.expectEvents(neg, args))
}
func (e *engine) cmdTransitions(ts *testscript.TestScript, _ bool, args []string) {
	e.hold(ts, e.expectTransitions(args))
}
func (e *engine) cmdWaits(ts *testscript.TestScript, _ bool, args []string) {
	e.hold(ts, e.expectWaits(args))
}
func (e *engine) cmdClock(ts *testscript.TestScript, _ bool, args []string) {
	e.hold(ts, e.expectClock(args))
}
func (e *engine) cmdSpent(ts *testscript.TestScript, _ bool, args []string) {
	e.hold(ts, e.expectSpent(args))
}

func (e *engine) cmdFinding(ts *testscript.TestScript, _ bool, args []string) {
	e.hold(ts, e.expectFinding(hostOf(ts).line("finding"), args))
}

func (e *engine) cmdTranscript(ts *testscript.TestScript, _ bool, _ []string) {
	fmt.Fprint(ts.Stdout(), string(evidence.Normalise(e.cur.bytes(e.world, "transcript"))))
}
