package scenarios

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/harnessbench/bench/cassettes"
	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/faults"
	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/internal/seam"
	"github.com/harnessbench/bench/invariants"
	"github.com/harnessbench/bench/providers/fake"
	"github.com/harnessbench/bench/sim"
)

// engine is one variant's world: what outlives the lives of its sessions. It
// obeys operations one at a time and knows nothing of testscript, so that
// another engine, in a child process too, can be brought to the same point by
// obeying the same ones.
type engine struct {
	sc    *Scenario
	i     int // which variant
	v     *variant
	plan  *plan
	seed  uint64
	seam  seam.Slot
	most  int              // requests that a loop may make before it is stopped
	asked int64            // bytes of its requests so far
	stop  func() bool      // whether nobody waits for the outcome any more; nil: somebody does
	memo  *invariants.Memo // what the rules have proved of other variants' bytes; nil: nothing

	world    *sim.World
	sessions []*session
	cur      *session
	armed    []*armed
	faults   []*armedFault
	visited  env.Point // last, for the message of an `at` that never fired

	moves int  // run and resume so far
	done  []op // obeyed so far

	twin   *twin  // lives are lived again for real; nil: they are not
	differ string // the first difference between a simulated life and its real one
	broke  string // how a life ended that neither came to its end nor was killed

	alone *alone // this engine lives one life again, on a real disk
	guest *guest // a foreign agent, in place of the reference loop
}

// lifeNow is the number of the life under way.
func (e *engine) lifeNow() int {
	if e.guest != nil {
		return e.guest.lives
	}
	return e.world.Past().Lives
}

// op is one command that changes the world.
type op struct {
	Line int      `json:"line"`
	Name string   `json:"name"`
	Neg  bool     `json:"neg,omitempty"` // run and resume: it must be refused
	Args []string `json:"args,omitempty"`
}

// outcome is what an operation has to say.
type outcome struct {
	text    string // stdout
	errText string // stderr
	refused bool   // run and resume: it was refused
}

func newEngine(sc *Scenario, i int, seed uint64) *engine {
	e := &engine{sc: sc, i: i, v: sc.variants[i], plan: sc.plans[i], seed: seed, most: mostRequests}
	e.world = sim.NewWorld(seed)
	e.fresh("")
	return e
}

// workDir is the tools' workspace on the world's disk; all sessions share it.
const workDir = "work"

// fresh begins a session of that name.
func (e *engine) fresh(name string) {
	s := &session{name: name, dir: "session", ledger: evidence.EffectsFile, log: evidence.NewCollector(), own: map[int]bool{}, made: map[string]int{}, faults: &faults.Set{}}
	if name != "" {
		s.dir, s.ledger = "session-"+name, "effects-"+name+".jsonl"
	}
	s.set.Model = defaultModel
	e.sessions, e.cur = append(e.sessions, s), s
}

// obey carries out one operation. An error is the scenario's fault.
func (e *engine) obey(o op) (outcome, error) {
	e.done = append(e.done, o)
	s := e.cur
	switch o.Name {
	case "provider":
		return outcome{}, e.provide(o)
	case "replay":
		return outcome{}, e.openCassette(o)
	case "config":
		return outcome{}, errors.Join(configure(&s.set, o.Args)...)
	case "tool":
		t, err := parseTool(o.Args)
		s.tools = append(s.tools, t)
		return outcome{}, err
	case "permit":
		ps, err := parsePermits(o.Args)
		s.permits = append(s.permits, ps...)
		return outcome{}, err
	case "hook":
		h, err := parseHook(o.Args)
		s.hooks = append(s.hooks, h)
		return outcome{}, err
	case "compact":
		s.compact = true
		return outcome{}, nil
	case "session":
		e.endLife()
		e.fresh(o.Args[0])
		return outcome{}, nil
	case "history":
		return outcome{}, e.writeHistory(o)
	case "damage":
		return outcome{}, e.doDamage(o)
	case "at":
		a, err := parseArming(o.Args)
		if err == nil {
			e.armed = append(e.armed, &armed{arming: a, place: e.place(o), s: s, moves: e.moves})
		}
		return outcome{}, err
	case "fault":
		return outcome{}, e.doFault(o)
	case "run":
		e.moves++
		if e.guest != nil {
			return e.guest.run(o.Args[0], o.Neg)
		}
		return e.doRun(o.Args[0], o.Neg)
	case "resume":
		e.moves++
		if e.guest != nil {
			return e.guest.resume(strings.Join(o.Args, ""), o.Neg)
		}
		prompt := ""
		if len(o.Args) > 0 {
			prompt = o.Args[0]
		}
		return e.doResume(prompt, o.Neg)
	}
	return outcome{}, fmt.Errorf("%s is no operation of the engine", o.Name)
}

