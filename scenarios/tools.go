package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers"
)

// registry returns the tools of the session: the scenario tools, and those that
// `tool` lines declare. A tool finds the life that runs it in its context, so
// one registry serves all lives and all variants: compiling schemas costs a
// third of a scenario.
func (l *life) registry() (*tools.Registry, error) {
	if !reflect.ValueOf(l.e.seam).IsZero() {
		return newRegistry(l.s.tools) // a broken part may do anything to it
	}
	if len(l.s.tools) == 0 {
		return plainRegistry()
	}
	return l.e.sc.registries.get(l.s.tools)
}

var plainRegistry = sync.OnceValues(func() (*tools.Registry, error) { return newRegistry(nil) })

// registries are those of one scenario, by what they declare.
type registries struct {
	mu sync.Mutex
	by map[string]*tools.Registry
}

func (r *registries) get(specs []toolSpec) (*tools.Registry, error) {
	key := fmt.Sprintf("%+v", specs)
	r.mu.Lock()
	defer r.mu.Unlock()
	if reg := r.by[key]; reg != nil {
		return reg, nil
	}
	reg, err := newRegistry(specs)
	if err == nil {
		if r.by == nil {
			r.by = map[string]*tools.Registry{}
		}
		r.by[key] = reg
	}
	return reg, err
}

func newRegistry(specs []toolSpec) (*tools.Registry, error) {
	list := []tools.Tool{
		{
			Name: "append", Description: "Append a line to a file of the workspace.",
			Schema: `{"type":"object","properties":{"file":{"type":"string","minLength":1},"line":{"type":"string"}},"required":["file","line"],"additionalProperties":false}`,
			Run:    runTool(nil, (*life).appendLine),
		},
		{
			Name: "counter", Description: "Count the calls of this tool.",
			Schema: `{"type":"object","additionalProperties":false}`,
			Run:    runTool(nil, (*life).countUp),
		},
	}
	for i := range specs {
		t := specs[i]
		for _, o := range t.own() {
			o.Run = traced(o.Run)
			list = append(list, o)
		}
		if t.builtin {
			continue
		}
		list = append(list, tools.Tool{
			Name: t.name, Description: "A tool declared by the scenario.", Schema: t.schema(),
			ReadOnly: t.readOnly, Idempotent: t.idempotent, Deaf: t.deaf,
			Shell: t.shell, Background: t.background, StopsSiblings: t.stopsSiblings, Deferred: t.deferred,
			Run: runTool(&t, nil),
		})
	}
	return tools.NewRegistry(list...)
}

// anyObject and aCommand are what declared tools take.
const (
	anyObject = `{"type":"object"}`
	aCommand  = `{"type":"object","properties":{"command":{"type":"string","minLength":1}},"required":["command"],"additionalProperties":false}`
)

func (t *toolSpec) schema() string {
	if t.shell {
		return aCommand
	}
	return anyObject
}

// lifeKey is how a tool finds the life that runs it.
type lifeKey struct{}

// toolInfos says what the rules need to know about the tools.
func (s *session) toolInfos() []evidence.ToolInfo {
	infos := []evidence.ToolInfo{{Name: "append", Ledger: true}, {Name: "counter", Ledger: true}}
	search := false
	for i := range s.tools {
		t := &s.tools[i]
		for _, o := range t.own() {
			infos = append(infos, evidence.ToolInfo{Name: o.Name, ReadOnly: o.ReadOnly, Idempotent: o.Idempotent, Schema: o.Schema})
		}
		if t.builtin {
			continue
		}
		infos = append(infos, evidence.ToolInfo{
			Name: t.name, ReadOnly: t.readOnly, Idempotent: t.idempotent, Deaf: t.deaf, Ledger: !t.readOnly,
			Background: t.background, Shell: t.shell, StopsSiblings: t.stopsSiblings, Deferred: t.deferred, Schema: t.schema(),
		})
		search = search || t.deferred
	}
	if search {
		infos = append(infos, evidence.ToolInfo{Name: tools.SearchTool, ReadOnly: true, Idempotent: true})
	}
	return infos
}

// work is what a scenario tool does before its effect is in the ledger. It
// returns what the ledger says, and what the model is told.
type work func(*life, tools.Call) (what, text string, err error)

// runTool is the Run of a scenario's tool.
func runTool(t *toolSpec, w work) func(context.Context, tools.Call) (tools.Output, error) {
	return traced(func(ctx context.Context, c tools.Call) (tools.Output, error) {
		return ctx.Value(lifeKey{}).(*life).useTool(ctx, c, t, w)
	})
}

// traced wraps what a tool does with what the trace says of it.
func traced(run func(context.Context, tools.Call) (tools.Output, error)) func(context.Context, tools.Call) (tools.Output, error) {
	return func(ctx context.Context, c tools.Call) (tools.Output, error) {
		l := ctx.Value(lifeKey{}).(*life)
		l.e.world.Trace(evidence.Step{Kind: evidence.StepToolStart, Call: c.ID, ID: c.ProviderID})
		out, err := run(ctx, c)
		said := evidence.ToolDone
		switch {
		case errors.Is(err, errStopped):
			said = "stopped"
		case err != nil || out.IsError:
			said = evidence.ToolFailed
		}
		l.e.world.Trace(evidence.Step{Kind: evidence.StepToolEnd, Call: c.ID, ID: c.ProviderID, What: said})
		return out, err
	}
}

// errStopped marks a tool that was told to stop before its effect.
var errStopped = errors.New("stopped")

