package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/harnessbench/bench/cassettes"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/internal/near"
)

// The methods here check the arguments of one command each, in the order of
// the command table.

func (c *checker) report(err error) {
	if err != nil {
		c.fail("%v", err)
	}
}

func (c *checker) checkProvider(_ bool, args []string) {
	a := c.archiveFile("provider", args[0])
	if a == nil {
		return
	}
	if c.unsure {
		c.fail("provider cannot stand behind a condition that only the run can answer: use a case")
	}
	c.provider = true
	script, problems := c.parseScript(a)
	c.problems = append(c.problems, problems...)
	if script != nil {
		c.plan.scripts[c.line] = script
		c.scanScript(script)
		c.plan.slowScript(script)
		if c.stage.settled {
			c.sayable(script)
		} else {
			c.stage.scripts = append(c.stage.scripts, script)
		}
	} else {
		c.openIDs = true // nobody knows what it would have called
	}
}

// archiveFile finds the archive file that a command names.
func (c *checker) archiveFile(what, name string) *archived {
	a := c.src.file(name)
	if a == nil {
		if len(c.src.archive) == 0 {
			c.fail("%s %s: the archive has no such file; add it below the script, after a line -- %s --", what, name, name)
		} else {
			c.fail("%s: %s", what, near.Unknown("archive file", name, c.src.fileNames()))
		}
	}
	return a
}

// checkCall checks, once every line was seen, that some script makes the call.
func (c *checker) checkCall(id string) {
	line := c.line
	c.unchecked = append(c.unchecked, func() {
		if c.openIDs || c.replays || slices.Contains(c.callIDs, id) {
			return
		}
		c.line = line
		if len(c.callIDs) == 0 {
			c.fail("no script makes a call %s: there is no call in any", id)
			return
		}
		c.fail("%s", near.Unknown("call", id, unique(c.callIDs)))
	})
}

func unique(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return slices.Compact(s)
}

func (c *checker) checkReplay(_ bool, args []string) {
	c.provider, c.replays, c.recorded = true, true, c.line
	c.report(checkReplayArgs(args))
	file, err := c.src.findCassette(args[0])
	if err == nil {
		_, err = cassettes.Open(file)
	}
	c.report(err)
}

func checkReplayArgs(args []string) error {
	if len(args) < 2 {
		return nil
	}
	if args[1] != "match=order" && args[1] != "match=content" {
		return fmt.Errorf("%q: replay takes match=order (the default) or match=content", args[1])
	}
	return nil
}

// findCassette returns the path of a cassette: beside the scenario file, or
// from the folder above it, where a project keeps its cassettes folder.
func (s *source) findCassette(name string) (string, error) {
	if why := escapes(name); why != "" {
		return "", fmt.Errorf("cassette %s: %s", quote(name), why)
	}
	dir := filepath.Dir(s.path)
	for _, d := range []string{dir, filepath.Join(dir, "..")} {
		p := filepath.Join(d, filepath.FromSlash(name))
		if fi, err := os.Stat(p); err == nil && fi.Mode().IsRegular() {
			return p, nil
		}
	}
	return "", fmt.Errorf("cassette %s is neither beside the scenario nor in the folder above it", quote(name))
}

func (c *checker) checkSession(_ bool, args []string) {
	if !caseNameRE.MatchString(args[0]) {
		c.fail("%q is not a session name: a letter, then letters, digits, - . and _", args[0])
	}
	if slices.Contains(c.plan.traits.sessions, args[0]) {
		c.fail("session %s was begun before: a fresh one needs a fresh name", args[0])
	}
	c.plan.traits.sessions = append(c.plan.traits.sessions, args[0])
	c.settle()
	c.compacted()
	c.ran, c.provider, c.stage = false, false, stage{}
}

func (c *checker) checkHistory(_ bool, args []string) {
	a := c.archiveFile("history", args[0])
	if a == nil {
		return
	}
	c.beforeRun("history")
	c.settle()
	c.ran, c.everRan = true, true
	_, problems := parseHistory(c.src.path, a)
	c.problems = append(c.problems, problems...)
}

// parseHistory reads the records of a history file: one JSON object a line,
// with the fields of a record but its envelope.
func parseHistory(file string, a *archived) ([]journal.Record, Problems) {
	var recs []journal.Record
	var problems Problems
	for i, line := range bytes.Split(a.data, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		fail := func(f string, args ...any) {
			problems = append(problems, Problem{file, a.first() + i, "history: " + fmt.Sprintf(f, args...)})
		}
		var r journal.Record
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&r); err != nil {
			fail("not a record: %v", err)
			continue
		}
		switch {
		case !slices.Contains(journal.Kinds(), r.Kind):
			fail("%s", near.Unknown("record kind", string(r.Kind), kindNames()))
		case r.Seq != 0 || r.Time != 0 || r.Session != "" || r.Audit != "":
			fail("seq, time, session and audit are the journal's to fill in: leave them out")
		case r.Kind == journal.KindSession:
			fail("the session record is the journal's to write: begin with user")
		}
		recs = append(recs, r)
	}
	if len(recs) == 0 && len(problems) == 0 {
		problems = append(problems, Problem{file, a.marker, "history: the file has no records"})
	}
	return recs, problems
}

