package scenarios

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers/anthropic"
)

// guestLoop is the reference loop as a foreign agent: a real machine, a real
// connection, nothing of the bench inside.
type guestLoop struct {
	mu sync.Mutex
	s  *harness.Session
}

func (g *guestLoop) config(p Place) (harness.Config, error) {
	machine, err := env.Real(p.Dir)
	if err != nil {
		return harness.Config{}, err
	}
	var list []tools.Tool
	for _, t := range p.Tools {
		list = append(list, tools.Tool{
			Name: t.Name, Description: t.Description, Schema: t.Schema, ReadOnly: t.ReadOnly, Idempotent: t.Idempotent,
			Run: func(ctx context.Context, c tools.Call) (tools.Output, error) {
				text, err := t.Run(ctx, c.ProviderID, c.Input)
				return tools.Output{Text: text}, err
			},
		})
	}
	reg, err := tools.NewRegistry(list...)
	return harness.Config{
		Model: p.Model, System: p.System, Tools: reg, Env: machine,
		Limits:   harness.Limits{MaxTurns: p.MaxTurns, MaxTokens: p.MaxTokens},
		Provider: anthropic.New(anthropic.Config{BaseURL: p.BaseURL, APIKey: p.APIKey}),
	}, err
}

func (g *guestLoop) Start(ctx context.Context, p Place, prompt string) (string, error) {
	return g.live(ctx, p, harness.Create, func(s *harness.Session) (harness.Result, error) { return s.Run(ctx, prompt) })
}

func (g *guestLoop) Resume(ctx context.Context, p Place, prompt string) (string, error) {
	return g.live(ctx, p, harness.Open, func(s *harness.Session) (harness.Result, error) { return s.Resume(ctx, prompt) })
}

func (g *guestLoop) live(ctx context.Context, p Place, open func(context.Context, harness.Config) (*harness.Session, error), f func(*harness.Session) (harness.Result, error)) (string, error) {
	cfg, err := g.config(p)
	if err != nil {
		return "", err
	}
	s, err := open(ctx, cfg)
	if err != nil {
		return "", err
	}
	defer s.Close()
	g.mu.Lock()
	g.s = s
	g.mu.Unlock()
	res, err := f(s)
	return res.Text, err
}

func (g *guestLoop) Abort() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.s != nil {
		g.s.Abort(nil)
	}
}

// TestWithAgent puts it through scenarios; what has crash points, or would take
// hours in real time, is skipped.
func TestWithAgent(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"polls":  "provider r\ntool p read polls\ntool say read text=Late.\nrun first\nevents effects none\n-- r --\nreply\n    call p1 p {}\nreply\n    expect result.p1 == \"p: 1\"\n    call p2 p {}\n    call s1 say {}\nreply\n    expect result.p2 == \"p: 2\"\n    expect result.s1 == Late.\n    text \"One.\"\n",
		"turns":  "provider r\nrun first\nrun second\nstdout Two\nrequests 2\n-- r --\nreply\n    text \"One.\"\nreply\n    expect messages.0.text == first\n    text \"Two.\"\n",
		"tools":  "provider r\ntool bad write fails='out of paper'\ntool some write s2:fails=second takes=20ms\nrun first\nterminal completed\neffects some=2 append=1\n-- r --\nreply\n    call b bad {}\n    call s1 some {}\n    call s2 some {}\n    call s3 some {}\n    call w append {\"file\":\"notes.txt\",\"line\":\"x\"}\nreply\n    expect result.b ~ \"out of paper\"\n    text \"One.\"\n",
		"resume": "provider r\nrun first\n! resume\nstderr 'nothing to resume'\nresume 'go on'\n-- r --\nreply\n    text \"One.\"\nreply\n    text \"Two.\"\n",
		"retry":  "provider r\nrun first\nstdout Two\nevents wire main:529 main:200\n-- r --\nreply 529 overloaded_error\nreply\n    text \"Two.\"\n",
		"reset":  "provider r\nrun first\nstdout Two\n-- r --\nreply\n    text \"One\"\n    reset\nreply\n    text \"Two.\"\n",
		"slow":   "provider r\ntool s write takes=1h\nrun first\n-- r --\nreply\n    call t s {}\n",
		"kill":   "provider r\nat run.ended kill\nrun first\n-- r --\nreply\n    text \"One.\"\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name+".txtar"), []byte(says+text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	Test(t, filepath.Join(dir, "*.txtar"), &guestLoop{})
}

