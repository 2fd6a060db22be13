package scenarios

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever the provider says, whatever the tools do, wherever the process dies
// or a write fails, and in whatever schedule: every rule holds.
func TestAnyScenarioKeepsTheRules(t *testing.T) {
	// The same scenarios each time: -rapid.seed=N draws others, -rapid.checks=N more.
	if f := flag.Lookup("rapid.seed"); f.Value.String() == "0" {
		if err := f.Value.Set("1"); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		text := drawScenario(t)
		n++
		file := filepath.Join(dir, fmt.Sprintf("drawn%d.txtar", n))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(file)
		o := Options{Files: []string{file}, Seed: rapid.Uint64Range(0, 1<<20).Draw(t, "seed"), J: 1, KeepDir: filepath.Join(dir, "kept")}
		o.Report = func(r Result) {
			// An open that cannot write is rightly refused, and ends the script there;
			// so does a run behind a kill.
			refused := r.Status == Fail && len(r.Findings) == 0 && strings.Contains(r.Failure, " was refused: ") && (strings.Contains(r.Failure, " failed: ") || strings.Contains(r.Failure, " panicked: ")) ||
				r.Status == Broken && strings.Contains(r.Failure, "run: the process is gone")
			if r.Status != Pass && r.Status != Vacuous && !refused {
				t.Fatalf("seed %d\n%s\n--- the scenario:\n%s", o.Seed, r, text)
			}
		}
		if _, err := Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
	})
}

// drawing is a scenario on its way.
type drawing struct {
	*rapid.T
	b     strings.Builder
	whole bool // answers come whole: they cannot be as broken as streams
	long  bool // as many steps as snipping needs
}

func (d *drawing) line(f string, a ...any) { fmt.Fprintf(&d.b, f+"\n", a...) }
func (d *drawing) pick(name string, of ...string) string {
	return rapid.SampledFrom(of).Draw(d.T, name)
}
func (d *drawing) n(name string, from, to int) int { return rapid.IntRange(from, to).Draw(d.T, name) }
func (d *drawing) one(in int, name string) bool    { return d.n(name, 1, in) == 1 }

// drawScenario draws a scenario file: what is configured, a few replies, good
// and bad, a random disaster, and resumes behind it.
func drawScenario(t *rapid.T) string {
	d := &drawing{T: t}
	d.line("# Drawn by a property test: the rules hold whatever happens.\n# From: rapid.")
	d.config()
	d.tools()
	d.guards()
	d.line("provider replies.script")
	for range d.n("disasters", 0, 2) {
		d.line("at %s", drawDisaster(t))
	}
	d.line("run 'begin%s'", d.pick("asked", "", ", and run the tests"))
	if d.one(4, "again") {
		d.line("run 'again'")
	}
	for range d.n("resumes", 1, 3) {
		if rapid.Bool().Draw(t, "disaster") {
			d.line("at %s", drawDisaster(t))
		}
		if d.one(4, "compact") {
			d.line("compact")
		}
		d.line("resume 'go on'")
	}
	d.line("\n-- replies.script --")
	if d.one(5, "window") {
		d.line("window tokens=%d", d.n("tokens", 150, 1500))
	}
	for range d.n("replies", 1, 6) {
		d.reply()
	}
	if d.long {
		d.line("reply times=0..40\n    text %q\n    call p%s poll {}", strings.Repeat("word ", d.n("words", 0, 20)), "${n}")
	}
	d.sides()
	d.line("reply times=0..200\n    text \"Done.\"")
	return d.b.String()
}

// config draws limits that bite early.
func (d *drawing) config() {
	turns := d.n("turns", 1, 5)
	if d.long = d.one(15, "long"); d.long {
		turns = 45
	}
	d.line("config max_turns=%d retries=%d concurrency=%d tool_timeout=20s idle=30s", turns, d.n("retries", 0, 3), d.n("concurrency", 1, 4))
	d.line("config continue=%d escalate=%s empty=%d pauses=%d", d.n("continue", 0, 2), d.pick("escalate", "0", "9000"), d.n("empty", 0, 1), d.n("pauses", 0, 2))
	d.line("config loop_after=%s breaker=%d early=%s spill=%s", d.pick("loop", "0", "2", "3"), d.n("breaker", 0, 2), d.pick("early", "on", "on", "off"), d.pick("spill", "on", "off"))
	if d.whole = d.one(6, "whole"); d.whole {
		d.line("config stream=off")
	}
	if d.one(3, "fallback") {
		d.line("config fallback=other-model retries=%d", d.n("retries", 2, 3))
	}
	if d.one(4, "budget") {
		d.line("config token_budget=%d", d.n("tokens", 50, 600))
	}
	if d.one(4, "nudge") {
		d.line("config nudge=%d nudges=%d", d.n("tokens", 5, 50), d.n("nudges", 1, 3))
	}
	if d.one(3, "small") {
		at := d.n("at", 100, 2000)
		d.line("config window=%d compact_at=%d block_at=%d max_tokens=100 summary_tokens=100", 2*at+600, at, at+d.n("more", 0, 500))
	}
	if d.one(3, "context") {
		d.line("config summary_keep=%d snip_over=%s micro_keep=%d collapse_over=%d summary_fails=%d", d.n("keep", 0, 2), d.pick("snip", "0", "2", "40"), d.n("micro", 0, 2), d.n("over", 10, 300), d.n("fails", 1, 2))
	}
	if d.one(3, "results") {
		d.line("config result_bytes=%d preview=%d message_bytes=%d", d.n("bytes", 100, 3000), d.n("preview", 10, 100), d.n("message", 100, 4000))
	}
	if d.one(4, "gate") {
		d.line("config gate=on gate_blocks=%d", d.n("blocks", 1, 2))
	}
	if d.one(4, "goal") {
		d.line("config goal='it is there' judge_blocks=%d judge_timeout=20s", d.n("judged", 1, 2))
	}
	if d.one(6, "dump") {
		d.line("config dump=on")
	}
}