// doRun is the next user turn: in the life under way, or in the first one.
func (e *engine) doRun(prompt string, neg bool) (outcome, error) {
	s := e.cur
	if s.life != nil && !s.life.m.Alive() {
		e.endLife()
	}
	if s.life == nil && s.lives > 0 && s.given == 0 {
		// Unless it died before there was a session.
		if len(s.bytes(e.world, "transcript")) > 0 {
			return outcome{}, errors.New("run: the process is gone; resume opens the session again")
		}
	}
	l := s.life
	if l == nil {
		l = e.beginLife()
	}
	return e.act(l, neg, func() (harness.Result, error) {
		if l.h == nil {
			open := harness.Create
			if s.given > 0 {
				open = harness.Open
			}
			var err error
			if l.h, err = open(l.ctx, l.config()); err != nil {
				return harness.Result{}, err
			}
		}
		l.begin()
		return l.h.Run(l.ctx, prompt)
	})
}

// doResume is a new life: whatever process there was is gone.
func (e *engine) doResume(prompt string, neg bool) (outcome, error) {
	e.endLife()
	l := e.beginLife()
	return e.act(l, neg, func() (harness.Result, error) {
		var err error
		if l.h, err = harness.Open(l.ctx, l.config()); err != nil {
			return harness.Result{}, err
		}
		l.begin()
		return l.h.Resume(l.ctx, prompt)
	})
}

// act lets the life's main task run f, and notes what it returned.
func (e *engine) act(l *life, neg bool, f func() (harness.Result, error)) (outcome, error) {
	s := l.s
	var res harness.Result
	var err error
	returned := l.do(func() {
		l.ctx, l.cancel = l.env.Clock.WithCancel(context.WithValue(background, lifeKey{}, l))
		defer l.cancel(nil)
		res, err = f()
	})
	l.last = len(e.done)
	r := evidence.Returned{Life: l.n, Refuse: neg}
	var out outcome
	switch {
	case !returned:
		out.text = s.lastText(e.world)
		out.errText = l.how()
		e.endLife()
		if l.broke() {
			s.ended = &r
			s.log.Return(r)
			return out, loopError(l.how())
		}
	default:
		r.Run, r.Reason, r.Detail, r.Text = res.Run, string(res.Reason), res.Detail, res.Text
		if err != nil {
			r.Err = err.Error()
			out.errText = r.Err
		}
		out.text = res.Text
		out.refused = err != nil && res.Reason == ""
	}
	s.ended = &r
	s.log.Return(r)
	if out.text != "" {
		out.text += "\n"
	}
	if out.errText != "" {
		out.errText += "\n"
	}
	return out, nil
}

// loopError is a failure that is the loop's, not the scenario's.
type loopError string

func (e loopError) Error() string { return string(e) }

