package scenarios

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/internal/seam"
	"github.com/harnessbench/bench/providers/protocol"
	"github.com/harnessbench/bench/sim"
)

var background = context.Background()

// life is one process's time with a session: a machine whose main task does
// what it is told, one thing after the other, until it is told nothing more or
// dies.
type life struct {
	e   *engine
	s   *session
	n   int // among all lives of the world
	m   *sim.Machine
	env env.Env // rooted at the session's folder

	disk env.FS // the whole disk
	work env.FS // the workspace of the tools

	told chan func() // to the main task; closed: nothing more
	acks chan struct{}
	over chan struct{} // closed when the machine has stopped
	out  sim.Outcome
	last int // operations obeyed up to the last one that was its

	// Of the main task, or of whoever waits for it:
	h      *harness.Session
	ctx    context.Context // of the run or resume under way
	cancel context.CancelCauseFunc
	ledger lastByte

	point string // what ended it
	power bool   // and cut the power

	// An `at` line made a part panic. Should nothing catch that, the process
	// dies of it, as it was meant to.
	panics string

	// Of a life that only stands for a foreign agent's call of a tool:
	number int         // the call is the number-th with its id
	made   int         // and the made-th of its tool
	lock   *sync.Mutex // of the ledger
}

func (e *engine) beginLife() *life {
	s := e.cur
	l := &life{e: e, s: s, told: make(chan func(), 1), acks: make(chan struct{}, 1), over: make(chan struct{}), last: len(e.done)}
	if e.alone != nil && e.world.Past().Lives+1 == e.alone.life {
		e.alone.enter(e)
	}
	l.m = e.world.Boot(l)
	l.n = l.m.Life()
	l.env = l.m.Env(s.dir)
	l.disk, l.work = l.m.Env(".").FS, l.m.Env(workDir).FS
	s.life = l
	s.own[l.n] = true
	if s.lives++; s.lives > 1 {
		for _, a := range s.ups {
			a.up.BeginLife()
		}
	}
	l.ctx, l.cancel = background, func(error) {}
	go func() {
		defer close(l.over)
		l.out = l.m.Run(l.main)
	}()
	return l
}

// main is the process. Between two things it is told it keeps the machine to
// itself: neither time nor a task moves on, so that what background work gets
// done does not depend on how fast the bench is.
func (l *life) main() {
	for f := range l.told {
		f()
		l.acks <- struct{}{}
	}
	if l.h != nil {
		l.h.Close()
	}
}

// do lets the main task run f. It reports whether f came to its end: it does
// not when the life ends first.
func (l *life) do(f func()) bool {
	l.told <- f
	select {
	case <-l.acks:
		return true
	case <-l.over:
	}
	select {
	case <-l.acks:
		return true
	default:
		return false
	}
}

// quit lets the process end, if it has not, and waits until it is gone.
func (l *life) quit() {
	close(l.told)
	<-l.over
}

// how says how the life ended, for stderr and for reports.
func (l *life) how() string {
	switch {
	case l.out.Panic != "" && l.panics != "":
		return fmt.Sprintf("life %d died of a panic that nothing caught (%s)", l.n, l.panics)
	case l.out.Panic != "":
		return strings.TrimSpace(fmt.Sprintf("life %d panicked: %s\n%s", l.n, l.out.Panic, l.out.Stack))
	case l.out.Deadlock != "":
		return fmt.Sprintf("life %d came to a standstill: %s", l.n, l.out.Deadlock)
	case l.power:
		return fmt.Sprintf("life %d: the power was cut (%s)", l.n, l.point)
	}
	return fmt.Sprintf("life %d was killed (%s)", l.n, l.point)
}

// broke reports whether the life ended as none may: by a panic of its own, or
// in a standstill.
func (l *life) broke() bool { return l.out.Panic != "" && l.panics == "" || l.out.Deadlock != "" }

// end ends the life here and now, as the last thing that its process does.
func (l *life) end(why string, power bool) {
	l.point, l.power = why, power
	for _, up := range l.s.ups {
		up.freeze(l.n)
	}
	if a := l.e.alone; a != nil && a.die != nil && l.n == a.life {
		l.e.world.Trace(evidence.Step{Kind: evidence.StepKill})
		a.die(l)
	}
	l.m.Kill(why)
}

// canary is the API key of every simulated loop. It must appear in no artifact.
const canary = seam.Canary

