package scenarios

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/providers/protocol"
)

// execLimit bounds the programs that a scenario runs.
const execLimit = 60 * time.Second

// variant runs one variant below dir, which does not exist yet.
func (r *runner) variant(ctx context.Context, sc *Scenario, i int, dir string) Result {
	v := sc.variants[i]
	res := Result{Name: sc.Name + v.name, File: sc.File, Seed: r.o.Seed}
	if err := os.Mkdir(dir, 0o700); err != nil {
		res.Status, res.Problems = Broken, Problems{{File: sc.File, Text: err.Error()}}
		return res
	}
	defer removeAll(dir)

	if res.Skipped = sc.plans[i].unsaid; res.Skipped != "" {
		return res
	}
	e := newEngine(sc, i, r.o.Seed)
	e.seam, e.memo = r.o.Seam, r.memo
	e.stop = func() bool { return ctx.Err() != nil }
	if r.o.MostRequests > 0 {
		e.most = r.o.MostRequests
	}
	if r.o.Agent != nil {
		if v.protocol != protocol.Anthropic {
			res.Skipped = "the agent is asked in the protocol " + protocol.Anthropic
			return res
		}
		if res.Skipped = sc.plans[i].unfit(); res.Skipped != "" {
			return res
		}
		if err := e.invite(ctx, r.o.Agent, filepath.Join(dir, "disk")); err != nil {
			res.Status, res.Problems = Broken, Problems{{File: sc.File, Text: err.Error()}}
			return res
		}
	} else if v.real || r.o.RealKill {
		e.twin = r.newTwin(e, filepath.Join(dir, "disk"))
	}
	before := sc.src.data
	t := &scriptT{verbose: r.o.Verbose}
	var h *host
	t.catch(func() {
		testscript.RunT(t, testscript.Params{
			Files:              []string{sc.File},
			WorkdirRoot:        dir,
			RequireUniqueNames: true,
			UpdateScripts:      r.o.Update,
			Deadline:           deadline(sc),
			Cmds:               scriptCommands,
			Condition: func(name string) (bool, error) {
				holds, _ := v.guardHolds(name)
				return holds, nil
			},
			Setup: func(env *testscript.Env) error {
				h = &host{e: e, evidence: filepath.Join(env.WorkDir, evidenceFolder)}
				env.Values[hostKey{}] = h
				env.Setenv("EVIDENCE", h.evidence)
				for _, s := range v.vars {
					env.Setenv(s.name, s.value)
				}
				return nil
			},
		})
	})
	e.finish()
	if res.cut = e.broke == toldToEnd; res.cut {
		return res
	}
	res.Log = t.text()
	whole := t.failed == ""
	verdict := r.judge(e, whole, res.Name)
	res.Counts, res.Cover, res.Findings, res.Expected = verdict.counts, verdict.cover, verdict.found, verdict.expected
	if e.twin != nil {
		res.Counts.Spawns = e.twin.spawns
	}
	r.families.leave(e, verdict.evidence)
	r.settle(&res, t, h, e, verdict)
	if r.o.Update && whole {
		r.updated(&res, sc, before)
	}
	if res.Status != Pass {
		res.Again = r.again(sc, res.Name)
		if !r.o.NoKeep {
			res.Kept = r.save(&res, verdict.evidence)
		}
	}
	if r.o.Evidence != nil {
		r.o.Evidence(res, verdict.evidence)
	}
	return res
}

// deadline bounds what a scenario runs beside the loop; testscript's timer
// would outlive a scenario that runs nothing.
func deadline(sc *Scenario) time.Time {
	if !sc.execs {
		return time.Time{}
	}
	return time.Now().Add(execLimit)
}

// judge runs the rules, and what they need a second run for.
func (r *runner) judge(e *engine, whole bool, name string) verdict {
	var again, other []*evidence.Evidence
	if n := r.o.Repeat; e.guest == nil && (n > 1 || sampled(r.o.Seed, name)) {
		again = e.rerun(e.i, e.seed, whole)
		if n > 2 { // the rule looks at one other run: at the first that differs
			first := e.evidences(whole)
			for k := 2; k < n && sameEvidence(first, again); k++ {
				again = e.rerun(e.i, e.seed, whole)
			}
		}
		if len(e.armed) == 0 {
			other = e.rerun(e.i, e.seed+1, whole)
		}
	}
	return e.judge(whole, again, other, r.families.other(e, whole))
}

// settle turns what happened into a status.
func (r *runner) settle(res *Result, t *scriptT, h *host, e *engine, v verdict) {
	res.Failure = t.failed // what the assertion said, then what the script and the world say
	more := append(e.surprises(), v.missing...)
	surprised := len(more) > 0
	if e.broke != "" && !strings.Contains(res.Failure, e.broke) {
		more = append(more, e.broke)
	}
	if e.differ != "" {
		more = append(more, "the real process and the simulated one differ: "+e.differ)
	}
	if res.Failure != "" {
		more = append([]string{res.Failure}, more...)
	}
	res.Failure = strings.Join(more, "\n")
	vacuous, real := false, false
	for _, f := range v.found {
		if f.Rule == notVacuous {
			vacuous = true
		} else {
			real = true
		}
	}
	switch {
	case h == nil || h.broken:
		res.Status = Broken
	case real || e.differ != "" || e.broke != "" || surprised && !vacuous:
		res.Status = Fail
	case vacuous:
		// What was armed never happened; that an assertion behind it fails is
		// its consequence.
		res.Status = Vacuous
	case t.failed != "":
		res.Status = Fail
	}
}