func (l *life) perform(ctx context.Context, c tools.Call, t *toolSpec, w work) (tools.Output, error) {
	if t == nil {
		what, text, err := w(l, c)
		if err == nil {
			err = l.effect(c, "", what)
		}
		return tools.Output{Text: text}, err
	}
	clock := l.env.Clock
	if t.deaf {
		ctx = background
	}
	out := tools.Output{Text: t.name + ": ok"}
	fails, thenFails := "", ""
	for _, b := range t.of(c.ProviderID, l.callNumber(c.ID)) {
		switch b.what {
		case "takes":
			if err := clock.Sleep(ctx, b.takes); err != nil {
				return tools.Output{}, fmt.Errorf("%w: %w", errStopped, err)
			}
		case "hangs":
			err := clock.Note().Wait(ctx, "the end of "+t.name+", which hangs")
			return tools.Output{}, fmt.Errorf("%w: %w", errStopped, err)
		case "panics":
			panic(t.name + " panics, as the scenario says")
		case "fails":
			fails = b.text
		case "then-fails":
			thenFails = b.text
		case "text":
			out.Text = b.text
		case "polls":
			out.Text = fmt.Sprintf("%s: %d", t.name, l.poll(c))
		case "big":
			out.Text = big(b.size)
		case "image":
			out.Images = []providers.ImageData{picture(b.size)}
		}
	}
	if fails != "" {
		return tools.Output{}, errors.New(fails)
	}
	if !t.readOnly {
		key := ""
		if t.idempotent {
			key = c.ID
		}
		if err := l.effect(c, key, t.does(c)); err != nil {
			return tools.Output{}, err
		}
	}
	if thenFails != "" {
		return tools.Output{}, errors.New(thenFails)
	}
	return out, nil
}

// does is what the ledger says of a call's effect: a shell tool's command,
// which nobody runs.
func (t *toolSpec) does(c tools.Call) string {
	var in struct{ Command string }
	if t.shell {
		_ = json.Unmarshal(c.Input, &in) // the schema was checked before
	}
	return in.Command
}

// poll says the how manieth call of its tool this one is, by the order in which
// calls were recorded: that of their execution is the schedule's.
func (l *life) poll(c tools.Call) int {
	s := l.s
	if l.m == nil { // a foreign agent's calls are recorded nowhere
		l.lock.Lock()
		defer l.lock.Unlock()
		s.polled++
		return s.polled
	}
	if s.polls[c.ID] == 0 {
		s.polls = map[string]int{}
		n := map[string]int{}
		for _, r := range s.records(l.e.world) {
			if r.Kind == journal.KindCall {
				n[r.Name]++
				s.polls[r.Call] = n[r.Name]
			}
		}
	}
	return s.polls[c.ID]
}

// callNumber says which of the calls with the script's id this one is.
func (l *life) callNumber(ours string) int {
	if l.m == nil {
		return l.number
	}
	return l.s.calls.number[ours]
}

// big is a text of n bytes whose beginning, middle and end can be told apart.
func big(n int) string {
	var b strings.Builder
	b.Grow(n + 16)
	for i := 1; b.Len() < n; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()[:n]
}

// effect puts one line into the effect ledger, written and synced by the tool
// itself: what happened, whatever the loop will say about it.
func (l *life) effect(c tools.Call, key, what string) error {
	disk := l.disk
	if l.m == nil { // other tools of a foreign agent write beside this one
		l.lock.Lock()
		defer l.lock.Unlock()
	}
	if !l.ledger.known {
		old, err := readFile(disk, l.s.ledger)
		if err != nil && !isAbsent(err) {
			return err
		}
		if len(old) > 0 {
			l.ledger.b = old[len(old)-1]
		}
		l.ledger.known = true
	}
	line := evidence.AppendEffect(nil, l.ledger.b, evidence.Effect{
		Tool: c.Name, Call: c.ID, ID: c.ProviderID, Key: key, Life: l.n, What: what,
	})
	if err := appendTo(disk, l.s.ledger, line); err != nil {
		l.ledger.known = false
		return err
	}
	l.ledger.b = '\n'
	l.e.world.Trace(evidence.Step{Kind: evidence.StepEffect, Call: c.ID, ID: c.ProviderID})
	return nil
}

// appendTo adds bytes to a file and makes them durable, the file's name too.
func appendTo(disk env.FS, name string, b []byte) error {
	_, err := disk.Lstat(name)
	fresh := isAbsent(err)
	f, err := disk.Append(name)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil && fresh {
		err = disk.SyncDir(path.Dir(name))
	}
	return err
}

func (l *life) appendLine(c tools.Call) (string, string, error) {
	var in struct{ File, Line string }
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return "", "", err // the schema was checked before
	}
	ws := l.work
	if dir := path.Dir(in.File); dir != "." {
		if err := ws.MkdirAll(dir); err != nil {
			return "", "", err
		}
	}
	if err := appendTo(ws, in.File, []byte(in.Line+"\n")); err != nil {
		return "", "", err
	}
	return in.File, "appended a line to " + in.File, nil
}

// countFile keeps the counter across lives.
const countFile = ".counter"

func (l *life) countUp(tools.Call) (string, string, error) {
	ws := l.work
	old, err := readFile(ws, countFile)
	if err != nil && !isAbsent(err) {
		return "", "", err
	}
	n := strconv.Itoa(len(old) + 1)
	if err := appendTo(ws, countFile, []byte("+")); err != nil {
		return "", "", err
	}
	return n, n, nil
}
