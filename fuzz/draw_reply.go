package fuzz

import (
	"strings"

	"pgregory.net/rapid"
)

// replies draws the reply script.
func (d *drawing) replies() {
	if d.about("window", contexts) {
		d.say("window %s=%d", d.pick("window of", "tokens", "tokens", "body"), d.n("window size", 150, 3000))
	}
	for range d.n("replies", 1, 6) {
		d.reply()
	}
	if d.long {
		d.use("poll")
		d.say("reply times=0..40\n    text %q\n    call p%s poll {}", strings.Repeat("word ", d.n("words", 0, 20)), "${n}")
	}
	d.sides()
	d.script.WriteString(rest)
}

func (d *drawing) use(tool string) { d.tools[tool] = true }

// reply is one answer of the main lane.
func (d *drawing) reply() {
	switch {
	case d.about("http", ladder):
		d.refused()
		return
	case d.about("tirelessly", ladder, gates):
		d.tireless()
		return
	}
	d.say("reply times=0..%s", d.pick("repeat", "1", "1", "1", "3"))
	stop := d.pick("stop", "", "", "", "", "end_turn", "tool_use", "max_tokens", "max_tokens", "pause_turn", "refusal", "stop_sequence", "zzz", "context_window", "MALFORMED_FUNCTION_CALL")
	lines := d.n("lines", 0, 4)
	at := d.n("stop at", 0, lines)
	for i := range lines {
		if stop != "" && i == at {
			d.say("    stop %s", stop)
			stop = ""
		}
		if !d.line() {
			break
		}
	}
	if stop != "" {
		d.say("    stop %s", stop)
	}
	if d.rare("usage", 4) {
		d.say("    usage in=%d out=%d", d.n("in", 1, 3000), d.n("out", 1, 900))
	}
	switch d.n("end", 0, 15) {
	case 12:
		d.say("    eof")
	case 13:
		d.say("    reset")
	case 14:
		d.say("    hang 10m")
	case 15:
		d.say("    error overloaded_error \"Overloaded\"")
	}
}

// line is one line of an answer; false: none can follow it.
func (d *drawing) line() bool {
	if d.theme == calls || d.theme == crashes {
		if !d.rare("words", 4) {
			d.callLine()
			return true
		}
	}
	switch d.n("line", 0, 12) {
	case 0, 1:
		d.say("    text %q %q", rapid.StringMatching(`[a-z é😀]{0,8}`).Draw(d.T, "text"), rapid.StringMatching(`[a-z]{0,4}`).Draw(d.T, "more text"))
	case 2:
		d.say("    think \"hm\" sig=abc")
	case 3:
		d.say("    ping")
	case 4, 5:
		d.say("    delay %ds", d.n("delay", 1, 15))
	case 12:
		if d.whole {
			break
		}
		d.say("    cut-call t%d append '{\"file\":\"a.txt\",\"line\":\"x\"%s'", d.n("cut id", 1, 4), d.pick("brace", "", "}"))
		return false
	default:
		d.callLine()
	}
	return true
}

// callLine is one call; answers that come whole cannot carry input that is no JSON,
// nor, in every protocol, one with a key twice.
func (d *drawing) callLine() {
	if call := d.call(); !d.whole || !strings.Contains(call, "'") && strings.Count(call, `"file"`) < 2 {
		d.say("    call t%d %s", d.n("id", 1, 4), call)
	}
}

// refused is an answer with an error of HTTP.
func (d *drawing) refused() {
	status := d.pick("status",
		`529 overloaded_error "Overloaded"`, `529 overloaded_error "Overloaded"`, `500 api_error "oops"`, `429 rate_limit_error "slow down"`,
		`400 invalid_request_error "no"`, `413 request_too_large "too large"`, `401 authentication_error "who?"`,
		`400 invalid_request_error "prompt is too long: 250000 tokens > 200000 maximum"`,
		`400 invalid_request_error "messages.2.content.0.image.source.base64: image exceeds 5 MB maximum: 6 bytes > 5 bytes"`,
		`400 invalid_request_error "input length and max_tokens exceed context limit: 100 + 8000 > 5000"`,
	)
	after := d.pick("retry-after", "", "", "", " retry-after=2", " retry-after=40")
	d.say("reply %s times=0..%d%s", status, d.n("times", 1, 4), after)
}

