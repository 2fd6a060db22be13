package scenarios

import (
	"slices"
	"strings"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/internal/near"
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/fake"
)

// stage is what the lines before a session's first run set up.
type stage struct {
	tools   []toolSpec
	permits []stagedPermit
	config  []configLine
	faults  []stagedFault
	scripts []*fake.Script
	settled bool
}

type stagedPermit struct {
	permit
	line int
}

type configLine struct {
	line int
	args []string
}

// beforeRun refuses what a session that is under way cannot take any more.
func (c *checker) beforeRun(what string) {
	if c.ran {
		c.fail("%s comes too late: a session takes it at its beginning, before its first run (or after session NAME)", what)
	}
}

func (c *checker) checkConfig(_ bool, args []string) {
	var cfg harness.Config
	errs := configure(&cfg, args)
	for _, err := range errs {
		c.fail("%v", err)
	}
	for _, a := range args {
		k, _, _ := strings.Cut(a, "=")
		c.plan.traits.stage = append(c.plan.traits.stage, k)
		if !slices.Contains(everyAgents, k) {
			c.plan.noteOurs(c.line, "config %s is about a part of the reference loop", k)
		}
	}
	c.beforeRun("config")
	if len(errs) == 0 && !c.unsure {
		c.stage.config = append(c.stage.config, configLine{c.line, args})
	}
}

func (c *checker) checkTool(_ bool, args []string) {
	t, err := parseTool(args)
	if err != nil {
		c.fail("%v", err)
		return
	}
	if slices.ContainsFunc(c.stage.tools, func(o toolSpec) bool { return o.name == t.name }) {
		c.fail("tool %s is declared twice", t.name)
		return
	}
	c.stage.tools = append(c.stage.tools, t)
	if t.builtin {
		c.plan.traits.stage = append(c.plan.traits.stage, "tool:"+t.name)
		c.plan.noteOurs(c.line, "tool %s is the reference loop's own", t.name)
	}
	for _, w := range args[min(2, len(args)):] {
		if b, err := parseBehaviour(w); err == nil {
			c.checkBehaviour(b)
		}
	}
	c.beforeRun("tool")
}

func (c *checker) checkBehaviour(b behaviour) {
	c.plan.traits.stage = append(c.plan.traits.stage, b.what)
	switch {
	case b.what == "hangs":
		c.plan.noteSlow(c.line, "a tool that hangs")
	case b.takes > tooSlow:
		c.plan.noteSlow(c.line, "a tool that takes %s", b.takes)
	case b.what == "image" || b.what == "background" || b.what == "stops-siblings" || b.what == "deferred":
		c.plan.noteOurs(c.line, "the tool behaviour %s is for the reference loop", b.what)
	}
	if b.call.id != "" {
		c.checkCall(b.call.id)
	}
}

func (c *checker) checkPermit(_ bool, args []string) {
	ps, err := parsePermits(args)
	if err != nil {
		c.fail("%v", err)
	}
	for _, p := range ps {
		_, what, _ := strings.Cut(p.text, "=")
		what, _, _ = strings.Cut(what, "@")
		c.plan.traits.stage = append(c.plan.traits.stage, "permit:"+what)
		c.stage.permits = append(c.stage.permits, stagedPermit{p, c.line})
	}
	c.beforeRun("permit")
}

func (c *checker) checkHook(_ bool, args []string) {
	h, err := parseHook(args)
	if err != nil {
		c.fail("%v", err)
		return
	}
	for _, o := range h.outcomes {
		c.plan.traits.stage = append(c.plan.traits.stage, "hook:"+string(h.on)+":"+o.what)
	}
	c.beforeRun("hook")
}

func (c *checker) checkCompact(bool, []string) {
	c.plan.traits.stage = append(c.plan.traits.stage, "compact")
	if c.compacts > 0 {
		c.fail("a compaction is asked for already, in line %d, and nothing ran since", c.compacts)
	}
	c.compacts = c.line
}

// compacted refuses a compaction that nothing begins with.
func (c *checker) compacted() {
	if c.compacts == 0 {
		return
	}
	line := c.line
	c.line, c.compacts = c.compacts, 0
	c.fail("compact asks for a compaction before the next request, and the session makes none any more: write run or resume behind it")
	c.line = line
}

// settle looks at a session's stage as a whole, once, when the session begins:
// only then all its lines are known.
func (c *checker) settle() {
	if c.stage.settled {
		return
	}
	c.stage.settled = true
	line := c.line
	names := toolNames(c.stage.tools)
	var before []permit
	for _, p := range c.stage.permits {
		c.line = p.line
		if p.tool != "*" && !slices.Contains(names, p.tool) {
			c.fail("permit %s: %s", p.text, near.Unknown("tool", p.tool, names))
		}
		if why := p.never(before); why != "" {
			c.fail("%s", why)
		}
		before = append(before, p.permit)
	}
	for _, f := range c.stage.faults {
		c.line = f.line
		c.settleFault(f.f)
	}
	c.contradictions()
	for _, s := range c.stage.scripts {
		c.sayable(s)
	}
	c.line = line
}

// contradictions are values that cannot hold together, each at the line since
// which it is there: the lines before may have been right.
func (c *checker) contradictions() {
	var cfg harness.Config
	since := map[string]int{}
	var last []string
	for _, l := range c.stage.config {
		configure(&cfg, l.args)
		last = wrongIn(cfg)
		for text := range since {
			if !slices.Contains(last, text) {
				delete(since, text)
			}
		}
		for _, text := range last {
			if since[text] == 0 {
				since[text] = l.line
			}
		}
	}
	for _, text := range last {
		c.line = since[text]
		c.fail("config: %s", text)
	}
}

// wrongIn lists what a session would be refused for, the parts apart that a
// life brings with it.
func wrongIn(cfg harness.Config) []string {
	if cfg.Model == "" {
		cfg.Model = defaultModel
	}
	cfg.Provider = struct{ providers.Provider }{}
	cfg.Env = env.Env{Clock: struct{ env.Clock }{}, FS: struct{ env.FS }{}, Probe: struct{ env.Probe }{}, IDs: struct{ env.IDs }{}}
	err := cfg.Check()
	if err == nil {
		return nil
	}
	all, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []string{err.Error()}
	}
	var texts []string
	for _, e := range all.Unwrap() {
		texts = append(texts, e.Error())
	}
	return texts
}
