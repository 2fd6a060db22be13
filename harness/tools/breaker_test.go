package tools_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
)

const openFor = 300 * time.Second

func TestBreaker(t *testing.T) {
	const now = 1_000_000
	late := int64(now + openFor/time.Millisecond)
	var closed tools.Breaker
	two := closed.Failed(now, 3).Failed(now, 3)
	open := two.Failed(now, 3)
	half := open.Probe()
	for _, c := range []struct {
		name      string
		b         tools.Breaker
		now       int64
		ok, probe bool
	}{
		{"new", closed, now, true, false},
		{"two failures", two, now, true, false},
		{"a success between", two.Succeeded().Failed(now, 3), now, true, false},
		{"three", open, now, false, false},
		{"three, a little later", open, late - 1, false, false},
		{"three, when the time is over", open, late, true, true},
		{"three, and the clock was set back", open, now - 1, true, true},
		{"a probe is on its way", half, late, false, false},
		{"the probe succeeded", half.Succeeded(), late, true, false},
		{"the probe failed", half.Failed(late, 3), late, false, false},
		{"the probe failed, later", half.Failed(late, 3), late + int64(openFor/time.Millisecond), true, true},
		{"the probe told nothing", half.Dropped(), late, true, true},
		{"one that started before it opened fails, too", open.Failed(late-1, 3), late, true, true},
		{"one that started before it opened succeeds", open.Succeeded(), now, true, false},
		{"without a breaker", closed.Failed(now, 0).Failed(now, -1).Failed(now, 0), now, true, false},
		{"after one", closed.Failed(now, 1), now, false, false},
		{"at the beginning of time", closed.Failed(0, 1), 1, false, false},
		{"a probe of a closed one is none", closed.Probe(), now, true, false},
	} {
		if ok, probe := c.b.Admit(c.now, openFor); ok != c.ok || probe != c.probe {
			t.Errorf("%s: admitted %v, probe %v (%+v)", c.name, ok, probe, c.b)
		}
	}
	if no := open.Refusal("grep", late-1_500, openFor); no.Code != tools.CodeCircuit || no.Sentence != "grep failed 3 times in a row and is switched off for a while; it can be tried again in 2s. Do it another way until then." {
		t.Errorf("open: %+v", no)
	}
	if no := half.Refusal("grep", late, openFor); no.Sentence != "grep failed 3 times in a row and is switched off for a while; one call is trying it at this moment: wait for its result. Do it another way until then." {
		t.Errorf("half open: %+v", no)
	}
}

// What counts as a failure of the tool: not bad parameters, not what the file
// system or a command says, not an abort.
func TestBreakerAfter(t *testing.T) {
	for _, c := range []struct {
		state journal.State
		code  string
		fails int
	}{
		{journal.Done, "", 0},
		{journal.Failed, tools.CodeExecution, 3},
		{journal.Failed, tools.CodeTimeout, 3},
		{journal.Failed, tools.CodeInternal, 3},
		{journal.Failed, "of_its_own", 3},
		{journal.Failed, tools.CodeInvalid, 0},
		{journal.Failed, tools.CodeExit, 0},
		{journal.Failed, tools.CodeNotFound, 0},
		{journal.Failed, tools.CodeConflict, 0},
		{journal.Interrupted, tools.CodeAborted, 2},
		{journal.Never, tools.CodeSibling, 2},
		{journal.Refused, tools.CodeInvalid, 2},
		{journal.Refused, tools.CodeCircuit, 2},
	} {
		b := tools.Breaker{Fails: 2}.After(c.state, c.code, 5, 3)
		if want := (tools.Breaker{Fails: c.fails}); c.fails < 3 && b != want || c.fails == 3 && b.Opened != 5 {
			t.Errorf("%s %s: %+v", c.state, c.code, b)
		}
		probe := tools.Breaker{Fails: 3, Opened: 1, Probing: true}.After(c.state, c.code, 9, 3)
		if probe.Probing {
			t.Errorf("%s %s: the probe never ends: %+v", c.state, c.code, probe)
		}
	}
}

// Any sequence of calls, some at once: after three failures in a row nothing is
// admitted for the time, then one call at a time, until one succeeds.
func TestBreakerProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		after := rapid.IntRange(1, 3).Draw(t, "after")
		now := int64(rapid.IntRange(0, 5).Draw(t, "begin"))
		var b tools.Breaker
		probes, row, openedAt := 0, 0, int64(-1)
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			now += int64(rapid.SampledFrom([]int{0, 1, 1000, 299_999, 300_000}).Draw(t, "wait"))
			ok, probe := b.Admit(now, openFor)
			if openedAt >= 0 && ok && (!probe || now-openedAt < 300_000-1) {
				t.Fatalf("admitted %v after it opened, as a probe: %v", now-openedAt, probe)
			}
			if openedAt < 0 && (!ok || probe) {
				t.Fatalf("closed, and not admitted: %+v", b)
			}
			if !ok {
				continue
			}
			if probe {
				b = b.Probe()
				probes++
				if more, _ := b.Admit(now, openFor); more {
					t.Fatal("two probes at once")
				}
			}
			switch rapid.SampledFrom([]string{"fails", "fails", "succeeds", "told nothing"}).Draw(t, "it") {
			case "fails":
				b = b.Failed(now, after)
				if row++; row >= after || probe {
					openedAt = now
				}
			case "succeeds":
				b, row, openedAt = b.Succeeded(), 0, -1
			default:
				b = b.Dropped()
			}
			if b.Fails != row {
				t.Fatalf("%d failures in a row, and it counts %d", row, b.Fails)
			}
		}
	})
}