func TestUnfit(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"at run.ended kill\nrun first\n-- r --\nreply\n    text \"x\"\n", "line 4: only the reference loop has crash points"},
		{"tool s write takes=1h\nrun first\n-- r --\nreply\n    text \"x\"\n", "line 4: a tool that takes 1h0m0s"},
		{"tool s write hangs\nrun first\n-- r --\nreply\n    text \"x\"\n", "line 4: a tool that hangs"},
		{"run first\n-- r --\nreply\n    text \"x\"\n    hang\n", "line 8: a reply that hangs"},
		{"run first\n-- r --\nreply\n    text \"x\"\n    delay 1m\n    text \"y\"\n", "line 8: a reply that waits 1m0s"},
		{"run first\n-- r --\nreply 429 rate_limit_error retry-after=30\nreply\n    text \"y\"\n", "line 6: a Retry-After of 30"},
		{"run first\n-- r --\nreply 529 overloaded_error times=5\nreply\n    text \"y\"\n", "line 6: 5 errors to wait for"},
		{"run first\ndamage transcript cut=1\n-- r --\nreply\n    text \"y\"\n", "line 5: damage is about the ledgers of the reference loop"},
		{"hook stop allow\nrun first\n-- r --\nreply\n    text \"x\"\n", "line 4: hook is for the reference loop"},
		{"permit counter=deny\nrun first\n-- r --\nreply\n    text \"x\"\n", "line 4: permit is for the reference loop"},
		{"run first\ncompact\nrun again\n-- r --\nreply times=2\n    text \"x\"\n", "line 5: compact is for the reference loop"},
		{"config max_turns=3 gate=on\nrun first\n-- r --\nreply\n    text \"x\"\n", "line 4: config gate is about a part of the reference loop"},
		{"tool todo\nrun first\n-- r --\nreply\n    text \"x\"\n", "line 4: tool todo is the reference loop's own"},
		{"tool s read image=1KB\nrun first\n-- r --\nreply\n    text \"x\"\n", "line 4: the tool behaviour image is for the reference loop"},
		{"tool s read background\nrun first\n-- r --\nreply\n    text \"x\"\n", "line 4: the tool behaviour background is for the reference loop"},
		{"tool s read polls\nconfig max_turns=3 retries=2\nrun first\n-- r --\nreply\n    text \"x\"\n", ""},
		{"run first\n-- r --\nreply 529 overloaded_error\nreply\n    text \"y\"\n", ""},
	} {
		sc, err := check(parseSource("f.txtar", []byte(says+"provider r\n"+c.text)))
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if got := sc.plans[0].unfit(); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s\ngot %q, want %q", c.text, got, c.want)
		}
	}
}

// TestReference does the same with the loop itself.
func TestReference(t *testing.T) {
	Test(t, tempFile(t, "s.txtar", says+"provider r\nat tool.ran t1 kill\nrun 'append hello'\nresume\ncalls t1=unknown\n"+oneCall), nil)
}

// naive is the loop that everybody writes first: it believes the stop reason,
// and forgets to answer the second call.
type naive struct{}

func (naive) Abort() {}

// Resume begins anew, if there is something to ask: naive keeps nothing.
func (n naive) Resume(ctx context.Context, p Place, prompt string) (string, error) {
	if prompt == "" {
		return "", fmt.Errorf("naive keeps nothing")
	}
	return n.Start(ctx, p, prompt)
}