// endLife lets the process of the current session end, if there is one, as a
// process does that has nothing more to do.
func (e *engine) endLife() {
	s := e.cur
	l := s.life
	if l == nil {
		return
	}
	l.quit()
	s.life = nil
	rec := evidence.Life{N: l.n, Outcome: "ended", Left: l.out.Left, Point: l.point}
	switch {
	case l.power:
		e.world.Disk.PowerCut(rand.New(rand.NewPCG(e.seed, uint64(l.n)^0x9e3779b97f4a7c15)))
		rec.Outcome = "powercut"
	case l.out.Crashed:
		rec.Outcome = "killed"
	case l.out.Panic != "":
		rec.Outcome = "panic: " + l.out.Panic
	case l.out.Deadlock != "":
		rec.Outcome = "deadlock: " + l.out.Deadlock
	}
	if e.broke == "" && l.broke() {
		e.broke = l.how()
	}
	if e.twin != nil && l.out.Panic == "" && l.out.Deadlock == "" {
		// The life is not marked as real: it has its trace, which agreed.
		if d := e.twin.relive(e, l); d != "" && e.differ == "" {
			e.differ = d
		}
	}
	s.log.Life(rec)
}

// finish ends what still lives.
func (e *engine) finish() {
	if e.guest != nil {
		e.guest.close()
	}
	e.endLife()
}

func (e *engine) place(o op) string { return fmt.Sprintf("%s:%d", e.sc.File, o.Line) }

func (e *engine) provide(o op) error {
	script := e.plan.scripts[o.Line]
	if script == nil {
		return fmt.Errorf("line %d: no script was read there", o.Line)
	}
	return e.add(e.place(o), func(f fake.Options) (Upstream, error) { return fake.NewServer(script, f), nil })
}

func (e *engine) openCassette(o op) error {
	path, err := e.sc.src.findCassette(o.Args[0])
	if err != nil {
		return err
	}
	c, err := cassettes.Open(path)
	if err != nil {
		return err
	}
	match := cassettes.Order
	if len(o.Args) > 1 {
		match = cassettes.Match(strings.TrimPrefix(o.Args[1], "match="))
	}
	return e.add(e.place(o), func(f fake.Options) (Upstream, error) {
		return c.Player(cassettes.Options{Match: match, Wire: f}), nil
	})
}

// writeHistory lets a process write a session and go, without a terminal.
func (e *engine) writeHistory(o op) error {
	s := e.cur
	recs, problems := parseHistory(e.sc.src.path, e.sc.src.file(o.Args[0]))
	if problems != nil {
		return problems
	}
	l := e.beginLife()
	var err error
	l.do(func() {
		quiet := l.env
		quiet.Probe = env.NoProbe{}
		var j *journal.Journal
		j, _, err = journal.Create(quiet, l.env.IDs.Session(), journal.Record{Model: s.set.Model})
		if err != nil {
			return
		}
		list := make([]*journal.Record, len(recs))
		for i := range recs {
			list[i] = &recs[i]
		}
		if err = j.Commit("written by the scenario", list...); err == nil {
			s.given = list[len(list)-1].Seq
		}
		err = errors.Join(err, j.Close())
	})
	e.endLife()
	if err != nil {
		return fmt.Errorf("history %s: %w", o.Args[0], err)
	}
	s.calls.read(s.records(e.world))
	return nil
}

func (e *engine) doDamage(o op) error {
	d, err := parseDamage(o.Args)
	if err != nil {
		return err
	}
	s := e.cur
	e.endLife()
	name := s.fileName(d.file)
	old, err := readFile(e.world.Files("."), name)
	if err != nil {
		return fmt.Errorf("damage %s: %w", d.file, err)
	}
	neu, err := d.apply(old)
	if err != nil {
		return fmt.Errorf("damage: %w", err)
	}
	if err := writeFile(e.world.Files("."), name, neu); err != nil {
		return err
	}
	if e.world.Disk != nil {
		e.world.Disk.Settle()
	}
	if e.twin != nil {
		if err := e.twin.write(name, neu); err != nil {
			return err
		}
	}
	kind := map[string]evidence.Kind{"transcript": evidence.KindTranscript, "audit": evidence.KindAudit, "head": evidence.KindAudit, "effects": evidence.KindEffects}[d.file]
	s.damaged = append(s.damaged, evidence.Damage{
		Kind: kind, What: "damage " + strings.Join(o.Args, " "), Place: e.place(o),
		Lost: d.op != "append" || strings.Contains(d.text, "\n"), // a whole line is no torn write: it is forged
	})
	return nil
}