// config is what the loop is given in this life.
func (l *life) config() harness.Config {
	s := l.s
	reg, err := l.registry()
	if err != nil {
		panic(err) // the checker has seen every tool line
	}
	cfg := s.set
	cfg.Tools, cfg.Env, cfg.Subscriber, cfg.Seam = reg, l.env, l, l.e.seam
	cfg.Hooks, cfg.Policy, cfg.Approver = l.hooks(), policy(s.permits), approver(s.permits)
	wire, err := protocol.Named(l.e.v.protocol)
	if err != nil {
		panic(err) // the checker has seen the protocol line
	}
	cfg.Provider = wire.Client(protocol.Config{
		BaseURL: "http://bench.invalid" + wire.Root, APIKey: canary, BenchHeaders: true,
		HTTP: &http.Client{Transport: limited{l, s.up(), s.up().up.Transport()}},
	})
	return cfg
}

// begin prepares the session that the life has opened for what comes next.
func (l *life) begin() {
	if l.s.compact {
		l.s.compact = false
		l.h.Compact()
	}
}

// Publish makes a life its own subscriber: what is shown is outside the
// process, and stays.
func (l *life) Publish(ev harness.Event) error {
	if !l.m.Alive() {
		return errors.New("the process is gone")
	}
	show := evidence.Shown{Life: l.n, Kind: "preview", Attempt: ev.Attempt, Text: ev.Text}
	step := evidence.Step{Kind: evidence.StepPublish}
	if r := ev.Record; r != nil {
		show.Kind, show.Record, show.Attempt, show.Call, show.ID, show.Text = string(r.Kind), r.Seq, r.Attempt, r.Call, r.ID, r.Text
		show.Line = lineHash(r)
		step.Record = r.Seq
	}
	names := idNames{ev.Attempt}
	if ev.Record != nil {
		names = namesOf(ev.Record)
	}
	show.Step = l.e.world.Trace(step)
	show.Seq = l.s.log.Show(show)
	l.s.shownAs = append(l.s.shownAs, names)
	if a := l.e.alone; a != nil && a.shown != nil && l.n == a.life {
		a.shown(show)
	}
	return nil
}

// lineHash is the hash of the transcript line of a record, newline included, as
// its audit entry has it.
func lineHash(r *journal.Record) string {
	b := make([]byte, 0, 512)
	sum := sha256.Sum256(append(journal.AppendRecord(b, r), '\n'))
	return hex.EncodeToString(sum[:])
}

// Hit makes a life its own probe.
func (l *life) Hit(site env.Site) error {
	e, s := l.e, l.s
	e.visited = site.Point
	s.calls.visit(site)
	s.waits.visit(site, e.world.Now())
	var failed error
	for _, a := range e.armed {
		if a.fired > 0 || !a.hit(site, &s.calls) {
			continue
		}
		a.at = site.Point
		if err := l.fire(a); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// fire does what an `at` line says. It may not return.
func (l *life) fire(a *armed) error {
	a.fired++
	if a.after > 0 {
		ctx := l.ctx
		l.env.Clock.Go(a.text, func() {
			if l.env.Clock.Sleep(ctx, a.after) == nil {
				l.strike(a)
			}
		})
		return nil
	}
	return l.strike(a)
}

func (l *life) strike(a *armed) error {
	switch a.act {
	case actKill, actPower:
		power := a.act == actPower
		if a.bytes >= 0 {
			l.m.ArmTear(sim.TearSpec{Bytes: a.bytes, Then: func() error { l.end(a.text, power); return nil }})
			return nil
		}
		l.end(a.text, power)
	case actAbort:
		l.e.world.Trace(evidence.Step{Kind: evidence.StepAbort})
		cause := errors.New("aborted by the user (" + a.text + ")")
		if l.h != nil {
			l.h.Abort(cause)
		}
		l.cancel(cause)
	case actPanic:
		l.panics = a.text
		panic("a fault in our own part (" + a.text + ")")
	case actError:
		err := errnoOf(a.arg)
		if a.bytes >= 0 {
			l.m.ArmTear(sim.TearSpec{Bytes: a.bytes, Then: func() error { return err }})
			return nil
		}
		return err
	case actOpen:
		l.s.up().up.OpenGate(a.arg)
	}
	return nil
}

// lastByte is the last byte of the effect ledger, read once in a life: nobody
// but the tools of this life writes to it.
type lastByte struct {
	known bool
	b     byte
}
