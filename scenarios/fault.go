package scenarios

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/faults"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/internal/near"
	"github.com/harnessbench/bench/providers/fake"
)

// stagedFault is a `fault` line of which a session's later lines may make
// nonsense.
type stagedFault struct {
	line int
	f    *faults.Line
}

func (c *checker) checkFault(_ bool, args []string) {
	f, err := faults.Parse(args)
	if err != nil {
		c.fail("%v", err)
		return
	}
	c.plan.traits.faults = append(c.plan.traits.faults, f.Fault.Name)
	if why := f.Unfit(c.v.protocol); why != "" {
		c.cannotSay(c.line, why, withoutProtocol)
	}
	if f.Slow(tooSlow) {
		c.plan.noteSlow(c.line, "fault %s", f.Fault.Name)
	}
	if f.Fault.Deaf() {
		c.beforeRun("fault " + f.Fault.Name)
	}
	if c.stage.settled {
		c.settleFault(f)
		return
	}
	c.stage.faults = append(c.stage.faults, stagedFault{c.line, f})
}

// withoutProtocol is what can be done where a named protocol cannot express a
// fault.
const withoutProtocol = ": guard the line with a case, or leave out the protocol"

// checkRewritten looks, once every script was read, for what a fault of the
// content makes of a reply that the variant's protocol cannot express, in
// answers that come as the session asks for them.
func (c *checker) checkRewritten(f *faults.Line) {
	if f.Fault.Layer != faults.Content {
		return
	}
	line, stream := c.line, !c.stage.whole()
	c.unchecked = append(c.unchecked, func() {
		for _, at := range slices.Sorted(maps.Keys(c.plan.scripts)) {
			s := c.plan.scripts[at]
			if s == nil || fake.Inexpressible(s, c.v.protocol, stream) != nil {
				continue // it cannot be said without the fault either
			}
			if err := fake.Inexpressible(rewritten(s, f), c.v.protocol, stream); err != nil {
				c.cannotSay(line, fmt.Sprintf("fault %s makes of a reply what cannot be said: %s", f.Fault.Name, err.Text), withoutProtocol)
			}
		}
	})
}

// rewritten is a script with each reply as the fault would leave it.
func rewritten(s *fake.Script, f *faults.Line) *fake.Script {
	out := *s
	out.Replies = nil
	for _, r := range s.Replies {
		if lines, is := f.Rewrite(r.Lines); is && r.Lane == f.Lane && r.Status == 0 {
			changed := *r
			changed.Lines = lines
			r = &changed
		}
		out.Replies = append(out.Replies, r)
	}
	return &out
}

// settleFault refuses, once a session's stage is known, what can break nothing.
func (c *checker) settleFault(f *faults.Line) {
	c.checkRewritten(f)
	switch f.Fault.Layer {
	case faults.Content:
		if c.replays && len(c.plan.scripts) == 0 {
			c.fail("fault %s changes what a reply says, and a recording has no replies: take a fault of the stream, of HTTP or of the size", f.Fault.Name)
		}
	case faults.Stream, faults.Time:
		if c.stage.whole() {
			c.fail("fault %s changes a stream, and config stream=off asks for none", f.Fault.Name)
		}
	case faults.Tool:
		c.settleFaultTool(f)
	}
}

// whole reports whether the session asks for answers that come whole.
func (s *stage) whole() bool {
	whole := false
	for _, l := range s.config {
		for _, a := range l.args {
			if v, ok := strings.CutPrefix(a, "stream="); ok {
				whole = v == "off"
			}
		}
	}
	return whole
}

func (c *checker) settleFaultTool(f *faults.Line) {
	names := toolNames(c.stage.tools)
	i := slices.IndexFunc(c.stage.tools, func(t toolSpec) bool { return slices.Contains(t.names(), f.Tool) })
	switch {
	case !slices.Contains(names, f.Tool):
		c.fail("fault %s: %s", f.Fault.Name, near.Unknown("tool", f.Tool, names))
	case i < 0 && !slices.Contains(scenarioTools, f.Tool), i >= 0 && c.stage.tools[i].builtin:
		c.fail("fault %s: %s is a tool of the loop itself: only declared tools and %s can be broken", f.Fault.Name, f.Tool, strings.Join(scenarioTools, ", "))
	case i < 0 && f.Fault.Deaf():
		c.fail("fault %s: %s does its work at once: declare a tool that can be deaf", f.Fault.Name, f.Tool)
	}
}