// tireless is an answer that comes again and again.
func (d *drawing) tireless() {
	d.say("reply times=0..%d", d.n("so often", 2, 12))
	switch d.n("what again", 0, 7) {
	case 0:
		d.say("    text \"so far ${n}\"\n    usage in=10 out=%d", d.n("again out", 1, 900))
	case 1:
		d.say("    text \"part ${n} \"\n    stop max_tokens")
	case 2:
		d.say("    text \"hm ${n}\"\n    stop pause_turn")
	case 3:
		d.say("    stop end_turn")
	case 4:
		d.say("    text \"I look.\"\n    stop tool_use")
	case 5:
		d.say("    error overloaded_error \"Overloaded\"")
	default:
		d.say("    call t1 %s", d.goodCall())
	}
}

// sides are the answers of the side lanes.
func (d *drawing) sides() {
	lanes := []string{"summary"}
	if d.goal {
		lanes = append(lanes, "judge")
	}
	for _, lane := range lanes {
		for range d.n(lane, 0, 2) {
			switch d.n("side", 0, 6) {
			case 0:
				d.say("reply lane=%s times=0..1\n    text %q", lane, d.pick("side text", "x", "", strings.Repeat("a long story ", 60)))
			case 1:
				d.say("reply 529 overloaded_error lane=%s times=0..1", lane)
			case 2:
				d.say("reply lane=%s times=0..1\n    stop %s", lane, d.pick("side stop", "refusal", "end_turn", "max_tokens"))
			case 3:
				d.say("reply lane=%s times=0..1\n    text \"<summ\"\n    %s", lane, d.pick("side end", "reset", "eof", "hang 10m"))
			case 4:
				d.use("look")
				d.say("reply lane=%s times=0..1\n    call t1 look {}", lane)
			case 5:
				d.say("reply lane=%s times=0..1\n    text '{\"ok\":false,\"reason\":\"not yet\"%s}'", lane, d.pick("impossible", "", `,"impossible":true`))
			default:
				d.say("reply lane=%s times=0..1\n    text '{\"ok\":true,\"reason\":\"it is\"}'", lane)
			}
		}
	}
	d.say("reply lane=summary times=0..200\n    text \"<summary>S.</summary>\"")
	if d.goal {
		d.say("reply lane=judge times=0..200\n    text '{\"ok\":%s,\"reason\":\"so\"}'", d.pick("ok", "true", "false"))
	}
}

// call is what is called, and with what.
func (d *drawing) call() string {
	switch d.n("what", 0, 11) {
	case 9:
		return d.pick("bad call", `nope {}`, `append '{"file":'`, `append '[]'`, `append {"file":1}`, `append {"file":"a.txt","file":"b.txt","line":"x"}`)
	case 10:
		d.use("rare")
		return d.pick("hidden", `rare {}`, `tool_search {"query":"rare"}`, `read_result {"call":"c1"}`, `read_result {"call":"c2"}`)
	case 11:
		own := d.pick("own", `todo {"items":[{"text":"x","status":"pending"}]}`, `todo {"items":[]}`, `task_create {"subject":"x"}`, `task_list {}`, `compact {}`)
		d.use(strings.NewReplacer("task_create", "tasks", "task_list", "tasks").Replace(strings.Fields(own)[0]))
		return own
	}
	return d.goodCall()
}

// goodCall is a call that can be run, whatever comes of it.
func (d *drawing) goodCall() string {
	s := d.pick("good call",
		`append {"file":"a.txt","line":"x"}`, `append {"file":"a.txt","line":"y"}`, `counter {}`, `look {}`, `look {"n":2}`, `put {"key":"k"}`, `slow {}`,
		`poll {}`, `page {}`, `shot {}`, `sour {}`, `bomb {}`, `stuck {}`, `work {}`, `sh {"command":"go test ./..."}`, `sh {"command":"ls"}`)
	d.use(strings.Fields(s)[0])
	return s
}
