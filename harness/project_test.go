package harness

import (
	"fmt"
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers"
)

func history(es ...Entry) History {
	var h History
	for _, e := range es {
		h = h.append(e)
	}
	return h
}

func user(s string) Entry { return Entry{Kind: EntryUser, Text: s} }
func assistant(stop string, bs ...providers.Block) Entry {
	return Entry{Kind: EntryAssistant, Blocks: bs, Stop: stop}
}
func calls(call, id string, block int) Entry {
	return Entry{Kind: EntryCall, Call: call, ID: id, Block: block}
}
func result(call, text string) Entry { return Entry{Kind: EntryResult, Call: call, Text: text} }

// show writes messages as one line each: role, then kind:detail of each block.
func show(msgs []providers.Message) string {
	var b strings.Builder
	for _, m := range msgs {
		b.WriteString(string(m.Role))
		for _, k := range m.Blocks {
			switch k.Kind {
			case providers.ToolCall, providers.ServerCall:
				fmt.Fprintf(&b, " %s:%s:%s", k.Kind, k.ID, k.Input)
			case providers.ToolResult, providers.ServerResult:
				fmt.Fprintf(&b, " %s:%s:%s", k.Kind, k.ID, k.Text)
			default:
				fmt.Fprintf(&b, " %s:%s", k.Kind, k.Text)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestProject(t *testing.T) {
	ok := `{"line":"x"}`
	think := providers.Block{Kind: providers.Thinking, Text: "hm", Signature: "s"}
	search := providers.Block{Kind: providers.ServerCall, ID: "s1", Name: "web_search", Input: "{}"}
	found := providers.Block{Kind: providers.ServerResult, ID: "s1", Text: "found"}
	for _, tc := range []struct {
		name string
		h    History
		want string
	}{
		{"a question", history(user("hi")), "user text:hi\n"},
		{"results first, in call order, wherever they were recorded",
			history(user("hi"), assistant("tool_use", call("t1", ok), call("t2", ok)), calls("c1", "t1", 0), calls("c2", "t2", 1), result("c2", "two"), user("and"), result("c1", "one")),
			"user text:hi\nassistant call:t1:{\"line\":\"x\"} call:t2:{\"line\":\"x\"}\nuser result:t1:one result:t2:two text:and\n"},
		{"in call order, though the second began early and was recorded first",
			history(user("hi"), assistant("tool_use", call("t1", ok), call("t2", ok)), calls("c1", "t2", 1), result("c1", "two"), calls("c2", "t1", 0), result("c2", "one")),
			"user text:hi\nassistant call:t1:{\"line\":\"x\"} call:t2:{\"line\":\"x\"}\nuser result:t1:one result:t2:two\n"},
		{"two prompts in a row are one message", history(user("hi"), user("there")), "user text:hi text:there\n"},
		{"a used id and an illegal one are replaced by ours",
			history(user("hi"), assistant("tool_use", call("t1", ok)), calls("c1", "t1", 0), result("c1", "1"),
				assistant("tool_use", call("t1", ok), call("../x", ok), call("", ok)), calls("c2", "t1", 0), calls("c3", "../x", 1), calls("c4", "", 2), result("c2", "2"), result("c3", "3"), result("c4", "4")),
			"user text:hi\nassistant call:t1:{\"line\":\"x\"}\nuser result:t1:1\nassistant call:c2:{\"line\":\"x\"} call:c3:{\"line\":\"x\"} call:c4:{\"line\":\"x\"}\nuser result:c2:2 result:c3:3 result:c4:4\n"},
		{"a provider may have used ours",
			history(user("hi"), assistant("tool_use", call("c2", ok), call("", ok)), calls("c1", "c2", 0), calls("c2", "", 1), result("c1", "1"), result("c2", "2")),
			"user text:hi\nassistant call:c2:{\"line\":\"x\"} call:c2_2:{\"line\":\"x\"}\nuser result:c2:1 result:c2_2:2\n"},
		{"input that is no object goes as {}",
			history(user("hi"), assistant("tool_use", call("t1", "[1]"), open(call("t2", `{"li`)), call("t3", `{"a":1,"a":2}`)), calls("c1", "t1", 0), calls("c2", "t2", 1), calls("c3", "t3", 2), result("c1", "1"), result("c2", "2"), result("c3", "3")),
			"user text:hi\nassistant call:t1:{} call:t2:{} call:t3:{}\nuser result:t1:1 result:t2:2 result:t3:3\n"},
		{"a merged call is left out",
			history(user("hi"), assistant("tool_use", call("t1", ok), call("t1", ok)), calls("c1", "t1", 0), result("c1", "1")),
			"user text:hi\nassistant call:t1:{\"line\":\"x\"}\nuser result:t1:1\n"},
		{"order and signature are kept", history(user("hi"), assistant("end_turn", think, text("a"), text("b")), user("x")), "user text:hi\nassistant thinking:hm text:a text:b\nuser text:x\n"},
		{"unsigned thinking and white space are left out", history(user("hi"), assistant("max_tokens", providers.Block{Kind: providers.Thinking, Text: "hm"}, text(" ")), user("x")), "user text:hi text:x\n"},
		{"a paused answer goes back unchanged, its server call unanswered", history(user("hi"), assistant("pause_turn", text("a"), search)), "user text:hi\nassistant text:a server_call:s1:{}\n"},
		{"its parts become one message", history(user("hi"), assistant("pause_turn", search), assistant("end_turn", found, text("b")), user("x")), "user text:hi\nassistant server_call:s1:{} server_result:s1:found text:b\nuser text:x\n"},
		{"an abandoned pause loses its unanswered server call", history(user("hi"), assistant("pause_turn", text("a"), search), user("x")), "user text:hi\nassistant text:a\nuser text:x\n"},
		{"a refused answer is never sent back", history(user("hi"), assistant("refusal", text("no"), call("t1", ok)), calls("c1", "t1", 1), result("c1", "not run"), user("x")), "user text:hi text:x\n"},
		{"refused twice", history(user("a"), assistant("refusal"), user("b"), assistant("refusal"), user("c"), assistant("end_turn", text("ok")), user("d")), "user text:a text:b text:c\nassistant text:ok\nuser text:d\n"},
	} {
		got := show(Project(tc.h, ""))
		if got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.name, got, tc.want)
		}
		// A projector that saw every prefix gives the same as a new one.
		var p projector
		for n := 1; n <= tc.h.Len(); n++ {
			part := history()
			for i := range n {
				part = part.append(*tc.h.At(i))
			}
			got = show(p.messages(part, ""))
		}
		if got != tc.want {
			t.Errorf("%s, step by step:\n got %s\nwant %s", tc.name, got, tc.want)
		}
	}
}

// Every API takes letters, digits, _ and -, 64 of them, and a model may invent any name.
func TestProjectName(t *testing.T) {
	long := strings.Repeat("x", 65)
	for in, want := range map[string]string{"read": "read", "no such": "no_such", "functions.look": "functions_look", "\u00e9t\u00e9": "_t_", "": "unnamed", long: long[:64]} {
		b := call("t1", "{}")
		b.Name = in
		msgs := Project(history(user("hi"), assistant("tool_use", b), calls("c1", "t1", 0), result("c1", "no")), "")
		if got := msgs[1].Blocks[0].Name; got != want {
			t.Errorf("%q goes back as %q, want %q", in, got, want)
		}
	}
}

// An older view of a history is not touched by appending to it or to a newer one (A7).
func TestHistoryViews(t *testing.T) {
	a := history(user("1"), user("2"))
	b := a.append(user("b"))
	c := a.append(user("c"))
	d := b.append(user("d"))
	for _, v := range []struct {
		h    History
		want string
	}{{a, "1 2"}, {b, "1 2 b"}, {c, "1 2 c"}, {d, "1 2 b d"}} {
		var got []string
		for i := range v.h.Len() {
			got = append(got, v.h.At(i).Text)
		}
		if strings.Join(got, " ") != v.want {
			t.Errorf("view holds %q, want %q", got, v.want)
		}
	}
	if b.sum == c.sum || a.sum == b.sum {
		t.Error("different histories have one sum")
	}
}
