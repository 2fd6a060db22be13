package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/journal"
)

// The methods here hold an expectation against the world. Each returns what is
// wrong in words that show what was expected, what came, and where they part.

func (e *engine) expectTerminal(args []string) error {
	s := e.cur
	got, detail := s.terminal(e)
	if got != args[0] {
		msg := fmt.Sprintf("want terminal %s, got %s", args[0], got)
		if detail != "" {
			msg += " (" + detail + ")"
		}
		return fmt.Errorf("%s", msg)
	}
	if len(args) == 2 && !regexp.MustCompile(args[1]).MatchString(detail) {
		return fmt.Errorf("terminal %s came with the detail %q, which does not match %q", got, detail, args[1])
	}
	return nil
}

// terminal is how the last run ended: what it returned, or what the disk says
// when its process died.
func (s *session) terminal(e *engine) (reason, detail string) {
	if s.ended != nil && s.ended.Reason != "" && (s.life == nil || s.life.m.Alive()) {
		return s.ended.Reason, s.ended.Detail
	}
	if s.ended != nil && s.ended.Err != "" {
		return "none", "the loop refused: " + s.ended.Err
	}
	recs := s.records(e.world)
	st := harness.Fold(recs)
	switch {
	case st.Run == 0:
		return string(harness.Crashed), "no run is on disk"
	case st.Live():
		return string(harness.Crashed), ""
	}
	for i := len(recs) - 1; i >= 0; i-- {
		if recs[i].Kind == journal.KindTerminal {
			return recs[i].Reason, recs[i].Detail
		}
	}
	return string(harness.Crashed), ""
}

func (e *engine) expectEffects(args []string) error {
	want, err := parseCounts(args, "TOOL")
	if err != nil {
		return err
	}
	effects, odd := evidence.ReadEffects(e.cur.bytes(e.world, "effects"))
	got := map[string]int{}
	keys := map[string]bool{}
	for _, f := range effects {
		if f.Key != "" {
			if keys[f.Tool+" "+f.Key] {
				continue
			}
			keys[f.Tool+" "+f.Key] = true
		}
		got[f.Tool]++
	}
	return compareCounts("effects", want, got, func() string {
		var b strings.Builder
		for _, f := range effects {
			fmt.Fprintf(&b, "\n  life %d: %s %s %s", f.Life, f.Tool, f.ID, f.What)
		}
		for _, o := range odd {
			fmt.Fprintf(&b, "\n  line %d: %s", o.Line, o.Why)
		}
		return b.String()
	})
}

// compareCounts compares the whole of got with want; a name that is not wanted
// must not come.
func compareCounts(what string, want []namedCount, got map[string]int, list func() string) error {
	ok := true
	var wants, gots []string
	for _, w := range want {
		ok = ok && w.holds(got[w.name])
		wants = append(wants, w.name+"="+w.String())
	}
	names := make([]string, 0, len(got))
	for n := range got {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		ok = ok && slices.ContainsFunc(want, func(w namedCount) bool { return w.name == n })
		gots = append(gots, n+"="+strconv.Itoa(got[n]))
	}
	if ok {
		return nil
	}
	return fmt.Errorf("want %s %s, got %s%s", what, orNone(wants), orNone(gots), list())
}

func orNone(s []string) string {
	if len(s) == 0 {
		return "none"
	}
	return strings.Join(s, " ")
}

func (e *engine) expectRequests(args []string) error {
	want, err := parseRequests(args)
	if err != nil {
		return err
	}
	wire := e.cur.exchanges()
	list := func() string {
		var b strings.Builder
		for _, it := range wireItems(wire) {
			b.WriteString("\n  " + it.line)
		}
		return b.String()
	}
	if len(want) == 1 && want[0].name == "" {
		if !want[0].holds(len(wire)) {
			return fmt.Errorf("want %s requests, got %d%s", want[0].String(), len(wire), list())
		}
		return nil
	}
	got := map[string]int{}
	for _, x := range wire {
		got[x.Lane]++
	}
	return compareCounts("requests", want, got, list)
}

