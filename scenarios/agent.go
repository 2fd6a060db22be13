package scenarios

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers/fake"
	"github.com/harnessbench/bench/sim"
)

// Agent is an agent loop that is not ours, driven from a Go test. The scenario's
// provider answers it on a real connection, in real time. Its tools' effects
// and its requests are judged; what it keeps no evidence of is not applicable.
type Agent interface {
	// Start begins a session with a prompt, and returns when the run is over,
	// with the last text of the model.
	Start(ctx context.Context, p Place, prompt string) (string, error)
	// Resume opens the session again, as a new process would, and goes on;
	// prompt may be empty. An error says that it refuses.
	Resume(ctx context.Context, p Place, prompt string) (string, error)
	// Abort tells the run under way to stop.
	Abort()
}

// Place is what an agent works with. It is the same in all lives of a session.
type Place struct {
	BaseURL   string // of the provider: http://127.0.0.1:PORT; it speaks the Messages API
	APIKey    string
	Model     string
	System    string
	MaxTurns  int    // 0: the agent's own limit
	MaxTokens int    // of a request; 0: the agent's own
	Dir       string // for the session's own files
	Workspace string // for the tools
	Tools     []AgentTool
}

// AgentTool is a tool that the agent must offer to the model and run.
type AgentTool struct {
	Name        string
	Description string
	Schema      string // JSON Schema of its input
	ReadOnly    bool
	Idempotent  bool
	// Run does the work and puts its effect into the ledger. id is the
	// provider's id of the call.
	Run func(ctx context.Context, id string, input []byte) (string, error)
}

// Test runs the scenario files that match glob, each variant as a subtest:
// with the reference loop when agent is nil, else with the agent. Variants that
// need what a foreign agent does not have (crash points, ledgers of its own)
// are skipped, and say why.
//
// A file with `realkill` starts the test binary again: its TestMain must then
// call LifeMain first.
func Test(t *testing.T, glob string, agent Agent) {
	t.Helper()
	files, err := filepath.Glob(glob)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no scenario matches %s", glob)
	}
	_, err = Run(t.Context(), Options{
		Files: files, Agent: agent, KeepDir: keepDir(t),
		Report: func(r Result) {
			t.Run(r.Name, func(t *testing.T) {
				if r.Skipped != "" {
					t.Skip(r.Skipped)
				}
				if r.Status != Pass {
					r.Again = "go test -run " + shellWord(exactly(t.Name()))
					t.Errorf("%s\n%s", r, r.Log)
				}
			})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// exactly is the pattern of -run for one test.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// keepDir is where a test leaves the evidence of a failure.
func keepDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "bench-evidence-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(dir) }) // stays when there is something in it
	return dir
}

// unfit says why a foreign agent cannot be put through a variant, or "".
func (p *plan) unfit() string {
	for _, l := range p.lines {
		switch l.name {
		case "at":
			return fmt.Sprintf("line %d: only the reference loop has crash points", l.line)
		case "history", "damage":
			return fmt.Sprintf("line %d: %s is about the ledgers of the reference loop", l.line, l.name)
		case "permit", "hook", "compact":
			return fmt.Sprintf("line %d: %s is for the reference loop", l.line, l.name)
		}
	}
	if p.ours != "" {
		return p.ours
	}
	return p.slow
}

// everyAgents are the config keys that mean something for any agent, or that it
// does no harm not to know.
var everyAgents = []string{
	"max_turns", "max_tokens", "model", "system", "retries", "empty", "protocol", "pauses", "idle", "progress",
	"concurrency", "tool_timeout", "grace", "result_bytes", "stream",
}

// noteOurs remembers the first thing that only the reference loop has.
func (p *plan) noteOurs(line int, format string, a ...any) {
	if p.ours == "" {
		p.ours = fmt.Sprintf("line %d: %s", line, fmt.Sprintf(format, a...))
	}
}

// tooSlow is what a foreign agent is not made to wait for: it has no virtual
// clock.
const tooSlow = 2 * time.Second

// noteSlow remembers the first thing that would take long in real time.
func (p *plan) noteSlow(line int, format string, a ...any) {
	if p.slow == "" {
		p.slow = fmt.Sprintf("line %d: %s needs a virtual clock", line, fmt.Sprintf(format, a...))
	}
}

// slowScript looks for waits in a reply script.
func (p *plan) slowScript(s *fake.Script) {
	for _, r := range s.Replies {
		if d, err := time.ParseDuration(r.RetryAfter + "s"); r.RetryAfter != "" && (err != nil || d > tooSlow) {
			p.noteSlow(r.Line, "a Retry-After of %s", r.RetryAfter)
		}
		if r.Status >= 429 && r.Min > 3 {
			p.noteSlow(r.Line, "%d errors to wait for", r.Min)
		}
		for _, l := range r.Lines {
			if l.Op == fake.OpHang {
				p.noteSlow(l.Line, "a reply that hangs")
			}
			if d := max(l.D, l.After*time.Duration(max(1, l.Times))); d > tooSlow {
				p.noteSlow(l.Line, "a reply that waits %s", d)
			}
		}
	}
}

// blind are the commands that look at what only the reference loop has; for a
// foreign agent they are passed over, and the log says so.
var blind = map[string]bool{
	"terminal": true, "calls": true, "transitions": true, "waits": true, "clock": true, "spent": true, "transcript": true,
}

// guest drives a foreign agent.
type guest struct {
	e     *engine
	agent Agent
	ctx   context.Context
	dir   string
	lives int

	server *http.Server
	url    string
	mu     sync.Mutex // tools may run beside each other
	ledger sync.Mutex
	count  map[string]int
}

// guestLimit is how long a foreign agent may take for one run.
const guestLimit = 60 * time.Second

// invite puts an agent in the place of the reference loop.
func (e *engine) invite(ctx context.Context, a Agent, dir string) error {
	for _, d := range []string{"session", workDir} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return err
		}
	}
	e.world = sim.NewWorld(e.seed, sim.OnRealDisk(dir))
	e.guest = &guest{e: e, agent: a, ctx: ctx, dir: dir, count: map[string]int{}}
	return nil
}

