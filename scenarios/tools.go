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
	"github.com/harnessbench/bench/harness/tools"
)

const anyObject = `{"type":"object"}`

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
		list = append(list, tools.Tool{
			Name: t.name, Description: "A tool declared by the scenario.", Schema: anyObject,
			ReadOnly: t.readOnly, Idempotent: t.idempotent, Deaf: t.deaf,
			Run: runTool(&t, nil),
		})
	}
	return tools.NewRegistry(list...)
}

// lifeKey is how a tool finds the life that runs it.
type lifeKey struct{}

// toolInfos says what the rules need to know about the tools.
func (s *session) toolInfos() []evidence.ToolInfo {
	infos := []evidence.ToolInfo{{Name: "append", Ledger: true}, {Name: "counter", Ledger: true}}
	for _, t := range s.tools {
		infos = append(infos, evidence.ToolInfo{
			Name: t.name, ReadOnly: t.readOnly, Idempotent: t.idempotent, Deaf: t.deaf, Ledger: !t.readOnly, Schema: anyObject,
		})
	}
	return infos
}

// work is what a scenario tool does before its effect is in the ledger. It
// returns what the ledger says, and what the model is told.
type work func(*life, tools.Call) (what, text string, err error)

// runTool wraps what a tool does with what the trace says of it.
func runTool(t *toolSpec, w work) func(context.Context, tools.Call) (tools.Output, error) {
	return func(ctx context.Context, c tools.Call) (tools.Output, error) {
		l := ctx.Value(lifeKey{}).(*life)
		l.e.world.Trace(evidence.Step{Kind: evidence.StepToolStart, Call: c.ID, ID: c.ProviderID})
		out, err := l.perform(ctx, c, t, w)
		said := evidence.ToolDone
		switch {
		case errors.Is(err, errStopped):
			said = "stopped"
		case err != nil:
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
	text, fails, thenFails := t.name+": ok", "", ""
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
		case "big":
			text = big(b.size)
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
		if err := l.effect(c, key, ""); err != nil {
			return tools.Output{}, err
		}
	}
	if thenFails != "" {
		return tools.Output{}, errors.New(thenFails)
	}
	return tools.Output{Text: text}, nil
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