func (d *drawing) tools() {
	d.line("tool look read takes=%ds", d.n("takes", 0, 3))
	d.line("tool bomb %s panics", d.pick("bomb", "read", "write"))
	d.line("tool sour write %s=no", d.pick("sour", "fails", "then-fails"))
	d.line("tool stuck read hangs%s", d.pick("deaf", "", "", " deaf"))
	d.line("tool put write idempotent takes=1s")
	d.line("tool sh write shell%s%s", d.pick("stops", "", " stops-siblings"), d.pick("red", "", " fails=red"))
	d.line("tool work %s background takes=%ds%s", d.pick("work", "read", "write"), d.n("works", 0, 8), d.pick("worked", "", " fails=tired", " hangs"))
	d.line("tool poll read polls takes=%dms", d.n("polls", 0, 900))
	d.line("tool shot read image=%d big=%d", 4*d.n("image", 28, 500), d.n("big", 0, 6000))
	d.line("tool rare read deferred%s", d.pick("rare", "", " stops-siblings fails=gone"))
	d.line("tool todo\ntool tasks\ntool compact")
}

// guards are hooks and permits.
func (d *drawing) guards() {
	for range d.n("hooks", 0, 2) {
		if d.one(2, "no hook") {
			continue
		}
		s := "hook " + d.pick("on", "stop", "tool")
		for range d.n("outcomes", 1, 3) {
			s += " " + d.pick("outcome", "allow", "allow", "block=more", "block=again", "prevent=no", "halt=stop", "crash", "panic", "hang")
		}
		d.line("%s", s)
	}
	d.line("config hook_blocks=%d hook_timeout=10s approve_timeout=10s grace=2s", d.n("hook blocks", 1, 3))
	if !d.one(3, "permits") {
		return
	}
	for _, tool := range []string{"append", "look", "sh", "work"} {
		if d.one(2, "permit") {
			d.line("permit %s=%s", tool, d.pick("decision", "allow", "deny", "ask:yes", "ask:yes@3s", "ask:no", "ask:hang", "ask:crash", "hard-deny"))
		}
	}
	d.line("permit *=%s", d.pick("rest", "allow", "ask:yes@1s"))
}

// sides are the answers of the side lanes.
func (d *drawing) sides() {
	for _, lane := range []string{"summary", "judge"} {
		for range d.n(lane, 0, 2) {
			switch d.n("side", 0, 5) {
			case 0:
				d.line("reply 529 overloaded_error lane=%s times=0..1", lane)
			case 1:
				d.line("reply lane=%s times=0..1\n    stop %s", lane, d.pick("side stop", "refusal", "end_turn", "max_tokens"))
			case 2:
				d.line("reply lane=%s times=0..1\n    text \"<summ\"\n    %s", lane, d.pick("side end", "reset", "eof", "hang 10m"))
			case 3:
				d.line("reply lane=%s times=0..1\n    call t1 look {}", lane)
			case 4:
				d.line(`reply lane=%s times=0..1`+"\n"+`    text '{"ok":false,"reason":"not yet"%s}'`, lane, d.pick("impossible", "", `,"impossible":true`))
			default:
				d.line(`reply lane=%s times=0..1`+"\n"+`    text '{"ok":true,"reason":"it is"}'`, lane)
			}
		}
	}
	d.line("reply lane=summary times=0..200\n    text \"<summary>S.</summary>\"")
	d.line(`reply lane=judge times=0..200`+"\n"+`    text '{"ok":%s,"reason":"so"}'`, d.pick("ok", "true", "false"))
}

