package tools_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
)

func TestEnvelopeOf(t *testing.T) {
	c := tools.Call{ID: "c7", Name: "work", Input: []byte(`{"n": 12345678901234567890}`)}
	for _, x := range []struct {
		name string
		o    tools.Outcome
		want string
	}{
		{"success", tools.Outcome{Text: "hello\n", State: journal.Done, Elapsed: 1234 * time.Millisecond},
			`{"context":{"call":"c7","params_input":{"n":12345678901234567890},"tool":"work"},"data":{"cut_bytes":0,"truncated":false},"stats":{"time_ms":1234},"status":"success","text":"hello\n"}`},
		{"partial", tools.Outcome{Text: "he", State: journal.Done, Cut: 3},
			`{"context":{"call":"c7","params_input":{"n":12345678901234567890},"tool":"work"},"data":{"cut_bytes":3,"truncated":true},"stats":{"time_ms":0},"status":"partial","text":"he"}`},
		{"error", tools.Outcome{Text: "f was changed.\nRead it again.", Code: "conflict", State: journal.Failed, IsError: true, Cut: 1},
			`{"context":{"call":"c7","params_input":{"n":12345678901234567890},"tool":"work"},"data":{"cut_bytes":1,"truncated":true},"error":{"code":"CONFLICT","message":"f was changed."},"stats":{"time_ms":0},"status":"error","text":"f was changed.\nRead it again."}`},
		{"a command", tools.Outcome{Text: "main.go:3:1: error\npanic: x\n\ngoroutine 1 [running]:\n(exit status 2)", Code: "exit_status", State: journal.Failed, IsError: true},
			`..."error":{"code":"EXECUTION_ERROR","message":"(exit status 2)"}...`},
		{"refused", tools.Outcome{Text: "There is no tool x.", Code: "unknown_tool", State: journal.Refused, IsError: true}, `..."error":{"code":"NOT_FOUND","message":"There is no tool x."}...`},
	} {
		e := tools.EnvelopeOf(c, x.o)
		if err := e.Check(); err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
		if got := string(e.JSON()); !says(got, x.want) {
			t.Errorf("%s:\ngot  %s\nwant %s", x.name, got, x.want)
		}
	}
	for _, input := range []string{"", "[1]", `{"a":`, "\xff"} {
		e := tools.EnvelopeOf(tools.Call{ID: "c1", Name: "work", Input: []byte(input)}, tools.Outcome{Text: "x", State: journal.Done})
		if got := string(e.JSON()); !strings.Contains(got, `"params_input":"`) {
			t.Errorf("input %q: %s", input, got)
		}
	}
}

// Every code of ours has one of the closed list.
func TestEnvelopeCodes(t *testing.T) {
	want := map[string]string{
		"not_found": "NOT_FOUND", "unknown_tool": "NOT_FOUND", "tool_deferred": "NOT_FOUND",
		"access_denied": "ACCESS_DENIED", "not_regular": "ACCESS_DENIED",
		"permission_denied": "PERMISSION_DENIED", "refusal": "PERMISSION_DENIED", "loop": "PERMISSION_DENIED", "token_budget": "PERMISSION_DENIED",
		"invalid_arguments": "INVALID_PARAM", "cut": "INVALID_PARAM", "duplicate_id": "INVALID_PARAM",
		"timeout": "TIMEOUT", "internal_error": "INTERNAL_ERROR", "is_directory": "IS_DIRECTORY", "binary_file": "BINARY_FILE",
		"conflict": "CONFLICT", "circuit_open": "CIRCUIT_OPEN",
		"execution_error": "EXECUTION_ERROR", "exit_status": "EXECUTION_ERROR", "aborted": "EXECUTION_ERROR", "sibling_failed": "EXECUTION_ERROR",
		"left_running": "EXECUTION_ERROR", "of_its_own": "EXECUTION_ERROR", "": "EXECUTION_ERROR",
	}
	used := map[string]bool{}
	for code, upper := range want {
		e := tools.EnvelopeOf(call("c1"), tools.Outcome{Text: "no", Code: code, State: journal.Failed, IsError: true})
		if e.Error.Code != upper {
			t.Errorf("%s is %s, want %s", code, e.Error.Code, upper)
		}
		used[e.Error.Code] = true
	}
	for _, c := range tools.EnvelopeCodes() {
		if !used[c] {
			t.Errorf("nothing is %s", c)
		}
	}
}

