package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/harnessbench/bench/cassettes"
	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/invariants"
	"github.com/harnessbench/bench/providers/fake"
)

func ruleNames() []string {
	var names []string
	for _, r := range invariants.All() {
		names = append(names, r.Name)
	}
	return append(names, cassettes.Differs, cassettes.Unexpected, cassettes.Unused)
}

// evidence gathers what the session has left behind so far. whole says that
// the scenario came to its end, so that what was not consumed counts.
func (e *engine) evidence(s *session, whole bool) *evidence.Evidence {
	ev := s.log.Evidence()
	ev.Wire = s.exchanges()
	if e.guest != nil {
		ev.Missing = []evidence.Kind{evidence.KindTranscript, evidence.KindAudit, evidence.KindShown, evidence.KindTrace, evidence.KindHooks}
	}
	ev.Load(s.bytes(e.world, "transcript"), s.bytes(e.world, "audit"), s.bytes(e.world, "effects"))
	ev.Head = s.bytes(e.world, "head")
	if e.guest == nil { // on a real connection the order of things is not known
		steps := e.world.Steps() // a copy
		if len(e.sessions) > 1 {
			steps = slices.DeleteFunc(steps, func(st evidence.Step) bool { return !s.own[st.Life] })
		}
		if len(ev.Trace) == 0 {
			ev.Trace = steps
		} else {
			ev.Trace = append(ev.Trace, steps...)
		}
	}
	ev.Limits = s.limits()
	ev.Tools = s.toolInfos()
	ev.Secrets = []string{canary}
	ev.Given = s.given
	ev.Damaged = s.damaged
	for _, a := range e.armed {
		// What was armed for a run that a failed assertion kept from coming has
		// proved nothing, but is not to blame either.
		if a.s == s && (whole || a.fired > 0 || e.moves > a.moves) {
			ev.Faults = append(ev.Faults, evidence.Armed{What: a.text, Place: a.place, Fired: a.fired, Near: a.near(e.visited)})
		}
	}
	ev.Faults = append(ev.Faults, e.firedFaults(s, whole)...)
	if whole {
		for _, a := range s.ups {
			if _, tape := a.up.(*cassettes.Player); !tape { // a player reports that itself
				ev.Unused = append(ev.Unused, a.up.Unused()...)
			}
		}
	}
	return ev
}

// limits says what the rules compute with.
func (s *session) limits() evidence.Limits {
	cfg := s.set
	for _, h := range s.hooks { // without a Run: only their number counts
		cfg.Hooks = append(cfg.Hooks, harness.Hook{On: h.on})
	}
	perTurn, perRun, fallbacks := cfg.Bounds()
	l := cfg.Limits.Resolve()
	return evidence.Limits{
		MaxTurns: l.MaxTurns, PerTurn: perTurn, PerRun: perRun, Retries: l.Retries, Fallbacks: fallbacks,
		Counters: counters(l, cfg), BlockAt: l.BlockAt, SummaryFails: l.SummaryFails, TokenBudget: l.TokenBudget, Nudge: l.Nudge, LoopAfter: l.LoopAfter,
	}
}

// counters are the most that the ladder's counters may show in a transition.
func counters(l harness.Limits, cfg harness.Config) map[string]int {
	m := map[string]int{
		"drains": 1, "summaries": 1, "lowers": 1, "escalations": 0, "continuations": l.Continue, "retries": l.Retries,
		"empty": l.Empty, "protocol": l.Protocol, "pauses": l.Pauses,
		"hook_blocks": 0, "gate_blocks": 0, "judge_blocks": 0, "nudges": 0, "fallbacks": 0,
	}
	if l.Escalate > l.MaxTokens {
		m["escalations"] = 1
	}
	for _, h := range cfg.Hooks {
		if h.On == harness.OnStop {
			m["hook_blocks"] = l.HookBlocks - 1 // the N-th block ends the run
		}
	}
	if cfg.Gate {
		m["gate_blocks"] = l.GateBlocks - 1
	}
	if cfg.Goal != "" {
		m["judge_blocks"] = l.JudgeBlocks - 1
	}
	if l.Nudge > 0 {
		m["nudges"] = l.Nudges
	}
	if cfg.Fallback != "" {
		m["fallbacks"] = 1
	}
	return m
}