func (c *checker) checkDamage(_ bool, args []string) {
	d, err := parseDamage(args)
	c.report(err)
	c.plan.traits.stage = append(c.plan.traits.stage, "damage:"+d.file+":"+d.op)
}

func (c *checker) checkAt(_ bool, args []string) {
	a, err := parseArming(args)
	if err != nil {
		c.fail("%v", err)
		return
	}
	t := &c.plan.traits
	t.points = append(t.points, string(a.point))
	t.faults = append(t.faults, string(a.act))
	if a.call.id != "" {
		c.checkCall(a.call.id)
	}
	switch a.act {
	case actKill:
		c.plan.kills = true
	case actPower:
		c.plan.powers = true
		if c.v.real {
			c.fail("a real process cannot have its power cut: guard the line with [!realkill], or name the cases that realkill is for")
		}
	case actOpen:
		line := c.line
		c.unchecked = append(c.unchecked, func() {
			if !slices.Contains(t.gates, a.arg) && !c.replays {
				c.line = line
				if len(t.gates) == 0 {
					c.fail("no script has a gate %s: write gate %s where the reply shall wait", a.arg, a.arg)
				} else {
					c.fail("%s", near.Unknown("gate", a.arg, unique(t.gates)))
				}
			}
		})
	}
}

func (c *checker) checkRun(neg bool, args []string) {
	if c.ran {
		c.plan.traits.stage = append(c.plan.traits.stage, "prompts")
	}
	c.checkResume(neg, args)
}

func (c *checker) checkResume(_ bool, args []string) {
	if !c.provider {
		c.fail("nothing answers the loop yet: write provider FILE (or replay CASSETTE) before this line")
	}
	if len(args) == 1 && strings.TrimSpace(args[0]) == "" {
		c.fail("the prompt is empty")
	}
	c.settle()
	c.compacts = 0
	c.ran, c.everRan = true, true
}

func (c *checker) checkTerminal(_ bool, args []string) {
	c.report(checkTerminal(args[0]))
	c.plan.traits.terminals = append(c.plan.traits.terminals, args[0])
	if len(args) == 2 {
		c.checkRegexp(args[1])
	}
}

func (c *checker) checkRegexp(re string) {
	if _, err := regexp.Compile(re); err != nil {
		c.fail("%q is not a regular expression: %v", re, err)
	}
}

func (c *checker) checkEffects(_ bool, args []string) {
	counts, err := parseCounts(args, "TOOL")
	if err != nil {
		c.fail("%v", err)
		return
	}
	for _, n := range counts {
		c.checkLedger(n.name)
	}
}

// checkLedger checks that a tool writes into the effect ledger.
func (c *checker) checkLedger(tool string) {
	all := slices.Clone(scenarioTools)
	for i := range c.stage.tools {
		t := &c.stage.tools[i]
		switch {
		case !t.builtin:
			all = append(all, t.name)
		case slices.Contains(t.names(), tool):
			c.fail("%s writes no line into the effect ledger: it is the loop's own", tool)
			return
		}
	}
	if !slices.Contains(all, tool) {
		c.fail("%s", near.Unknown("tool", tool, all))
	}
}

func (c *checker) checkRequests(_ bool, args []string) {
	counts, err := parseRequests(args)
	if err != nil {
		c.fail("%v", err)
		return
	}
	for _, n := range counts {
		if n.name != "" && !slices.Contains(lanes, n.name) {
			c.fail("%s", near.Unknown("lane", n.name, lanes))
		}
	}
}

func (c *checker) checkCalls(_ bool, args []string) {
	states, err := parseCalls(args)
	if err != nil {
		c.fail("%v", err)
		return
	}
	for _, s := range states {
		c.checkCall(s.call.id)
		c.plan.traits.states = append(c.plan.traits.states, string(s.state))
	}
}

func (c *checker) checkEvents(_ bool, args []string) {
	ps, err := parsePatterns(args[0], args[1:])
	if err != nil {
		c.fail("%v", err)
		return
	}
	for _, p := range ps {
		if args[0] == "effects" && !p.any {
			c.checkLedger(p.kind)
		}
	}
}

func (c *checker) checkTransitions(_ bool, args []string) {
	ps, err := parseTransitions(args)
	if err != nil {
		c.fail("%v", err)
		return
	}
	for _, p := range ps {
		c.plan.traits.transitions = append(c.plan.traits.transitions, p.text)
	}
}

func (c *checker) checkWaits(_ bool, args []string) {
	_, err := parseWaits(args)
	c.report(err)
}

func (c *checker) checkClock(_ bool, args []string) {
	_, err := parseSpan(args[0])
	c.report(err)
}

func (c *checker) checkSpent(_ bool, args []string) {
	_, err := parseSpent(args)
	c.report(err)
}

func (c *checker) checkFinding(_ bool, args []string) {
	if !slices.Contains(ruleNames(), args[0]) {
		c.fail("%s", near.Unknown("rule", args[0], ruleNames()))
	}
	c.checkRegexp(args[1])
	c.plan.traits.rules = append(c.plan.traits.rules, args[0])
}
