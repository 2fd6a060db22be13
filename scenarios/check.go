package scenarios

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/harnessbench/bench/internal/near"
	"github.com/harnessbench/bench/providers/fake"
	"github.com/harnessbench/bench/providers/protocol"
)

// Scenario is one scenario file that was read and found right.
type Scenario struct {
	Name     string   // the file's name without its folder and suffix
	File     string   // the path it was read from
	Says     []string // its first comment: what it proves, and where it comes from
	src      *source
	variants []*variant
	plans    []*plan // beside variants
	evidence bool    // some line reads $EVIDENCE
	execs    bool    // some line runs a program

	registries registries
	updates    map[string]string // archive files that -update has rewritten, and the variant that did
}

// plan is what checking one variant found out.
type plan struct {
	scripts map[int]*fake.Script // by the line of their provider command
	lines   []planned            // the commands that hold for the variant, in order
	kills   bool                 // some `at` line that holds for the variant ends a life by kill
	powers  bool                 // or by powercut
	slow    string               // what would take long without a virtual clock
	ours    string               // what only the reference loop has
	unsaid  string               // what the variant's protocol cannot say; then it is not run
	apart   bool                 // a line about what happens, not what is expected, holds in this protocol or in the first, not in both
	traits  traits
}

// planned is one command that will run, and where it stands: testscript does
// not tell a command its line.
type planned struct {
	line int
	name string
}

// Load reads and checks a scenario file. The error is a Problems with
// everything that is wrong, or the error of reading the file.
func Load(file string) (*Scenario, error) {
	src, err := readSource(file)
	if err != nil {
		return nil, err
	}
	return check(src)
}

// Variants returns the full names of the scenario's variants, in order.
func (s *Scenario) Variants() []string {
	var names []string
	for _, v := range s.variants {
		names = append(names, s.Name+v.name)
	}
	return names
}

func scenarioName(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(strings.TrimSuffix(base, ".txt"), ".txtar")
}

// checker walks a file, once for each variant.
type checker struct {
	src      *source
	decl     declarations
	problems Problems
	guards   map[string]bool // every guard name that some line or script uses

	line int // being looked at

	// of the variant being walked
	v         *variant
	plan      *plan
	vars      map[string]string
	provider  bool
	replays   bool
	recorded  int  // the line of a replay
	ran       bool // in this session
	everRan   bool
	unsure    bool // the line stands under a guard that only the run can answer
	stage     stage
	compacts  int      // line of a compaction that nothing has begun with yet
	callIDs   []string // of the scripts in use; nil: not known
	openIDs   bool     // some script makes its ids with ${n}
	known     map[string]bool
	execs     bool
	evidence  bool
	unchecked []func() // what can be checked only when every line was seen
}

// Where the work directory and the evidence folder lie is known only when the
// scenario runs; until then these stand for them.
const (
	workMark     = "\x00work"
	evidenceMark = "\x00evidence"
)

func check(src *source) (*Scenario, error) { return checkOnly(src, -1) }

// checkOnly walks one variant, of a file that was found right as a whole
// before; -1: all of them.
func checkOnly(src *source, only int) (*Scenario, error) {
	c := &checker{src: src, guards: map[string]bool{}}
	c.checkHeader()
	c.checkArchive()
	c.declare()
	s := &Scenario{Name: scenarioName(src.path), File: src.path, Says: src.header(), src: src}
	var err error
	if s.variants, err = c.decl.unfold(); err != nil {
		c.line = 0
		c.fail("%v", err)
	}
	for i, v := range s.variants {
		if only >= 0 && i != only {
			s.plans = append(s.plans, nil)
			continue
		}
		s.plans = append(s.plans, c.walk(v))
	}
	if only >= len(s.variants) {
		return nil, fmt.Errorf("%s has %d variants and no variant %d", src.path, len(s.variants), only+1)
	}
	if only < 0 {
		c.checkCases()
		c.checkSayable(s)
	}
	s.evidence, s.execs = c.evidence, c.execs
	if len(c.problems) > 0 {
		return nil, c.problems.sorted()
	}
	return s, nil
}

func (c *checker) fail(format string, a ...any) {
	c.problems = append(c.problems, Problem{c.src.path, c.line, fmt.Sprintf(format, a...)})
}

