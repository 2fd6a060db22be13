package invariants

import (
	"slices"
	"strings"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/protocol"
)

// Case is one Evidence, indexed for the rules. It is built once for all of
// them, in one pass over each part, so that a session of 10,000 turns can be
// judged. What is dear to compute is computed when a rule first asks for it.
type Case struct {
	ev   *evidence.Evidence
	opts Options

	recs       []journal.Record
	at         []evidence.Spot
	bySeq      map[int64]int // seq -> index in recs
	calls      []*call       // in the order of their call records; those without one last
	callBy     map[string]*call
	attempts   []*attempt
	attemptBy  map[string]*attempt
	runs       []*run
	runBy      map[int]*run
	exchanges  []*exchange
	resumes    []int // indexes of resume records
	boundaries []int // indexes of boundary records
	tools      map[string]*evidence.ToolInfo
	appended   []int           // by record: the step of the trace that appended it; -1: not known
	traced     map[string]bool // tools that the trace saw being entered
	hashes     []string        // by record: the hash of its line, once asked for
	tooled     *toldOf         // what the records say about tools, once asked for
}

// call is one call of ours and everything said about it.
type call struct {
	id      string // ours
	rec     int    // index of its first call record; -1: none
	again   []int  // further call records under the same id
	name    string
	started []int // records
	settled []int // records: result, tool_error
	starts  []int // steps
	ends    []int // steps
	effects []int // indexes in ev.Effects
	asked   []int // permission records
	ended   []int // notices that tell of the end of a background call
}

// attempt is one provider call.
type attempt struct {
	id        string
	rec       int // of its attempt record; -1: none
	lane      string
	run       int
	assistant int // index of the record that commits it; -1
	discarded int // index of the record that discards it; -1
	exchanges []*exchange
	calls     []*call
}

// run is everything recorded between one user prompt and the next.
type run struct {
	n         int
	first     int // index of its first record
	last      int
	prompt    int // its user record; -1: none
	terminals []int
	attempts  []*attempt // of the main lane, in order
	gates     []int      // gate records
	resumes   int

	looked  bool // for transitions that change the next request
	changes bool
}

// exchange is one exchange with the answer that it carried.
type exchange struct {
	*evidence.Exchange
	wire *protocol.Protocol // nil: none that is known
	read bool
	said *turn

	looked bool // at the request
	facts  asked
	failed failure
}

// turn reads the exchange's answer, once.
func (x *exchange) turn() *turn {
	if !x.read {
		x.said, x.read = readTurn(x.Exchange), true
	}
	return x.said
}

func (x *exchange) main() bool { return x.Lane == "" || x.Lane == providers.LaneMain }

func newCase(ev *evidence.Evidence, o Options) *Case {
	if len(ev.RecordAt) != len(ev.Records) || len(ev.EntryAt) != len(ev.Entries) || len(ev.EffectAt) != len(ev.Effects) ||
		len(ev.Records) == 0 && len(ev.Transcript) > 0 && len(ev.Odd) == 0 {
		view := *ev
		view.Load(ev.Transcript, ev.Audit, ev.Ledger)
		ev = &view
	}
	c := &Case{
		ev: ev, opts: o, recs: ev.Records, at: ev.RecordAt,
		bySeq: make(map[int64]int, len(ev.Records)), callBy: map[string]*call{}, attemptBy: map[string]*attempt{},
		runBy: map[int]*run{}, tools: map[string]*evidence.ToolInfo{}, traced: map[string]bool{},
	}
	for i := range ev.Tools {
		c.tools[ev.Tools[i].Name] = &ev.Tools[i]
	}
	for i := range c.recs {
		c.index(i)
	}
	for i := range ev.Effects {
		if id := ev.Effects[i].Call; id != "" {
			k := c.call(id)
			k.effects = append(k.effects, i)
		}
	}
	for _, e := range ev.Wire {
		x := &exchange{Exchange: e, wire: protocol.Of(e.Path)}
		c.exchanges = append(c.exchanges, x)
		if a := c.attemptBy[e.Attempt]; a != nil && e.Attempt != "" {
			a.exchanges = append(a.exchanges, x)
		}
	}
	c.indexTrace()
	return c
}

// index files one record.
func (c *Case) index(i int) {
	r := &c.recs[i]
	c.bySeq[r.Seq] = i
	if r.Run > 0 {
		u := c.runBy[r.Run]
		if u == nil {
			u = &run{n: r.Run, first: i, prompt: -1}
			c.runBy[r.Run] = u
			c.runs = append(c.runs, u)
		}
		u.last = i
		switch r.Kind {
		case journal.KindUser:
			u.prompt = i
		case journal.KindTerminal:
			u.terminals = append(u.terminals, i)
		case journal.KindGate:
			u.gates = append(u.gates, i)
		case journal.KindResume:
			u.resumes++
		}
	}
	switch r.Kind {
	case journal.KindResume:
		c.resumes = append(c.resumes, i)
	case journal.KindAttempt:
		a := c.attempt(r.Attempt)
		if a.rec < 0 {
			a.rec, a.lane, a.run = i, r.Lane, r.Run
			if a.main() && c.runBy[r.Run] != nil {
				c.runBy[r.Run].attempts = append(c.runBy[r.Run].attempts, a)
			}
		}
	case journal.KindAssistant:
		if a := c.attempt(r.Attempt); a.assistant < 0 {
			a.assistant = i
		}
	case journal.KindDiscarded:
		if a := c.attempt(r.Attempt); a.discarded < 0 {
			a.discarded = i
		}
	case journal.KindCall:
		k := c.call(r.Call)
		if k.rec >= 0 {
			k.again = append(k.again, i)
			break
		}
		k.rec, k.name = i, r.Name
		a := c.attempt(r.Attempt)
		a.calls = append(a.calls, k)
	case journal.KindStarted:
		k := c.call(r.Call)
		k.started = append(k.started, i)
	case journal.KindResult, journal.KindToolError:
		k := c.call(r.Call)
		k.settled = append(k.settled, i)
	case journal.KindPermission:
		k := c.call(r.Call)
		k.asked = append(k.asked, i)
	case journal.KindBoundary:
		c.boundaries = append(c.boundaries, i)
	case journal.KindNotice:
		if isBackground(r.Code) {
			k := c.call(r.Call)
			k.ended = append(k.ended, i)
		}
	}
}

