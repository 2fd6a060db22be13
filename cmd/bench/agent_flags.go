package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers/protocol"
)

// agentModels are the models that are asked where none is named, by protocol.
var agentModels = map[string]string{
	protocol.Anthropic: "claude-sonnet-4-5", protocol.Chat: "gpt-5-mini", protocol.Responses: "gpt-5-mini", protocol.Gemini: "gemini-2.5-flash",
}

const aboutAgent = `usage: bench agent [flags] -p PROMPT
       bench agent [flags] -resume [-p PROMPT]

Runs the reference loop headless in the current folder, against any base URL
that speaks its protocol (-protocol: anthropic is the Messages API, chat and
responses are OpenAI's, gemini is Google's), with the tools read_file, write_file, edit_file,
glob and grep, which stay in that folder; todo, task_* and compact, which are
the session's own; and bash, which can do whatever you can. So each command of
bash is asked about, where standard input is a terminal, and denied where it is
not; -allow-bash lets all run. What is catastrophic is denied in any case.

The answer goes to standard output, everything else to standard error: on a
terminal each step, in a pipe only where the session lies and why the run did
not complete. What happens is recorded in the session's folder; after a crash,
-resume settles what it left and goes on. The first interrupt ends the run in
order, and is a denial where a question is open; the second ends it at once.

The key is read from ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, as the
protocol has it, and nowhere else. ANTHROPIC_BASE_URL, OPENAI_BASE_URL and
GEMINI_BASE_URL are the defaults of -base-url, ANTHROPIC_MODEL, OPENAI_MODEL and
GEMINI_MODEL those of -model.

Exit status: 0 completed, 1 any other end, 2 it could not begin, or could not be
recorded. Flags:`

// agentFlags is what the user asked for.
type agentFlags struct {
	prompt, session, base, model, protocol, system string
	fallback, goal                                 string
	resume, whole, verbose, gate, dump, early      bool
	allowBash                                      bool
	numbers                                        []number
	key                                            string
	wire                                           *protocol.Protocol // that protocol names, or the first
}

// number is a flag that sets a limit. Where 0 means none to the user and the
// default to Limits, Limits is told -1.
type number struct {
	name  string
	n     *int
	least int
	field func(*harness.Limits) *int
}

func parseAgent(args []string, out io.Writer) (*agentFlags, []string, error) {
	fs := flag.NewFlagSet("bench agent", flag.ContinueOnError)
	d := harness.DefaultLimits()
	f := &agentFlags{}
	fs.StringVar(&f.prompt, "p", "", "what is to be done: the `PROMPT`")
	fs.BoolVar(&f.resume, "resume", false, "go on with the last session of this folder, or the one that -session names")
	fs.StringVar(&f.session, "session", "", "the session's `folder` (default: a new one below the user's state folder)")
	fs.StringVar(&f.base, "base-url", "", "the `URL` of the API, without what the protocol puts behind it (default: the vendor's, such as "+protocol.Of("").Vendor+")")
	fs.StringVar(&f.model, "model", "", "the model's `name` (default: "+agentModels[protocol.Anthropic]+", or another protocol's own)")
	fs.StringVar(&f.fallback, "fallback", "", "the `model` that takes over for the rest of the run after three overloads in a row")
	fs.StringVar(&f.protocol, "protocol", protocol.Anthropic, "the wire `protocol`: "+strings.Join(protocol.Names(), ", "))
	fs.StringVar(&f.system, "system", "", "the system prompt")
	fs.BoolVar(&f.gate, "gate", false, "an answer may end the run only if the checks that the prompt asks for were run, and no todo is open")
	fs.StringVar(&f.goal, "goal", "", "an answer may end the run only if a judge, the same model without tools, finds that this `text` is reached")
	fs.BoolVar(&f.allowBash, "allow-bash", false, "let bash run without asking")
	fs.BoolVar(&f.early, "early", true, "let calls that only read start while the answer still streams")
	fs.BoolVar(&f.dump, "dump", false, "write the messages of each request to dump/ in the session's folder")
	fs.BoolVar(&f.whole, "no-stream", false, "ask for whole answers instead of streams")
	fs.BoolVar(&f.verbose, "v", false, "print the model's words as they come, and each step and transition also in a pipe, to standard error")
	num := func(name string, def, least int, what string, field func(*harness.Limits) *int) {
		f.numbers = append(f.numbers, number{name, fs.Int(name, def, what), least, field})
	}
	num("max-turns", d.MaxTurns, 1, "`N` model answers this run may use", func(l *harness.Limits) *int { return &l.MaxTurns })
	num("max-tokens", d.MaxTokens, 1, "max_tokens of a request: `N`", func(l *harness.Limits) *int { return &l.MaxTokens })
	num("retries", d.Retries, 0, "send a request `N` times more when the network or the server fails", func(l *harness.Limits) *int { return &l.Retries })
	num("token-budget", d.TokenBudget, 0, "`N` tokens, in and out, this run may use; 0: any number", func(l *harness.Limits) *int { return &l.TokenBudget })
	num("window", d.Window, 0, "the model's window is `N` tokens: the context is compacted in time; 0: unknown, and it is not", func(l *harness.Limits) *int { return &l.Window })
	rest, err := flags(fs, aboutAgent, args, out)
	var unknown error
	if f.wire, unknown = protocol.Named(f.protocol); unknown != nil {
		f.wire = protocol.Of("") // config says so, and what else is wrong
	}
	f.key = os.Getenv(f.wire.KeyVar)
	if f.base == "" {
		f.base = os.Getenv(f.wire.BaseVar)
	}
	if f.model == "" {
		f.model = envOr(strings.TrimSuffix(f.wire.BaseVar, "BASE_URL")+"MODEL", agentModels[f.wire.Name])
	}
	return f, rest, err
}

