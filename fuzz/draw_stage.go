package fuzz

import "fmt"

// config draws limits that bite early.
func (d *drawing) config() {
	if d.long = d.rare("long", 25); d.long {
		d.stage("config max_turns=45 concurrency=%d", d.n("concurrency", 1, 4))
	} else if d.rare("limits", 2) {
		d.stage("config max_turns=%d concurrency=%d tool_timeout=20s idle=30s", d.n("turns", 1, 5), d.n("concurrency", 1, 4))
	}
	if d.about("ladder", ladder) {
		d.stage("config retries=%d continue=%d escalate=%s empty=%d pauses=%d", d.n("retries", 0, 3), d.n("continue", 0, 2), d.pick("escalate", "0", "9000"), d.n("empty", 0, 1), d.n("pauses", 0, 2))
	}
	if d.about("fallback", ladder) {
		d.stage("config fallback=other-model retries=%d", d.n("fallback retries", 2, 10))
	}
	if d.about("early", calls) {
		d.stage("config early=%s breaker=%d loop_after=%s", d.pick("early", "on", "off"), d.n("breaker", 0, 2), d.pick("loop", "0", "2", "3"))
	}
	if d.whole = d.rare("whole", 10); d.whole {
		d.stage("config stream=off")
	}
	budget := d.about("budget", gates)
	if d.counts = budget; budget {
		d.stage("config token_budget=%d", d.n("budget tokens", 50, 600))
	}
	if d.about("nudge", gates) {
		d.counts = true
		most := 2000
		if budget {
			most = 50 // one above the budget is refused
		}
		d.stage("config nudge=%d nudges=%d", d.n("nudge tokens", 5, most), d.n("nudges", 1, 4))
	}
	if d.about("small", contexts) {
		d.counts = true
		at := d.n("at", 100, 2000)
		d.stage("config window=%d compact_at=%d block_at=%d max_tokens=100 summary_tokens=100", 2*at+600, at, at+d.n("more", 0, 500))
	}
	if d.about("context", contexts) {
		d.stage("config summary_keep=%d snip_over=%s micro_keep=%d collapse_over=%d summary_fails=%d", d.n("keep", 0, 2), d.pick("snip", "0", "2", "40"), d.n("micro", 0, 2), d.n("over", 10, 300), d.n("fails", 1, 2))
	}
	if d.about("results", contexts) {
		d.stage("config result_bytes=%d preview=%d message_bytes=%d", d.n("bytes", 100, 3000), d.n("preview", 10, 100), d.n("message", 100, 4000))
	}
	if d.rare("spill", 8) {
		d.stage("config spill=off")
	}
	if d.about("gate", gates) {
		d.stage("config gate=on gate_blocks=%d", d.n("blocks", 1, 3))
	}
	if d.goal = d.about("goal", gates); d.goal {
		d.stage("config goal='it is there' judge_blocks=%d judge_timeout=20s", d.n("judged", 1, 3))
	}
	if d.rare("dump", 12) {
		d.stage("config dump=on")
	}
}

// guards are hooks and permits.
func (d *drawing) guards() {
	if d.about("hooks", gates) {
		for range d.n("hooks", 1, 2) {
			s := "hook " + d.pick("on", "stop", "tool")
			for range d.n("outcomes", 1, 3) {
				s += " " + d.pick("outcome", "allow", "allow", "block=more", "block=again", "prevent=no", "halt=stop", "crash", "panic", "hang")
			}
			d.stage("%s", s)
		}
		d.stage("config hook_blocks=%d hook_timeout=10s grace=2s", d.n("hook blocks", 1, 3))
	}
	if !d.about("permits", calls) {
		return
	}
	for _, tool := range []string{"append", "look", "sh", "work"} {
		if (tool == "append" || d.tools[tool]) && d.rare("permit", 2) {
			d.stage("permit %s=%s", tool, d.pick("decision", "allow", "deny", "ask:yes", "ask:yes@3s", "ask:no", "ask:hang", "ask:crash", "hard-deny"))
		}
	}
	d.stage("permit *=%s", d.pick("rest", "allow", "ask:yes@1s"))
}

// toolLines declare the tools that the script calls.
func (d *drawing) toolLines() []string {
	var out []string
	add := func(name, f string, a ...any) {
		if d.tools[name] {
			out = append(out, fmt.Sprintf("tool "+name+" "+f, a...))
		}
	}
	add("look", "read takes=%ds", d.n("takes", 0, 3))
	add("bomb", "%s panics", d.pick("bomb", "read", "write"))
	add("sour", "%s %s=no", d.pick("sour", "read", "write"), d.pick("sours", "fails", "then-fails"))
	add("stuck", "%s hangs%s", d.pick("stuck", "read", "write"), d.pick("deaf", "", "", " deaf"))
	add("put", "write idempotent takes=%ds", d.n("puts", 0, 1))
	add("slow", "write takes=%ds", d.n("slow", 1, 9))
	add("sh", "write shell%s%s", d.pick("stops", "", " stops-siblings"), d.pick("red", "", " fails=red"))
	add("work", "%s background takes=%ds%s", d.pick("work", "read", "write"), d.n("works", 0, 8), d.pick("worked", "", " fails=tired", " hangs"))
	add("poll", "read polls takes=%dms", d.n("polls", 0, 900))
	add("page", "read big=%d", d.n("page", 500, 6000))
	add("shot", "read image=%d big=%d", 4*d.n("image", 28, 500), d.n("big", 0, 6000))
	add("rare", "read deferred%s", d.pick("rare", "", " stops-siblings fails=gone"))
	for _, own := range []string{"todo", "tasks", "compact"} {
		if d.tools[own] {
			out = append(out, "tool "+own)
		}
	}
	return out
}