// serve answers on loopback what the current upstream has to say.
func (g *guest) serve() error {
	if g.server != nil {
		return nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	g.url = "http://" + l.Addr().String()
	g.server = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { g.e.cur.up().up.Handler().ServeHTTP(w, r) }),
		// Aborted connections are what the scenarios are about.
		ErrorLog: nil,
	}
	go g.server.Serve(l)
	return nil
}

func (g *guest) close() {
	if g.server != nil {
		g.server.Close()
		g.server = nil
	}
}

func (g *guest) run(prompt string, neg bool) (outcome, error) {
	if g.lives > 0 {
		return g.resume(prompt, neg)
	}
	return g.live(neg, func(ctx context.Context) (string, error) { return g.agent.Start(ctx, g.place(), prompt) })
}

func (g *guest) resume(prompt string, neg bool) (outcome, error) {
	return g.live(neg, func(ctx context.Context) (string, error) { return g.agent.Resume(ctx, g.place(), prompt) })
}

func (g *guest) live(neg bool, f func(context.Context) (string, error)) (outcome, error) {
	if err := g.serve(); err != nil {
		return outcome{}, err
	}
	s := g.e.cur
	if g.lives++; g.lives > 1 {
		s.up().up.BeginLife()
	}
	ctx, cancel := context.WithTimeout(g.ctx, guestLimit)
	defer cancel()
	stop := context.AfterFunc(ctx, g.agent.Abort)
	defer stop()
	text, err := f(ctx)
	ret := evidence.Returned{Life: g.lives, Text: text, Refuse: neg}
	out := outcome{text: text}
	if err != nil {
		ret.Err, out.errText, out.refused = err.Error(), err.Error()+"\n", true
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		out.text += "\n"
	}
	s.log.Return(ret)
	s.log.Life(evidence.Life{N: g.lives, Outcome: "ended"})
	if ctx.Err() != nil && g.ctx.Err() == nil {
		return out, loopError(fmt.Sprintf("the agent took longer than %s", guestLimit))
	}
	return out, nil
}

func (g *guest) place() Place {
	s := g.e.cur
	p := Place{
		BaseURL: g.url, APIKey: canary, Model: s.set.Model, System: s.set.System,
		MaxTurns: s.set.Limits.MaxTurns, MaxTokens: s.set.Limits.MaxTokens,
		Dir: filepath.Join(g.dir, s.dir), Workspace: filepath.Join(g.dir, workDir),
	}
	reg, err := newRegistry(s.tools)
	if err != nil {
		panic(err) // the checker has seen every tool line
	}
	for _, name := range reg.Names() {
		t, _ := reg.Lookup(name)
		p.Tools = append(p.Tools, AgentTool{
			Name: t.Name, Description: t.Description, Schema: t.Schema, ReadOnly: t.ReadOnly, Idempotent: t.Idempotent,
			Run: func(ctx context.Context, id string, input []byte) (string, error) { return g.call(ctx, t, id, input) },
		})
	}
	return p
}

// call runs one tool of the scenario for the agent.
func (g *guest) call(ctx context.Context, t *tools.Tool, id string, input []byte) (string, error) {
	machine, err := env.Real(g.dir)
	if err != nil {
		return "", err
	}
	s := g.e.cur
	g.mu.Lock()
	g.count[id]++
	ours := callRef{id, g.count[id]}.String()
	s.calls.add(ours, id)
	n := s.calls.number[ours]
	s.made[t.Name]++
	made := s.made[t.Name]
	g.mu.Unlock()
	l := &life{e: g.e, s: s, n: g.lives, env: machine, disk: machine.FS, number: n, made: made, lock: &g.ledger}
	if l.work, err = subFS(filepath.Join(g.dir, workDir)); err != nil {
		return "", err
	}
	out, err := t.Run(context.WithValue(ctx, lifeKey{}, l), tools.Call{ID: ours, ProviderID: id, Name: t.Name, Input: input, Env: machine})
	if err == nil && out.IsError {
		err = errors.New(out.Text)
	}
	return out.Text, err
}

func subFS(dir string) (env.FS, error) {
	e, err := env.Real(dir)
	return e.FS, err
}