func drawDisaster(t *rapid.T) string {
	point := rapid.SampledFrom([]string{
		"request.before", "stream.event", "turn.assembled", "append.before", "append.written", "append.synced",
		"audit.before", "audit.written", "audit.synced", "publish.before", "publish.after",
		"tool.before", "tool.running", "tool.ran", "backoff", "append.torn", "audit.torn",
		"hook", "compact.before", "compact.summarised", "resume.loaded", "resume.settled", "resume.recorded", "run.ended",
	}).Draw(t, "point")
	// The first commits make the session; without one there is nothing to resume.
	n := rapid.IntRange(3, 12).Draw(t, "n")
	actions := []string{"kill", "kill", "powercut", "abort", "panic"}
	switch {
	case strings.HasSuffix(point, ".torn"):
		return fmt.Sprintf("%s %d %s bytes=%d", point, n, rapid.SampledFrom([]string{"kill", "powercut", "error ENOSPC"}).Draw(t, "action"), rapid.IntRange(0, 120).Draw(t, "bytes"))
	case strings.HasPrefix(point, "append.") || strings.HasPrefix(point, "audit.") || point == "publish.before":
		actions = append(actions[:4], "error EIO", "error ENOSPC")
	case point == "publish.after":
	default:
		n = rapid.IntRange(1, 4).Draw(t, "n2")
	}
	return fmt.Sprintf("%s %d %s", point, n, rapid.SampledFrom(actions).Draw(t, "action"))
}

func (d *drawing) reply() {
	if d.one(6, "http") {
		d.line("reply %s times=0..%d", d.pick("status",
			`529 overloaded_error "Overloaded"`, `529 overloaded_error "Overloaded"`, `500 api_error "oops"`, `429 rate_limit_error "slow down"`,
			`400 invalid_request_error "no"`, `413 request_too_large "too large"`, `401 authentication_error "who?"`,
			`400 invalid_request_error "prompt is too long: 250000 tokens > 200000 maximum"`,
			`400 invalid_request_error "messages.2.content.0.image.source.base64: image exceeds 5 MB maximum: 6 bytes > 5 bytes"`,
			`400 invalid_request_error "input length and max_tokens exceed context limit: 100 + 8000 > 5000"`,
		), d.n("times", 1, 4))
		return
	}
	d.line("reply times=0..%s", d.pick("repeat", "1", "1", "1", "3"))
	stop := d.pick("stop", "", "", "", "end_turn", "tool_use", "max_tokens", "max_tokens", "pause_turn", "refusal", "stop_sequence", "zzz", "context_window")
	lines := d.n("lines", 0, 4)
	at := d.n("stop at", 0, lines)
	open := false
	for i := range lines {
		if stop != "" && i == at && i < lines && !open {
			d.line("    stop %s", stop)
			stop = ""
		}
		if open {
			break
		}
		switch d.n("line", 0, 12) {
		case 0, 1:
			d.line("    text %q %q", rapid.StringMatching(`[a-z é😀]{0,8}`).Draw(d.T, "text"), rapid.StringMatching(`[a-z]{0,4}`).Draw(d.T, "more"))
		case 2:
			d.line("    think \"hm\" sig=abc")
		case 3:
			d.line("    ping")
		case 4:
			if d.whole {
				break
			}
			d.line("    cut-call t%d append '{\"file\":\"a.txt\",\"line\":\"x\"%s'", d.n("id", 1, 4), d.pick("brace", "", "}"))
			open = true
		case 5, 6:
			d.line("    delay %ds", d.n("delay", 1, 15))
		default:
			call := d.call()
			if !d.whole || !strings.Contains(call, "'") {
				d.line("    call t%d %s", d.n("id", 1, 4), call)
			}
		}
	}
	if stop != "" {
		d.line("    stop %s", stop)
	}
	if d.one(4, "usage") {
		d.line("    usage in=%d out=%d", d.n("in", 1, 3000), d.n("out", 1, 900))
	}
	switch d.n("end", 0, 9) {
	case 0:
		d.line("    eof")
	case 1:
		d.line("    reset")
	case 2:
		d.line("    hang 10m")
	case 3:
		d.line("    error overloaded_error \"Overloaded\"")
	}
}

// call draws what is called, and with what.
func (d *drawing) call() string {
	switch d.n("what", 0, 7) {
	case 0:
		return d.pick("bad call", `nope {}`, `append '{"file":'`, `append '[]'`, `append {"file":1}`, `sh {}`)
	case 1:
		return d.pick("write", `append {"file":"a.txt","line":"x"}`, `append {"file":"a.txt","line":"y"}`, `counter ''`, `put {"key":"k"}`)
	case 2:
		return d.pick("read", `look {}`, `poll {}`, `shot {}`)
	case 3:
		return d.pick("failing", `bomb {}`, `sour {}`, `stuck {}`)
	case 4:
		return d.pick("shell", `sh {"command":"go test ./..."}`, `sh {"command":"ls"}`)
	case 5:
		return `work {}`
	case 6:
		return d.pick("hidden", `rare {}`, `tool_search {"query":"rare"}`, `read_result {"call":"c1"}`, `read_result {"call":"c2"}`)
	}
	return d.pick("own", `compact {}`, `todo {"items":[{"text":"x","status":"pending"}]}`, `todo {"items":[]}`, `task_create {"subject":"x"}`, `task_list {}`)
}
