package invariants

import (
	"fmt"
	"strings"
	"testing"

	"github.com/harnessbench/bench/evidence"
)

// frames renders events: NAME JSON-without-type, one a line.
func frames(lines ...string) []byte {
	var b strings.Builder
	for _, l := range lines {
		name, rest, _ := strings.Cut(l, " ")
		if rest != "" {
			rest = "," + rest
		}
		fmt.Fprintf(&b, "event: %s\ndata: {\"type\":%q%s}\n\n", name, name, rest)
	}
	return []byte(b.String())
}

const (
	begin = `message_start "message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}`
	end   = `message_stop`
)

func text(i int) string {
	return fmt.Sprintf(`content_block_start "index":%d,"content_block":{"type":"text","text":""}`, i)
}

func callAt(i int, id string) string {
	return fmt.Sprintf(`content_block_start "index":%d,"content_block":{"type":"tool_use","id":%q,"name":"x","input":{}}`, i, id)
}

func say(i int) string {
	return fmt.Sprintf(`content_block_delta "index":%d,"delta":{"type":"text_delta","text":"hi"}`, i)
}

func put(i int, json string) string {
	return fmt.Sprintf(`content_block_delta "index":%d,"delta":{"type":"input_json_delta","partial_json":%q}`, i, json)
}

func sign(i int) string {
	return fmt.Sprintf(`content_block_delta "index":%d,"delta":{"type":"signature_delta","signature":"s"}`, i)
}

func stopBlock(i int) string { return fmt.Sprintf(`content_block_stop "index":%d`, i) }

func stop(reason string) string {
	return fmt.Sprintf(`message_delta "delta":{"stop_reason":%q},"usage":{"output_tokens":2}`, reason)
}

func TestTurnEnding(t *testing.T) {
	for _, x := range []struct {
		name   string
		reply  []byte
		ending string // of the connection
		want   ending
	}{
		{"whole", frames(begin, text(0), say(0), stopBlock(0), stop("end_turn"), end), "eof", whole},
		{"whole, then a reset", frames(begin, text(0), say(0), stopBlock(0), stop("end_turn"), end), "reset", whole},
		{"what follows the end is nobody's", append(frames(begin, text(0), stopBlock(0), stop("end_turn"), end), "garbage\n\n"...), "eof", whole},
		{"no terminal event, the stop reason last", frames(begin, text(0), say(0), stopBlock(0), stop("end_turn")), "eof", whole},
		{"the same, reset", frames(begin, text(0), say(0), stopBlock(0), stop("end_turn")), "reset", broken},
		{"the stop reason before the block's end", frames(begin, text(0), say(0), stop("end_turn"), stopBlock(0)), "eof", broken},
		{"an open block behind the stop reason", frames(begin, text(0), say(0), stop("max_tokens")), "eof", broken},
		{"an open block, and the terminal event", frames(begin, text(0), say(0), stop("max_tokens"), end), "eof", whole},
		{"no stop reason, and the terminal event", frames(begin, text(0), stopBlock(0), end), "eof", whole},
		{"cut", frames(begin, text(0), say(0)), "eof", broken},
		{"nothing", nil, "eof", broken},
		{"an error event", frames(begin, `error "error":{"type":"overloaded_error","message":"Overloaded"}`), "eof", broken},
		{"an error event behind the stop reason", frames(begin, text(0), stopBlock(0), stop("end_turn"), `error "error":{"type":"api_error","message":"x"}`, end), "eof", broken},
		{"not the protocol", []byte("event: message_start\ndata: {\n\n"), "eof", broken},
		{"a second message", frames(begin, begin, text(0), stopBlock(0), stop("end_turn"), end), "eof", unsure},
		{"an index that jumps", frames(begin, text(2), stopBlock(2), stop("end_turn"), end), "eof", unsure},
		{"a block in an open block", frames(begin, text(0), text(0), stopBlock(0), stop("end_turn"), end), "eof", unsure},
		{"an index used again", frames(begin, text(0), stopBlock(0), text(0), stopBlock(0), stop("end_turn"), end), "eof", whole},
		{"a piece of no block", frames(begin, say(0), stop("end_turn"), end), "eof", unsure},
		{"a signature of no block", frames(begin, sign(0), stop("end_turn"), end), "eof", unsure},
		{"an end of no block", frames(begin, stopBlock(5), stop("end_turn"), end), "eof", unsure},
		{"a whole message", []byte(`{"type":"message","role":"assistant","content":[],"stop_reason":"end_turn","id":"m","model":"m","usage":{"input_tokens":1,"output_tokens":1}}`), "eof", whole},
		{"half a message", []byte(`{"type":"message","role":"assis`), "eof", broken},
	} {
		t.Run(x.name, func(t *testing.T) {
			turn := readTurn(&evidence.Exchange{Status: 200, Reply: x.reply, Ending: x.ending})
			if got := turn.ending(); got != x.want {
				t.Errorf("ending %d, want %d: %+v", got, x.want, turn)
			}
			if turn.ending() == broken && brokenWhy(turn) == "" {
				t.Error("nobody says why")
			}
		})
	}
	if readTurn(&evidence.Exchange{Status: 529, Reply: []byte("{}")}) != nil || readTurn(&evidence.Exchange{}) != nil {
		t.Error("an HTTP error, or nothing, is taken for an answer")
	}
}