// declare reads the lines that unfold the file into variants.
func (c *checker) declare() {
	var other int // line of the first command that is no declaration
	seenVars := map[string]int{}
	for i, text := range c.src.script {
		c.line = i + 1
		if strings.HasPrefix(text, "#") {
			continue
		}
		words, errs := splitLine(text, func(string) (string, bool) { return "", true })
		gs, words := cutGuards(words)
		if len(words) == 0 {
			continue
		}
		name, args := words[0].text, texts(words[1:])
		switch name {
		case "case", "each", "protocol", "realkill":
			if other > 0 {
				c.fail("%s belongs before the first other command, which is in line %d", name, other)
			}
			if len(errs) > 0 {
				continue // the walk reports them
			}
			if strings.Contains(text, "$") && name != "case" {
				c.fail("%s takes no variables: it is read before there are any", name)
				continue
			}
			if name != "each" && len(gs) > 0 {
				c.fail("%s declares variants and cannot stand behind a guard", name)
				continue
			}
		default:
			if other == 0 {
				other = c.line
			}
			continue
		}
		switch name {
		case "case":
			d, err := parseCase(args)
			d.line = c.line
			if err != nil {
				c.fail("%v", err)
				continue
			}
			if slices.ContainsFunc(c.decl.cases, func(e caseDecl) bool { return e.name == d.name }) {
				c.fail("case %q is there twice", d.name)
				continue
			}
			c.decl.cases = append(c.decl.cases, d)
		case "each":
			s, err := parseSweep(args)
			if err != nil {
				c.fail("%v", err)
				continue
			}
			if at, ok := seenVars[s.name]; ok && len(gs) == 0 {
				c.fail("each %s is there already, in line %d", s.name, at)
				continue
			}
			seenVars[s.name] = c.line
			s.guards = gs
			c.decl.sweeps = append(c.decl.sweeps, s)
		case "protocol":
			c.declareProtocols(args)
		case "realkill":
			c.decl.realkill = true
			c.decl.realOnly = args
		}
	}
	for _, n := range c.decl.realOnly {
		if !c.isCase(n) {
			c.line = 0
			c.fail("%s", "realkill: "+near.Unknown("case", n, c.caseNames()))
		}
	}
}

// checkSayable refuses a variant that no protocol of the file can express: it
// would prove nothing, and look as if it did.
func (c *checker) checkSayable(s *Scenario) {
	type sayable struct {
		some bool
		why  string
	}
	of := map[int]*sayable{}
	for i, v := range s.variants {
		if v.real {
			continue
		}
		one := of[v.first]
		if one == nil {
			one = &sayable{}
			of[v.first] = one
		}
		if p := s.plans[i]; p.unsaid == "" {
			one.some = true
		} else if one.why == "" {
			one.why = p.unsaid
		}
	}
	for _, first := range slices.Sorted(maps.Keys(of)) {
		if one := of[first]; !one.some {
			c.line = 0
			c.fail("no protocol can express %s, so it would prove nothing: in %s, %s", s.Name+s.variants[first].name, s.variants[first].protocol, one.why)
		}
	}
}

func (c *checker) declareProtocols(args []string) {
	known := append(protocol.Names(), allProtocols)
	switch {
	case c.decl.spoken > 0:
		c.fail("the protocols are named in line %d already", c.decl.spoken)
		return
	case len(args) == 0:
		c.fail("protocol needs a name: it is one of %s; without the line it is all", strings.Join(known, ", "))
		return
	case len(args) > 1 && slices.Contains(args, allProtocols):
		c.fail("protocol all is every protocol: name no other beside it")
		return
	}
	c.decl.spoken = c.line
	for i, p := range args {
		switch {
		case !slices.Contains(known, p):
			c.fail("%s", near.Unknown("protocol", p, known))
		case slices.Contains(args[:i], p):
			c.fail("protocol %s is there twice", p)
		default:
			c.decl.protocols = append(c.decl.protocols, p)
		}
	}
}

// cannotSay notes what the variant's protocol cannot express: a file that names
// the protocol is wrong then, and hint is what can be done; any other is not run
// in it, and says so.
func (c *checker) cannotSay(line int, why, hint string) {
	switch {
	case len(c.decl.protocols) > 0 && c.decl.protocols[0] != allProtocols:
		c.problems = append(c.problems, Problem{c.src.path, line, why + hint})
	case c.plan.unsaid == "":
		c.plan.unsaid = fmt.Sprintf("line %d: %s", line, why)
	}
}

// sayable looks whether the variant's protocol can say what a script says, in
// answers that come as the session asks for them.
func (c *checker) sayable(s *fake.Script) {
	if err := fake.Inexpressible(s, c.v.protocol, !c.stage.whole()); err != nil {
		c.cannotSay(err.Line, err.Text, "")
	}
}

func (c *checker) isCase(name string) bool { return slices.Contains(c.caseNames(), name) }

func (c *checker) caseNames() []string {
	var names []string
	for _, d := range c.decl.cases {
		names = append(names, d.name)
	}
	return names
}

// checkGuard says what is wrong with the name of a guard, or "".
func (c *checker) checkGuard(name string) string {
	c.guards[name] = true
	switch {
	case name == "realkill" || c.isCase(name) || isCondition(name) || slices.Contains(c.decl.wires(), name):
		return ""
	case slices.Contains(refusedConditions, name) || strings.HasPrefix(name, "go1."):
		return "[" + name + "] depends on how the bench was built or called, so the scenario would mean different things: use a case"
	}
	if n := near.Word(name, append(c.caseNames(), "realkill")); n != "" {
		return "no case is called " + quote(name) + ": did you mean " + quote(n) + "?"
	}
	return "no case is called " + quote(name) + ": declare it with case " + name
}