func TestEnvelopeCheck(t *testing.T) {
	good := tools.Envelope{Status: "success", Text: "x", Context: tools.EnvelopeContext{Tool: "work", Call: "c1", Input: "{}"}}
	bad := func(e *tools.Envelope) {
		e.Status, e.Error = "error", &tools.EnvelopeError{Code: "TIMEOUT", Message: "It took too long."}
	}
	for want, change := range map[string]func(*tools.Envelope){
		"":                                func(e *tools.Envelope) {},
		" ":                               bad,
		"the status is \"\"":              func(e *tools.Envelope) { e.Status = "" },
		"the status is \"Success\"":       func(e *tools.Envelope) { e.Status = "Success" },
		"the text is empty":               func(e *tools.Envelope) { e.Text = " \n" },
		"there is an error: false":        func(e *tools.Envelope) { e.Status = "error" },
		"there is an error: true":         func(e *tools.Envelope) { bad(e); e.Status = "success" },
		"success and 3 bytes are left":    func(e *tools.Envelope) { e.Cut = 3 },
		"partial and 0 bytes are left":    func(e *tools.Envelope) { e.Status = "partial" },
		"-1 bytes are left":               func(e *tools.Envelope) { bad(e); e.Cut = -1 },
		`code "timeout" is none of`:       func(e *tools.Envelope) { bad(e); e.Error.Code = "timeout" },
		"message is empty":                func(e *tools.Envelope) { bad(e); e.Error.Message = " " },
		"more than a sentence: \"panic":   func(e *tools.Envelope) { bad(e); e.Error.Message = "panic: x goroutine 7 [running]: main.go" },
		"more than a sentence: \"main":    func(e *tools.Envelope) { bad(e); e.Error.Message = "main.f() /x/main.go:12 +0x1b" },
		"more than a sentence: \"Traceb":  func(e *tools.Envelope) { bad(e); e.Error.Message = "Traceback (most recent call last):" },
		"more than a sentence: \"a b\"":   func(e *tools.Envelope) { bad(e); e.Error.Message = "a\nb" },
		"it took -1 ms":                   func(e *tools.Envelope) { e.Millis = -1 },
		"names no tool, or no call":       func(e *tools.Envelope) { e.Context.Call = "" },
		"names no tool, or no call\x00":   func(e *tools.Envelope) { e.Context.Tool = "" },
		"the text is empty\nit took -1 m": func(e *tools.Envelope) { e.Text = ""; e.Millis = -1 }, // all at once
	} {
		e := good
		change(&e)
		err := e.Check()
		want = strings.TrimRight(want, " \x00")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// Whatever a tool does, its outcome is a good envelope.
func TestEveryOutcomeIsAnEnvelope(t *testing.T) {
	texts := rapid.SampledFrom([]string{"", " ", "x", "a\nb", "\xff", strings.Repeat("long ", 50), "goroutine 1 [running]:\nmain.main()"})
	rapid.Check(t, func(rt *rapid.T) {
		out := tools.Output{Text: texts.Draw(rt, "text"), Code: rapid.SampledFrom([]string{"", "odd", tools.CodeExit, tools.CodeNotFound}).Draw(rt, "code"), IsError: rapid.Bool().Draw(rt, "is error"), Cut: rapid.IntRange(0, 2).Draw(rt, "cut")}
		if out.IsError {
			out.Text = strings.ReplaceAll(out.Text, "goroutine", "go routine") // a tool that fails with a stack trace for a message is to be convicted
		}
		does := rapid.SampledFrom([]string{"returns", "fails", "panics", "hangs"}).Draw(rt, "does")
		inSim(rt, func(e env.Env, bad func(string, ...any)) {
			tool := &tools.Tool{Name: "work", Run: func(ctx context.Context, c tools.Call) (tools.Output, error) {
				switch does {
				case "fails":
					return out, errors.New("disk full")
				case "panics":
					panic("boom")
				case "hangs":
					return out, c.Env.Clock.Sleep(ctx, time.Hour)
				}
				return out, nil
			}}
			c := call("c1")
			o := tools.Execute(context.Background(), e, tool, c, tools.Options{Limit: 100, Timeout: time.Minute})
			if err := tools.EnvelopeOf(c, o).Check(); err != nil {
				bad("%+v: %v", o, err)
			}
		})
	})
}

// The built-in tools' outcomes are good envelopes.
func TestBuiltinEnvelopes(t *testing.T) {
	b := newBench(t)
	b.write("a.txt", "x\n")
	b.write("bin", "\x00")
	os.Mkdir(b.dir+"/d", 0o755)
	got := map[string]string{}
	for _, c := range []struct{ tool, input string }{
		{"read_file", `{"path":"a.txt"}`}, {"read_file", `{"path":"none"}`}, {"read_file", `{"path":"d"}`}, {"read_file", `{"path":"bin"}`}, {"read_file", `{"path":"../x"}`},
		{"bash", `{"command":"echo a; exit 3"}`}, {"bash", `{"command":"go() { printf 'goroutine 1 [running]:\\n'; return 2; }; go"}`}, {"bash", `{"command":"yes | head -c 200000"}`}, {"bash", `{"command":"sleep 60","timeout_seconds":1}`},
		{"edit_file", `{"path":"a.txt","old_string":"q","new_string":"r"}`},
	} {
		tool, _ := b.reg.Lookup(c.tool)
		call := tools.Call{ID: "c1", Name: c.tool, Input: []byte(c.input)}
		o := tools.Execute(t.Context(), env.Env{Clock: b.clock, Probe: env.NoProbe{}}, tool, call, tools.Options{})
		e := tools.EnvelopeOf(call, o)
		if err := e.Check(); err != nil {
			t.Errorf("%s %s: %v", c.tool, c.input, err)
		}
		got[c.tool+c.input] = e.Status
		if e.Error != nil {
			got[c.tool+c.input] = e.Error.Code
		}
	}
	var list []string
	for k, v := range got {
		list = append(list, fmt.Sprintf("%.40s=%s", k, v))
	}
	slices.Sort(list)
	want := []string{
		`bash{"command":"echo a; exit 3"}=EXECUTION_ERROR`, `bash{"command":"go() { printf 'goroutine=EXECUTION_ERROR`, `bash{"command":"sleep 60","timeout_secon=TIMEOUT`, `bash{"command":"yes | head -c 200000"}=partial`,
		`edit_file{"path":"a.txt","old_string":"q=NOT_FOUND`,
		`read_file{"path":"../x"}=ACCESS_DENIED`, `read_file{"path":"a.txt"}=success`, `read_file{"path":"bin"}=BINARY_FILE`, `read_file{"path":"d"}=IS_DIRECTORY`, `read_file{"path":"none"}=NOT_FOUND`,
	}
	if !slices.Equal(list, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(list, "\n"), strings.Join(want, "\n"))
	}
}