// armedFault is one `fault` line at work.
type armedFault struct {
	*faults.Armed
	s     *session
	moves int // run and resume commands before it
	calls int // of its tool, before it
}

func (e *engine) doFault(o op) error {
	f, err := faults.Parse(o.Args)
	if err != nil {
		return err
	}
	s := e.cur
	a := &armedFault{Armed: s.faults.Arm(f, e.place(o)), s: s, moves: e.moves}
	if f.Tool != "" {
		a.calls = e.callsOf(s, f.Tool)
		i := slices.IndexFunc(s.tools, func(t toolSpec) bool { return t.name == f.Tool })
		if f.Fault.Deaf() && i >= 0 {
			s.tools = slices.Clone(s.tools)
			s.tools[i].deaf = true
		}
	}
	e.faults = append(e.faults, a)
	return nil
}

// callsOf counts the calls of a tool so far: those that were recorded, or, of a
// foreign agent, those that it made.
func (e *engine) callsOf(s *session, tool string) int {
	if e.guest != nil {
		return s.made[tool]
	}
	n := 0
	for _, r := range s.records(e.world) {
		if r.Kind == journal.KindCall && r.Name == tool {
			n++
		}
	}
	return n
}

// numberOf says the how manieth call of its tool this one is, by the order in
// which calls were recorded: that of their execution is the schedule's.
func (l *life) numberOf(c tools.Call) int {
	if l.m == nil {
		return l.made
	}
	n := 0
	for _, r := range l.s.records(l.e.world) {
		if r.Kind != journal.KindCall || r.Name != c.Name {
			continue
		}
		if n++; r.Call == c.ID {
			return n
		}
	}
	return n
}

// deed is what the armed faults make of a call; nil: nothing.
func (l *life) deed(c tools.Call) *faults.Deed {
	if !slices.ContainsFunc(l.e.faults, func(a *armedFault) bool { return a.s == l.s && a.Line.Tool == c.Name }) {
		return nil
	}
	n := l.numberOf(c)
	return l.s.faults.Deed(c.Name, func(a *faults.Armed) int {
		i := slices.IndexFunc(l.e.faults, func(f *armedFault) bool { return f.Armed == a })
		return n - l.e.faults[i].calls
	})
}

// useTool is a tool's work, with what armed faults make of it.
func (l *life) useTool(ctx context.Context, c tools.Call, t *toolSpec, w work) (tools.Output, error) {
	d := l.deed(c)
	if d == nil {
		return l.perform(ctx, c, t, w)
	}
	if d.Takes > 0 {
		d.Did(faults.Waited)
		wait := ctx
		if t != nil && t.deaf {
			wait = background
		}
		if err := l.env.Clock.Sleep(wait, d.Takes); err != nil {
			return tools.Output{}, fmt.Errorf("%w: %w", errStopped, err)
		}
	}
	switch {
	case d.Hangs:
		d.Did(faults.Hung)
		err := l.env.Clock.Note().Wait(ctx, "the end of "+c.Name+", which hangs")
		return tools.Output{}, fmt.Errorf("%w: %w", errStopped, err)
	case d.Panics:
		d.Did(faults.Panicked)
		panic(c.Name + " panics, as the scenario says")
	case d.Fails != "":
		d.Did(faults.Failed)
		return tools.Output{}, errors.New(d.Fails)
	}
	out, err := l.perform(ctx, c, t, w)
	if err != nil {
		return out, err
	}
	if d.ThenFails != "" {
		d.Did(faults.FailedAfter)
		return tools.Output{}, errors.New(d.ThenFails)
	}
	text, images := d.Says(out.Text)
	out.Text, out.Images = text, append(out.Images, images...)
	return out, nil
}

// firedFaults says of the session's `fault` lines whether they did what they
// were to do.
func (e *engine) firedFaults(s *session, whole bool) []evidence.Armed {
	var out []evidence.Armed
	for _, a := range e.faults {
		fired := a.Fired()
		if a.s == s && (whole || fired > 0 || e.moves > a.moves) {
			out = append(out, evidence.Armed{What: "fault " + a.Line.String(), Place: a.Place, Fired: fired, Near: a.Near()})
		}
	}
	return out
}

// onBytes reports whether a fault has changed the bytes of an answer: the run
// may then be another one in each protocol. One that never fired changes none.
func (e *engine) onBytes() bool {
	return slices.ContainsFunc(e.faults, func(a *armedFault) bool { return a.Line.Fault.OnBytes() && a.Fired() > 0 })
}