// checkCases refuses a case that changes nothing: it would only pad. One may be
// the plain one that the others differ from.
func (c *checker) checkCases() {
	plain := ""
	for _, d := range c.decl.cases {
		if len(d.vars) > 0 || c.guards[d.name] || slices.Contains(c.decl.realOnly, d.name) {
			continue
		}
		if plain != "" {
			c.line = d.line
			c.fail("case %s changes nothing, like case %s: give it a variable, or guard a line with [%s]", d.name, plain, d.name)
		}
		plain = d.name
	}
}

// walk checks every line as it holds for one variant.
func (c *checker) walk(v *variant) *plan {
	c.v, c.plan = v, &plan{scripts: map[int]*fake.Script{}}
	c.provider, c.replays, c.ran, c.everRan, c.recorded = false, false, false, false, 0
	c.stage, c.compacts, c.callIDs, c.openIDs, c.unchecked = stage{}, 0, nil, false, nil
	c.vars = map[string]string{
		"WORK": workMark, "EVIDENCE": evidenceMark, "TMPDIR": workMark + "/.tmp",
		"PATH": "", "HOME": "/no-home", "GOTRACEBACK": "system", "devnull": "/dev/null",
		"/": "/", ":": ":", "$": "$", "exe": "",
	}
	for _, s := range v.vars {
		c.vars[s.name] = s.value
	}
	c.known = map[string]bool{}
	for i := range c.src.archive {
		c.known[path.Clean(c.src.archive[i].name)] = true
	}
	for i, text := range c.src.script {
		c.line = i + 1
		c.walkLine(text)
	}
	c.settle()
	c.compacted()
	for _, f := range c.unchecked {
		f()
	}
	c.line = 0
	if c.recorded > 0 && c.v.protocol != protocol.Anthropic {
		c.plan.unsaid = fmt.Sprintf("line %d: a recording speaks the protocol in which it was made", c.recorded)
	}
	if !c.everRan {
		if v.name == "" {
			c.fail("the scenario runs nothing: write run PROMPT")
		} else {
			c.fail("variant %s runs nothing: write run PROMPT", strings.TrimPrefix(v.name, "/"))
		}
	}
	return c.plan
}

// parts reports whether a guard says another thing in the variant's protocol than
// in the file's first.
func (c *checker) parts(guard string) bool {
	return (guard == c.v.protocol) != (guard == c.decl.wires()[0])
}

func (c *checker) walkLine(text string) {
	if strings.HasPrefix(text, "#") {
		return
	}
	words, errs := splitLine(text, func(name string) (string, bool) {
		if name == "EVIDENCE" {
			c.evidence = true
		}
		val, ok := c.vars[name]
		return val, ok
	})
	gs, words := cutGuards(words)
	c.unsure = false
	holds, apart := true, false
	for _, g := range gs {
		if why := c.checkGuard(g.name); why != "" {
			c.fail("%s", why)
			continue
		}
		h, known := c.v.guardHolds(g.name)
		c.unsure = c.unsure || !known
		apart = apart || c.parts(g.name)
		holds = holds && (!known || h != g.not)
	}
	if n := slices.IndexFunc(words, func(w word) bool { return w.text != "!" }); apart && n >= 0 {
		cmd := commandNamed(words[n].text)
		c.plan.apart = c.plan.apart || cmd != nil && cmd.moves
	}
	if !holds {
		return // the line says nothing in this variant
	}
	for _, err := range errs {
		c.fail("%v", err)
	}
	if len(words) == 0 {
		if len(gs) > 0 {
			c.fail("nothing follows the guard")
		}
		return
	}
	if len(errs) > 0 && words[0].text == "" {
		return
	}
	neg := words[0].text == "!"
	if neg {
		if words = words[1:]; len(words) == 0 {
			c.fail("! stands alone")
			return
		}
	}
	name := words[0].text
	if rest, ok := strings.CutPrefix(name, "!"); ok {
		c.fail("write ! %s, with a blank between", rest)
		return
	}
	cmd := commandNamed(name)
	if cmd == nil {
		c.fail("%s", near.Unknown("command", name, commandNames()))
		return
	}
	if cmd.refused != "" {
		c.fail("%s", cmd.refused)
		return
	}
	if cmd.later {
		c.fail("%s is not built yet", name)
		return
	}
	if neg && !cmd.neg {
		c.fail("! %s means nothing: only %s can be negated", name, strings.Join(negatable(), ", "))
		return
	}
	if name == "run" {
		c.everRan = true // whatever is wrong with it
	}
	args := texts(words[1:])
	c.plan.lines = append(c.plan.lines, planned{c.line, name})
	if len(errs) > 0 {
		return // its arguments are not what was meant
	}
	if len(args) < cmd.min || cmd.max >= 0 && len(args) > cmd.max {
		c.fail("%s has %s: %s", name, argumentCount(len(args), cmd), cmd.usage)
		return
	}
	if cmd.needsRun && !c.ran {
		c.fail("%s looks at a run, and none was begun before this line", name)
	}
	if cmd.check != nil {
		cmd.check(c, neg, args)
	}
}

func argumentCount(n int, cmd *command) string {
	switch {
	case n < cmd.min && n == 0:
		return "no argument"
	case n < cmd.min:
		return "too few arguments"
	}
	return "too many arguments (single quotes keep blanks together)"
}