// config is the loop's configuration, but for the machine and who is asked. The
// error names everything that is wrong with the flags, a line each.
func (f *agentFlags) config(rest []string, reg *tools.Registry) (harness.Config, error) {
	var errs []error
	bad := func(format string, a ...any) { errs = append(errs, fmt.Errorf(format, a...)) }
	if len(rest) > 0 {
		bad("%q is not a flag; the prompt goes behind -p, in quotes", rest[0])
	}
	if f.wire.Name != f.protocol {
		bad("-protocol %q is none that there is: it is one of %s", f.protocol, strings.Join(protocol.Names(), ", "))
	}
	if f.prompt == "" && !f.resume {
		bad("there is no prompt; say what is to be done with -p PROMPT, or go on with -resume")
	}
	if f.key == "" && f.base == "" {
		bad("%s is not set; set it, or name another server with -base-url", f.wire.KeyVar)
	}
	if u, err := url.Parse(f.base); f.base != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		bad("-base-url %q is not an http or https URL with a host, like %s", f.base, f.wire.Vendor)
	}
	cfg := harness.Config{
		Model: f.model, System: f.system, Tools: reg, Policy: agentPolicy(f.allowBash),
		Fallback: f.fallback, Gate: f.gate, Goal: f.goal, Whole: f.whole, NoEarly: !f.early, Dump: f.dump,
		Provider: f.wire.Client(protocol.Config{BaseURL: f.base, APIKey: f.key}),
	}
	defaults := harness.DefaultLimits()
	for _, n := range f.numbers {
		switch {
		case *n.n < n.least:
			bad("-%s is %d; it must be at least %d", n.name, *n.n, n.least)
		case *n.n == 0 && *n.field(&defaults) != 0:
			*n.field(&cfg.Limits) = -1
		default:
			*n.field(&cfg.Limits) = *n.n
		}
	}
	checked := cfg
	checked.Env = nowhere() // the real one makes the session's folder, so it comes last
	return cfg, errors.Join(append(errs, checked.Check())...)
}

// nowhere stands in for a machine where only its being there is asked for.
func nowhere() env.Env {
	return env.Env{Clock: env.RealClock(), FS: struct{ env.FS }{}, Probe: env.NoProbe{}, IDs: struct{ env.IDs }{}}
}

// agentPolicy is the policy for the built-in tools, with bash let loose or not.
func agentPolicy(allowBash bool) *tools.Policy {
	p := tools.WorkspacePolicy()
	if allowBash {
		p.Rules = append([]tools.Rule{{Name: "bash.allow", Tool: "bash", Action: tools.Allow}}, p.Rules...)
	}
	return p
}

func envOr(name, def string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return def
}