func (naive) Start(ctx context.Context, p Place, prompt string) (string, error) {
	type block map[string]any
	messages := []block{{"role": "user", "content": prompt}}
	for range 5 {
		var advertised []block
		for _, t := range p.Tools {
			advertised = append(advertised, block{"name": t.Name, "input_schema": json.RawMessage(t.Schema)})
		}
		body, err := json.Marshal(block{"model": p.Model, "max_tokens": 100, "messages": messages, "tools": advertised})
		if err != nil {
			return "", err
		}
		req, err := http.NewRequestWithContext(ctx, "POST", p.BaseURL+"/v1/messages", bytes.NewReader(body))
		if err != nil {
			return "", err
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return "", err
		}
		data, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return "", err
		}
		var answer struct {
			Content    []block `json:"content"`
			StopReason string  `json:"stop_reason"`
		}
		if err := json.Unmarshal(data, &answer); err != nil || resp.StatusCode != 200 {
			return "", fmt.Errorf("%d %s", resp.StatusCode, data)
		}
		if answer.StopReason != "tool_use" {
			text, _ := answer.Content[0]["text"].(string)
			return text, nil
		}
		messages = append(messages, block{"role": "assistant", "content": answer.Content})
		call := answer.Content[0]
		input, _ := json.Marshal(call["input"])
		for _, t := range p.Tools {
			if t.Name != call["name"] {
				continue
			}
			text, err := t.Run(ctx, call["id"].(string), input)
			if err != nil {
				text = err.Error()
			}
			messages = append(messages, block{"role": "user", "content": []block{{"type": "tool_result", "tool_use_id": call["id"], "content": text}}})
		}
	}
	return "", fmt.Errorf("no end")
}

func TestNaiveAgent(t *testing.T) {
	good := says + "provider r\nrun hello\nstdout Done\nterminal completed\neffects counter=1\nrequests 2\nevents wire main:200 main:200\nevents transcript user\n-- r --\nreply\n    call t1 counter {}\nreply\n    expect result.t1 == 1\n    text \"Done.\"\n"
	r := one(t, Options{Agent: naive{}}, good)
	if r.Status != Pass {
		t.Errorf("what it can do: %s\n%s", r, r.Log)
	}
	contains(t, "the log", one(t, Options{Agent: naive{}, Verbose: true}, good).Log, "not applicable to a foreign agent")
	if r.Counts.Rules == 0 {
		t.Error("no rule was judged")
	}

	// The stop reason lies: the call is not run.
	r = one(t, Options{Agent: naive{}}, says+"provider r\nrun hello\neffects counter=1\n-- r --\nreply\n    call t1 counter {}\n    stop end_turn\nreply\n    text \"Done.\"\n")
	if r.Status != Fail {
		t.Error(r)
	}
	contains(t, "it", r.Failure, "want effects counter=1, got none")

	// Two calls, one answer: the real API would refuse the request.
	r = one(t, Options{Agent: naive{}}, says+"provider r\nrun hello\n-- r --\nreply\n    call t1 counter {}\n    call t2 counter {}\nreply\n    text \"Done.\"\n")
	if r.Status != Fail {
		t.Error(r)
	}
	contains(t, "it", r.String(), "wire/legal", "t2")

	// What needs a crash point is skipped, not passed.
	r = one(t, Options{Agent: naive{}}, says+"provider r\nat tool.ran t1 kill\nrun hello\nresume\n"+oneCall)
	if r.Skipped == "" || r.Counts.Rules != 0 {
		t.Error(r, r.Skipped)
	}
	contains(t, "it", r.Skipped, "line 4: only the reference loop has crash points")

	// A new life is answered from where its first request stands.
	r = one(t, Options{Agent: naive{}}, says+"provider r\nrun hello\nresume hello\nstdout Done\nrequests 2\n-- r --\nreply\n    text \"Done.\"\n")
	if r.Status != Pass {
		t.Errorf("%s\n%s", r, r.Log)
	}

	// A resume that it refuses.
	r = one(t, Options{Agent: naive{}}, says+"provider r\nrun hello\n! resume\nstderr 'keeps nothing'\n-- r --\nreply\n    text \"Done.\"\n")
	if r.Status != Pass {
		t.Errorf("%s\n%s", r, r.Log)
	}
}