// evidences gathers what every session has left behind.
func (e *engine) evidences(whole bool) []*evidence.Evidence {
	var all []*evidence.Evidence
	for _, s := range e.sessions {
		all = append(all, e.evidence(s, whole))
	}
	return all
}

// surprises are requests that a reply script did not expect, the first ones.
func (e *engine) surprises() []string {
	var out []string
	for _, s := range e.sessions {
		for _, a := range s.ups {
			if f, ok := a.up.(interface{ Findings() []fake.Finding }); ok {
				for _, one := range f.Findings() {
					out = append(out, one.String())
				}
			}
		}
	}
	const most = 3 // one causes the next
	if n := len(out) - most; n > 0 {
		out = append(out[:most], fmt.Sprintf("%s: and %d more requests that were not expected", e.sc.File, n))
	}
	return out
}

// verdict is what the rules say of all sessions.
type verdict struct {
	found    []invariants.Finding // that nobody expected
	expected []invariants.Finding
	missing  []string // expectations that were not met
	counts   Counts
	cover    Cover
	evidence []*evidence.Evidence
}

// judge lets the rules look at every session. again, other and wire are what
// the same scenario left behind in a second run, with the same seed, with
// another one, and in another protocol, by session; nil: there was none.
func (e *engine) judge(whole bool, again, other, wire []*evidence.Evidence) verdict {
	var v verdict
	for i, s := range e.sessions {
		ev := e.evidence(s, whole)
		v.evidence = append(v.evidence, ev)
		o := invariants.Options{Memo: e.memo, Fold: func(recs []journal.Record) (map[int64]string, error) { return harness.Digests(recs), nil }}
		if i < len(again) {
			o.Again = again[i]
		}
		if i < len(other) {
			o.OtherSchedule = other[i]
		}
		if i < len(wire) {
			o.OtherProtocol = wire[i]
		}
		found, applied, _ := invariants.Check(ev, o)
		for _, f := range append(found, s.replayed(whole)...) {
			if s.name != "" {
				f.What = "session " + s.name + ": " + f.What
			}
			if s.expected(f) {
				v.expected = append(v.expected, f)
			} else {
				v.found = append(v.found, f)
			}
		}
		if whole {
			for _, x := range s.expects {
				if x.met == 0 {
					v.missing = append(v.missing, fmt.Sprintf("%s: expected a finding of %s matching %q; there was none", x.place, x.rule, x.re))
				}
			}
		}
		c := e.cover(s, ev)
		c.judged(applied)
		v.cover.Add(c)
		v.counts.add(Counts{Rules: len(applied), Lives: len(ev.Lives), Effects: len(ev.Effects), Requests: len(ev.Wire), Records: len(ev.Records)})
	}
	return v
}

// replayed is what was wrong with a replay. That a recording was not played to
// its end is only said of a scenario that came to its end.
func (s *session) replayed(whole bool) []invariants.Finding {
	var out []invariants.Finding
	for _, a := range s.ups {
		p, ok := a.up.(*cassettes.Player)
		if !ok {
			continue
		}
		for _, f := range p.Findings() {
			if whole || f.Rule != cassettes.Unused {
				out = append(out, invariants.Finding{Rule: f.Rule, What: f.Place + ": " + f.What, Where: invariants.Place{Exchange: f.N}})
			}
		}
	}
	return out
}

func (s *session) expected(f invariants.Finding) bool {
	for _, x := range s.expects {
		if x.rule == f.Rule && x.re.MatchString(f.String()) {
			x.met++
			return true
		}
	}
	return false
}

// rerun obeys the same operations in a world of its own, as the variant i, and
// returns what that left behind.
func (e *engine) rerun(i int, seed uint64, whole bool) []*evidence.Evidence {
	n := newEngine(e.sc, i, seed)
	n.seam, n.most = e.seam, e.most
	for _, o := range e.done {
		if _, err := n.obey(o); err != nil {
			break // the first run said so, too
		}
	}
	n.finish()
	return n.evidences(whole)
}

// sameEvidence compares two runs cheaply, before the rule is asked where they
// part.
func sameEvidence(a, b []*evidence.Evidence) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !bytes.Equal(fingerprint(a[i]), fingerprint(b[i])) {
			return false
		}
	}
	return true
}

func fingerprint(ev *evidence.Evidence) []byte {
	b, err := json.Marshal(ev)
	if err != nil {
		return []byte(err.Error())
	}
	return b
}