func (e *engine) expectCalls(args []string) error {
	want, err := parseCalls(args)
	if err != nil {
		return err
	}
	s := e.cur
	recs := s.records(e.world)
	state := map[string]string{} // by our id
	made := map[string][]string{}
	for i := range recs {
		r := &recs[i]
		switch r.Kind {
		case journal.KindCall:
			made[r.ID] = append(made[r.ID], r.Call)
			state[r.Call] = "open"
		case journal.KindStarted:
			state[r.Call] = "open, started"
		case journal.KindResult, journal.KindToolError:
			state[r.Call] = string(r.State)
			if r.State == "" {
				state[r.Call] = string(journal.Done)
				if r.Kind == journal.KindToolError {
					state[r.Call] = string(journal.Failed)
				}
			}
		}
	}
	for _, w := range want {
		calls := made[w.call.id]
		n := w.call.n
		switch {
		case len(calls) == 0:
			return fmt.Errorf("want call %s %s, but no call %s is recorded%s", w.call, w.state, w.call.id, callList(made, state))
		case n == 0 && len(calls) > 1:
			return fmt.Errorf("%s was called %s: write '%s#1', '%s#2' ...%s", w.call.id, times(len(calls)), w.call.id, w.call.id, callList(made, state))
		case n > len(calls):
			return fmt.Errorf("want call %s %s, but %s was called %s%s", w.call, w.state, w.call.id, times(len(calls)), callList(made, state))
		}
		if got := state[calls[max(n, 1)-1]]; got != string(w.state) {
			return fmt.Errorf("want call %s %s, got %s%s", w.call, w.state, got, callList(made, state))
		}
	}
	return nil
}

func callList(made map[string][]string, state map[string]string) string {
	var b strings.Builder
	ids := make([]string, 0, len(made))
	for id := range made {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		for i, c := range made[id] {
			fmt.Fprintf(&b, "\n  %s: %s", callRef{id, i + 1}, state[c])
		}
	}
	return b.String()
}

func (e *engine) expectTransitions(args []string) error {
	ps, err := parseTransitions(args)
	if err != nil {
		return err
	}
	var list []item
	for _, r := range e.cur.records(e.world) {
		if r.Kind == journal.KindTransition {
			list = append(list, item{kind: r.Reason, line: fmt.Sprintf("record %d %s", r.Seq, r.Detail)})
		}
	}
	if ok, items, at := matchAll(ps, list); !ok {
		return mismatch("transitions", ps, list, items, at)
	}
	return nil
}

func (e *engine) expectWaits(args []string) error {
	want, err := parseWaits(args)
	if err != nil {
		return err
	}
	got := e.cur.waits.list
	ok := len(want) == len(got)
	for i := 0; ok && i < len(want); i++ {
		ok = want[i].holds(got[i])
	}
	if ok {
		return nil
	}
	var wants, gots []string
	for _, w := range want {
		wants = append(wants, w.String())
	}
	for _, g := range got {
		gots = append(gots, g.String())
	}
	return fmt.Errorf("want waits %s, got %s", orNone(wants), orNone(gots))
}

func (e *engine) expectClock(args []string) error {
	want, err := parseSpan(args[0])
	if err != nil {
		return err
	}
	if got := e.elapsed(); !want.holds(got) {
		return fmt.Errorf("want the clock at %s, got %s", want, got)
	}
	return nil
}

func (e *engine) elapsed() time.Duration { return e.world.Past().Elapsed }

func (e *engine) expectSpent(args []string) error {
	want, err := parseSpent(args)
	if err != nil {
		return err
	}
	got := map[string]int{}
	for _, r := range e.cur.records(e.world) {
		if r.Usage != nil && (r.Kind == journal.KindAssistant || r.Kind == journal.KindDiscarded) {
			got["in"] += r.Usage.In
			got["out"] += r.Usage.Out
		}
	}
	for _, k := range []string{"in", "out"} {
		if n, ok := want[k]; ok && n != got[k] {
			return fmt.Errorf("want %d tokens %s, got in=%d out=%d", n, k, got["in"], got["out"])
		}
	}
	return nil
}

// expectation is one `finding` line.
type expectation struct {
	rule  string
	re    *regexp.Regexp
	place string
	met   int
}

func (e *engine) expectFinding(line int, args []string) error {
	re, err := regexp.Compile(args[1])
	if err != nil {
		return err
	}
	e.cur.expects = append(e.cur.expects, &expectation{rule: args[0], re: re, place: fmt.Sprintf("%s:%d", e.sc.File, line)})
	return nil
}