const notVacuous = "bench/not-vacuous"

// updated looks at what -update has made of the file: a text that two variants
// write differently will never be right.
func (r *runner) updated(res *Result, sc *Scenario, before []byte) {
	now, err := readSource(sc.File)
	if err != nil || bytes.Equal(now.data, before) {
		return
	}
	old := sc.src
	for i := range now.archive {
		a := &now.archive[i]
		was := old.file(a.name)
		if was == nil || bytes.Equal(was.data, a.data) {
			continue
		}
		if by, ok := sc.updates[a.name]; ok {
			res.Status = Fail
			res.Failure = fmt.Sprintf("%s:%d: variants want different texts of %s: %s updated it, and now %s", sc.File, a.marker, a.name, by, res.Name)
			continue
		}
		if sc.updates == nil {
			sc.updates = map[string]string{}
		}
		sc.updates[a.name] = res.Name
	}
	sc.src = now
}

// save keeps the evidence of what did not pass, and returns where.
func (r *runner) save(res *Result, all []*evidence.Evidence) string {
	dir, err := r.keepAs(res.Name)
	for i, ev := range all {
		if err == nil {
			d := dir
			if i > 0 {
				d = filepath.Join(dir, fmt.Sprintf("session-%d", i+1))
			}
			err = ev.Save(d)
		}
	}
	if err != nil {
		return "not kept: " + err.Error()
	}
	return dir
}

// removeAll removes a work directory, whatever modes a scenario has set in it.
func removeAll(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(p, 0o700)
		}
		return nil
	})
	os.RemoveAll(dir)
}

// scriptT is the testscript.T of one variant.
type scriptT struct {
	verbose bool
	log     bytes.Buffer
	failed  string // the sentence of the first failure; "" when there was none
}

// stopped ends a script from inside, as runtime.Goexit does in package testing.
type stoppedScript struct{}

func (t *scriptT) Skip(a ...any)  { t.Fatal("a scenario cannot be skipped") }
func (t *scriptT) Parallel()      {}
func (t *scriptT) Verbose() bool  { return t.verbose }
func (t *scriptT) Log(a ...any)   { fmt.Fprintln(&t.log, a...) }
func (t *scriptT) Fatal(a ...any) { t.Log(append([]any{"FAIL:"}, a...)...); t.FailNow() }
func (t *scriptT) FailNow() {
	if t.failed == "" {
		t.failed = "failed"
	}
	panic(stoppedScript{})
}
func (t *scriptT) Run(_ string, f func(testscript.T)) { t.catch(func() { f(t) }) }

// catch runs f and outlives whatever it does: a panic in a command of ours
// would otherwise end the whole bench.
func (t *scriptT) catch(f func()) {
	defer func() {
		switch p := recover().(type) {
		case nil, stoppedScript:
		default:
			t.failed = fmt.Sprintf("the bench itself panicked: %v", p)
		}
		if t.failed == "failed" {
			t.failed = t.sentence()
		}
	}()
	f()
}

// headingTime is the wall clock's time that testscript puts behind a phase:
// logs are to be the same, run after run.
var headingTime = regexp.MustCompile(`(?m)^(#.*) \(\d+\.\d+s\)$`)

// text is the log without what differs from run to run.
func (t *scriptT) text() string {
	s := t.log.String()
	if strings.HasPrefix(s, "WORK=") {
		_, s, _ = strings.Cut(s, "\n")
	}
	return headingTime.ReplaceAllString(s, "$1")
}

// sentence is the failure in testscript's log: the last FAIL and what follows,
// and the differences that cmp prints before it.
func (t *scriptT) sentence() string {
	s := t.text()
	i := strings.LastIndex("\n"+s, "\nFAIL: ")
	if i < 0 {
		return "the script failed"
	}
	said := strings.TrimSpace(strings.TrimPrefix(s[i:], "FAIL: "))
	if d := strings.LastIndex("\n"+s[:i], "\ndiff "); d > strings.LastIndex("\n"+s[:i], "\n> ") {
		said += "\n" + strings.TrimSpace(s[d:i])
	}
	return said
}

// host is what a variant's commands find in their script.
type host struct {
	e        *engine
	evidence string // folder
	broken   bool   // the scenario itself cannot be run
	next     int    // index in the plan's lines
}

// line returns the line of the command of that name that runs now.
func (h *host) line(name string) int {
	for i := h.next; i < len(h.e.plan.lines); i++ {
		if l := h.e.plan.lines[i]; l.name == name {
			h.next = i + 1
			return l.line
		}
	}
	return 0
}

type hostKey struct{}

func hostOf(ts *testscript.TestScript) *host { return ts.Value(hostKey{}).(*host) }

// obeyIn lets the engine obey a command that changes the world.
func (e *engine) obeyIn(ts *testscript.TestScript, o op) outcome {
	h := hostOf(ts)
	o.Line = h.line(o.Name)
	out, err := e.obey(o)
	if out.text != "" {
		fmt.Fprint(ts.Stdout(), out.text)
	}
	if out.errText != "" {
		fmt.Fprint(ts.Stderr(), out.errText)
	}
	if err != nil {
		var loop loopError
		h.broken = !errors.As(err, &loop)
		ts.Fatalf("%v", err)
	}
	if e.sc.evidence {
		if err := e.evidence(e.cur, false).Save(h.evidence); err != nil {
			ts.Fatalf("evidence: %v", err)
		}
	}
	return out
}