func TestTurnCalls(t *testing.T) {
	for _, x := range []struct {
		name  string
		reply []byte
		want  string // of each call: id, complete or not, earlier one with its id
	}{
		{"no input is the empty object", frames(begin, callAt(0, "a"), put(0, ""), stopBlock(0), stop("tool_use"), end), "a+"},
		{"no delta at all", frames(begin, callAt(0, "a"), stopBlock(0), stop("end_turn"), end), "a+"},
		{"in pieces", frames(begin, callAt(0, "a"), put(0, `{"x":"\\`), put(0, `u00e9"}`), stopBlock(0), stop("tool_use"), end), "a+"},
		{"never closed", frames(begin, callAt(0, "a"), put(0, `{}`), stop("tool_use"), end), "a-"},
		{"cut inside", frames(begin, callAt(0, "a"), put(0, `{"x":`), stopBlock(0), stop("tool_use"), end), "a-"},
		{"an array", frames(begin, callAt(0, "a"), put(0, `[1]`), stopBlock(0), stop("tool_use"), end), "a-"},
		{"two values", frames(begin, callAt(0, "a"), put(0, `{}{}`), stopBlock(0), stop("tool_use"), end), "a-"},
		{"one name twice", frames(begin, callAt(0, "a"), put(0, `{"x":1,"x":1}`), stopBlock(0), stop("tool_use"), end), "a-"},
		{"the last block of a cut answer", frames(begin, callAt(0, "a"), put(0, `{}`), stopBlock(0), callAt(1, "b"), put(1, `{}`), stopBlock(1), stop("max_tokens"), end), "a+ b-"},
		{"text behind the last call", frames(begin, callAt(0, "a"), put(0, `{}`), stopBlock(0), text(1), stopBlock(1), stop("max_tokens"), end), "a+"},
		{"ids twice", frames(begin, callAt(0, "a"), stopBlock(0), callAt(1, "a"), stopBlock(1), callAt(2, ""), stopBlock(2), callAt(3, ""), stopBlock(3), stop("tool_use"), end), "a+ a+0 + +"},
	} {
		t.Run(x.name, func(t *testing.T) {
			var got []string
			for _, w := range readTurn(&evidence.Exchange{Status: 200, Reply: x.reply, Ending: "eof"}).calls() {
				s := w.id + map[bool]string{true: "+", false: "-"}[w.complete]
				if w.same >= 0 {
					s += fmt.Sprint(w.same)
				}
				got = append(got, s)
			}
			if strings.Join(got, " ") != x.want {
				t.Errorf("calls %v; want %s", got, x.want)
			}
		})
	}
}

func TestSameInput(t *testing.T) {
	for _, x := range []struct {
		a, b string
		want bool
	}{
		{"", "{}", true}, {`{"a":1,"b":2}`, `{ "b":2, "a":1 }`, true}, {`{"a":1}`, `{"a":2}`, false}, {`{"a"`, `{"a"`, true}, {`{"a"`, `{"a":1}`, false},
	} {
		if sameInput(x.a, x.b) != x.want {
			t.Errorf("sameInput(%q, %q) is not %v", x.a, x.b, x.want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, x := range []struct{ got, want string }{
		{word(""), `""`}, {word("toolu_01"), "toolu_01"}, {word("../x\n"), `"../x\n"`},
		{raw(""), "nothing"}, {raw(`{"a":1}`), `{"a":1}`}, {raw("{\n}"), `"{\n}"`}, {raw("\uFFFD"), "\"\uFFFD\""},
		{clip("aéé", 4), "aé..."}, {clip("abc", 3), "abc"},
	} {
		if x.got != x.want {
			t.Errorf("%q; want %q", x.got, x.want)
		}
	}
}
