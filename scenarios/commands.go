package scenarios

import (
	"slices"

	"github.com/rogpeppe/go-internal/testscript"
)

// command is one command of the language, or one of testscript's own.
type command struct {
	name     string
	usage    string
	min, max int    // number of arguments; max -1: any
	neg      bool   // may stand behind !
	needsRun bool   // looks at what a run left
	moves    bool   // the world is another one behind it: an operation of the engine
	later    bool   // its part is not built yet
	refused  string // why testscript's own command of that name is not for scenarios
	check    func(c *checker, neg bool, args []string)
	run      func(e *engine, ts *testscript.TestScript, neg bool, args []string) // nil: testscript's own, nothing to do, or an operation with nothing to hold against it
}

// commands is the whole language; doc.go is its reference.
var commands = []command{
	// What unfolds the file into variants is read before anything runs.
	{name: "case", usage: "case NAME [VAR=VALUE]...", max: -1, run: nothing},
	{name: "each", usage: "each VAR VALUE...|A..B", max: -1, run: nothing},
	{name: "protocol", usage: "protocol NAME...|all", max: -1, run: nothing},
	{name: "realkill", usage: "realkill [CASE]...", max: -1, run: nothing},

	// What sets the stage.
	{name: "provider", usage: "provider FILE", min: 1, max: 1, check: (*checker).checkProvider, moves: true},
	{name: "replay", usage: "replay CASSETTE [match=order|content]", min: 1, max: 2, check: (*checker).checkReplay, moves: true},
	{name: "config", usage: "config KEY=VALUE...", min: 1, max: -1, check: (*checker).checkConfig, moves: true},
	{name: "tool", usage: "tool NAME read|write [ID:]BEHAVIOUR..., or tool todo|tasks|compact", min: 1, max: -1, check: (*checker).checkTool, moves: true},
	{name: "permit", usage: "permit TOOL=DECISION...", min: 1, max: -1, check: (*checker).checkPermit, moves: true},
	{name: "hook", usage: "hook stop|tool OUTCOME...", min: 2, max: -1, check: (*checker).checkHook, moves: true},
	{name: "session", usage: "session NAME", min: 1, max: 1, check: (*checker).checkSession, moves: true},
	{name: "history", usage: "history FILE", min: 1, max: 1, check: (*checker).checkHistory, moves: true},
	{name: "damage", usage: "damage FILE line=N nul|drop, line=N from=T to=T, cut=N or append=T", min: 2, max: 4, needsRun: true, check: (*checker).checkDamage, moves: true},
	{name: "fault", usage: "fault NAME [KEY=VALUE]... [nth=N|first=N|every] [lane=L]", min: 1, max: -1, check: (*checker).checkFault, moves: true},
	{name: "at", usage: "at POINT [WHAT] [N] ACTION [bytes=N] [after=D]", min: 2, max: -1, check: (*checker).checkAt, moves: true},

	// What makes the loop move.
	{name: "run", usage: "run PROMPT", min: 1, max: 1, neg: true, check: (*checker).checkRun, moves: true, run: (*engine).cmdRun},
	{name: "resume", usage: "resume [PROMPT]", max: 1, neg: true, needsRun: true, check: (*checker).checkResume, moves: true, run: (*engine).cmdResume},
	{name: "compact", usage: "compact", max: 0, check: (*checker).checkCompact, moves: true},

	// What is expected of it.
	{name: "terminal", usage: "terminal REASON [DETAIL]", min: 1, max: 2, needsRun: true, check: (*checker).checkTerminal, run: (*engine).cmdTerminal},
	{name: "effects", usage: "effects TOOL=N|A..B...|none", min: 1, max: -1, check: (*checker).checkEffects, run: (*engine).cmdEffects},
	{name: "requests", usage: "requests N | LANE=N...", min: 1, max: -1, check: (*checker).checkRequests, run: (*engine).cmdRequests},
	{name: "calls", usage: "calls ID=STATE...", min: 1, max: -1, needsRun: true, check: (*checker).checkCalls, run: (*engine).cmdCalls},
	{name: "events", usage: "events SOURCE PATTERN...", min: 1, max: -1, neg: true, check: (*checker).checkEvents, run: (*engine).cmdEvents},
	{name: "transitions", usage: "transitions PATTERN...|none", min: 1, max: -1, needsRun: true, check: (*checker).checkTransitions, run: (*engine).cmdTransitions},
	{name: "waits", usage: "waits D|A..B...|none", min: 1, max: -1, needsRun: true, check: (*checker).checkWaits, run: (*engine).cmdWaits},
	{name: "clock", usage: "clock A..B", min: 1, max: 1, check: (*checker).checkClock, run: (*engine).cmdClock},
	{name: "spent", usage: "spent in=N out=N", min: 1, max: 2, needsRun: true, check: (*checker).checkSpent, run: (*engine).cmdSpent},
	{name: "finding", usage: "finding RULE RE", min: 2, max: 2, check: (*checker).checkFinding, run: (*engine).cmdFinding},
	{name: "transcript", usage: "transcript", max: 0, needsRun: true, run: (*engine).cmdTranscript},

	// What later parts bring.
	{name: "record", later: true},
	{name: "agent", later: true},

	// testscript's own, kept inside the work directory.
	{name: "cd", usage: "cd DIR", min: 1, max: 1, check: (*checker).checkCd},
	{name: "chmod", usage: "chmod PERM PATH...", min: 2, max: -1, check: (*checker).checkChmod},
	{name: "cmp", usage: "cmp FILE1 FILE2", min: 2, max: 2, neg: true, check: (*checker).checkCmp},
	{name: "cmpenv", usage: "cmpenv FILE1 FILE2", min: 2, max: 2, neg: true, check: (*checker).checkCmp},
	{name: "cp", usage: "cp SRC... DST", min: 2, max: -1, check: (*checker).checkCopy},
	{name: "env", usage: "env VAR=VALUE...", min: 1, max: -1, check: (*checker).checkEnv},
	{name: "exec", usage: "exec PROGRAM [ARG]...", min: 1, max: -1, neg: true, check: (*checker).checkExec},
	{name: "exists", usage: "exists [-readonly] FILE...", min: 1, max: -1, neg: true, check: (*checker).checkExists},
	{name: "grep", usage: "grep [-count=N] PATTERN FILE", min: 2, max: 3, neg: true, check: (*checker).checkGrep},
	{name: "mkdir", usage: "mkdir PATH...", min: 1, max: -1, check: (*checker).checkPaths},
	{name: "mv", usage: "mv OLD NEW", min: 2, max: 2, check: (*checker).checkCopy},
	{name: "rm", usage: "rm FILE...", min: 1, max: -1, check: (*checker).checkPaths},
	{name: "stderr", usage: "stderr [-count=N] PATTERN", min: 1, max: 2, neg: true, check: (*checker).checkMatch},
	{name: "stdin", usage: "stdin FILE", min: 1, max: 1, check: (*checker).checkStdin},
	{name: "stdout", usage: "stdout [-count=N] PATTERN", min: 1, max: 2, neg: true, check: (*checker).checkMatch},
	{name: "symlink", usage: "symlink FILE -> TARGET", min: 3, max: 3, check: (*checker).checkSymlink},
	{name: "unix2dos", usage: "unix2dos FILE...", min: 1, max: -1, check: (*checker).checkPaths},
	{name: "unquote", usage: "unquote FILE...", min: 1, max: -1, check: (*checker).checkPaths},

	// testscript's own that would win over ours, or end a scenario in silence.
	{name: "kill", refused: "kill is not a command: arm it before the run, with at POINT kill"},
	{name: "wait", refused: "wait is not a command: there is nothing in the background; waits D... looks at the loop's backoff"},
	{name: "stop", refused: "stop would end the scenario as passed: remove it, or guard the lines after it with a case"},
	{name: "skip", refused: "skip would hide the scenario: guard its lines with a case or a condition such as [linux]"},
	{name: "ttyin", refused: "ttyin is not for scenarios: the loop has no terminal"},
	{name: "ttyout", refused: "ttyout is not for scenarios: the loop has no terminal"},
}

func nothing(*engine, *testscript.TestScript, bool, []string) {}

func commandNamed(name string) *command {
	i := slices.IndexFunc(commands, func(c command) bool { return c.name == name })
	if i < 0 {
		return nil
	}
	return &commands[i]
}

// commandNames lists what may be written, for suggestions.
func commandNames() []string {
	var names []string
	for i := range commands {
		if commands[i].refused == "" && !commands[i].later {
			names = append(names, commands[i].name)
		}
	}
	return names
}

func negatable() []string {
	var names []string
	for i := range commands {
		if commands[i].neg {
			names = append(names, commands[i].name)
		}
	}
	return names
}