func (c *Case) call(id string) *call {
	k := c.callBy[id]
	if k == nil {
		k = &call{id: id, rec: -1}
		c.callBy[id] = k
		c.calls = append(c.calls, k)
	}
	return k
}

func (c *Case) attempt(id string) *attempt {
	a := c.attemptBy[id]
	if a == nil {
		a = &attempt{id: id, rec: -1, assistant: -1, discarded: -1}
		c.attemptBy[id] = a
		c.attempts = append(c.attempts, a)
	}
	return a
}

func (a *attempt) main() bool { return a.lane == "" || a.lane == providers.LaneMain }

// turn is the answer that the attempt's bytes hold; nil when there is none or
// when several exchanges claim the attempt and do not agree on one.
func (a *attempt) turn() *turn {
	var t *turn
	for _, x := range a.exchanges {
		if s := x.turn(); s != nil {
			if t != nil {
				return nil
			}
			t = s
		}
	}
	return t
}

// given reports whether the record was written by the scenario.
func (c *Case) given(i int) bool { return c.recs[i].Seq <= c.ev.Given }

// lost reports whether the scenario itself took something out of a kind of
// evidence, so that what is not there may have been there.
func (c *Case) lost(k evidence.Kind) bool {
	return slices.ContainsFunc(c.ev.Damaged, func(d evidence.Damage) bool { return d.Kind == k && d.Lost })
}

// isGiven reports whether the call was made before the loop began.
func (c *Case) isGiven(k *call) bool { return k.rec >= 0 && c.given(k.rec) }

// readOnly says whether a tool is declared to have no effects; known is false
// when nothing is known about it.
func (c *Case) readOnly(name string) (ro, known bool) {
	t := c.tools[name]
	return t != nil && t.ReadOnly, t != nil
}

// resumedBetween reports whether a crash was settled between two records.
func (c *Case) resumedBetween(from, to int) bool {
	i, _ := slices.BinarySearch(c.resumes, from)
	return i < len(c.resumes) && c.resumes[i] <= to
}

// crashedBetween reports whether a crash was settled between two records, the
// second of which may itself be part of the settling: that begins with the
// outcomes of calls that began early, and the resume record comes behind them.
func (c *Case) crashedBetween(from, to int) bool {
	if c.resumedBetween(from, to) {
		return true
	}
	for i := to + 1; i < len(c.recs); i++ {
		switch r := &c.recs[i]; {
		case r.Kind == journal.KindResume:
			return true
		case r.Kind == journal.KindResult, r.Kind == journal.KindNotice, r.Kind == journal.KindQuarantine:
		case r.Kind == journal.KindDiscarded && r.Reason == "crash":
		default:
			return false
		}
	}
	return false
}

// lifeOfRecord is the life that appended a record; 0 when the trace does not tell.
func (c *Case) lifeOfRecord(i int) int {
	if s := c.appended[i]; s >= 0 {
		return c.ev.Trace[s].Life
	}
	return 0
}

// died reports whether any life was cut short: killed, or by its own panic or deadlock.
func (c *Case) died() bool {
	return slices.ContainsFunc(c.ev.Lives, func(l evidence.Life) bool { return !l.Ended() })
}

// deaths counts the lives that were cut short; where nobody counted lives, the
// resumes that were recorded.
func (c *Case) deaths() int {
	if len(c.ev.Lives) == 0 {
		return len(c.resumes)
	}
	n := 0
	for _, l := range c.ev.Lives {
		if !l.Ended() {
			n++
		}
	}
	return n
}

// untraced reports whether some life left no trace, so that what the trace
// does not have may still have happened.
func (c *Case) untraced() bool {
	return !c.ev.Has(evidence.KindTrace) || len(c.ev.Trace) == 0 ||
		slices.ContainsFunc(c.ev.Lives, func(l evidence.Life) bool { return l.Real })
}

// unsettledEnd reports whether the session may rightly lie as a crash left it:
// the last life died, could not record, or was refused.
func (c *Case) unsettledEnd() bool {
	n := len(c.ev.Lives)
	if n == 0 || !c.ev.Lives[n-1].Ended() {
		return true
	}
	for _, r := range c.ev.Runs {
		if r.Life == c.ev.Lives[n-1].N && (r.Reason == "persistence_failure" || r.Err != "") {
			return true
		}
	}
	return false
}

// firedTimes counts what was armed with that word in it and happened.
func (c *Case) firedTimes(word string) int {
	n := 0
	for _, f := range c.ev.Faults {
		if f.Fired > 0 && slices.Contains(strings.Fields(f.What), word) {
			n++
		}
	}
	return n
}

// fired reports whether something with that word in it was armed and happened.
func (c *Case) fired(word string) bool {
	return slices.ContainsFunc(c.ev.Faults, func(f evidence.Armed) bool {
		return f.Fired > 0 && slices.Contains(strings.Fields(f.What), word)
	})
}
