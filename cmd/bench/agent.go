package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/anthropic"
)

const agentModel = "claude-sonnet-4-5"

const aboutAgent = `usage: bench agent [flags] -p PROMPT
       bench agent [flags] -resume [-p PROMPT]

Runs the reference loop headless in the current folder, against any base URL
that speaks the Messages API, with the tools bash, read_file, write_file,
edit_file, glob and grep. bash can do whatever you can: nothing asks before it
runs.

The answer goes to standard output, everything else to standard error. What
happens is recorded in the session's folder; after a crash, -resume settles what
it left and goes on. The first interrupt ends the run in order, the second at
once.

The key is read from ANTHROPIC_API_KEY and nowhere else. ANTHROPIC_BASE_URL and
ANTHROPIC_MODEL are the defaults of -base-url and -model.

Exit status: 0 completed, 1 any other end, 2 it could not begin, or could not be
recorded. Flags:`

func agent(ctx context.Context, args []string, out, errs io.Writer) error {
	fs := flag.NewFlagSet("bench agent", flag.ContinueOnError)
	d := harness.DefaultLimits()
	var (
		prompt   = fs.String("p", "", "what is to be done: the `PROMPT`")
		resume   = fs.Bool("resume", false, "go on with the last session of this folder, or the one that -session names")
		session  = fs.String("session", "", "the session's `folder` (default: a new one below the user's state folder)")
		base     = fs.String("base-url", os.Getenv("ANTHROPIC_BASE_URL"), "the `URL` of the API, without /v1/messages (default: "+anthropic.DefaultBaseURL+")")
		model    = fs.String("model", envOr("ANTHROPIC_MODEL", agentModel), "the model's `name`")
		protocol = fs.String("protocol", "anthropic", "the wire protocol; the others are not built yet")
		system   = fs.String("system", "", "the system prompt")
		turns    = fs.Int("max-turns", d.MaxTurns, "`N` model answers this run may use")
		tokens   = fs.Int("max-tokens", d.MaxTokens, "max_tokens of a request: `N`")
		retries  = fs.Int("retries", d.Retries, "send a request `N` times more when the network or the server fails")
		whole    = fs.Bool("no-stream", false, "ask for whole answers instead of streams")
		verbose  = fs.Bool("v", false, "print the model's words as they come, and each step also in a pipe, to standard error")
	)
	rest, err := flags(fs, aboutAgent, args, out)
	key := os.Getenv("ANTHROPIC_API_KEY")
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return fmt.Errorf("%q is not a flag; the prompt goes behind -p, in quotes", rest[0])
	case *protocol != "anthropic":
		return fmt.Errorf("the protocol %q is not built yet; anthropic is", *protocol)
	case *prompt == "" && !*resume:
		return errors.New("there is no prompt; say what is to be done with -p PROMPT, or go on with -resume")
	case *turns < 1 || *tokens < 1 || *retries < 0:
		return errors.New("-max-turns and -max-tokens must be at least 1, -retries at least 0")
	case key == "" && *base == "":
		return errors.New("ANTHROPIC_API_KEY is not set; set it, or name another server with -base-url")
	}
	if u, err := url.Parse(*base); *base != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("-base-url %q is not an http or https URL with a host, like %s", *base, anthropic.DefaultBaseURL)
	}
	limits := harness.Limits{MaxTurns: *turns, MaxTokens: *tokens, Retries: *retries}
	if *retries == 0 {
		limits.Retries = -1 // 0 is the default
	}

	wd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("the current folder is gone: %w", err)
	}
	ws, err := tools.OpenWorkspace(wd)
	if err != nil {
		return err
	}
	defer ws.Close()
	forbid(key)
	reg, err := tools.NewRegistry(silenced(tools.Builtin(ws), key)...)
	if err != nil {
		return err
	}
	dir, err := sessionDir(*session, wd, *resume)
	if err != nil {
		return err
	}
	machine, err := env.Real(dir)
	if err != nil {
		return err
	}
	client := &witness{Provider: anthropic.New(anthropic.Config{BaseURL: *base, APIKey: key})}
	cfg := harness.Config{
		Model: *model, System: *system, Tools: reg, Env: machine, Whole: *whole, Provider: client, Limits: limits,
	}
	if *verbose || terminal(errs) != nil {
		cfg.Subscriber = &narrator{w: errs, previews: *verbose}
	}
	open := harness.Create
	if *resume {
		open = harness.Open
	}
	s, err := open(ctx, cfg)
	switch {
	case errors.Is(err, journal.ErrExists):
		return fmt.Errorf("%s holds a session already; go on with it with -resume, or name another folder with -session", dir)
	case err != nil:
		return fmt.Errorf("session %s: %w", dir, err)
	}
	defer s.Close()
	fmt.Fprintf(errs, "session %s\n", dir)

	var res harness.Result
	if *resume {
		res, err = s.Resume(ctx, *prompt)
	} else {
		res, err = s.Run(ctx, *prompt)
	}
	if res.Text != "" {
		answer := res.Text
		if terminal(out) != nil {
			answer = printable(answer)
		}
		if _, err := fmt.Fprintln(out, answer); err != nil {
			return fmt.Errorf("the answer cannot be written: %w; it is recorded in %s", reason(err), dir)
		}
	}
	switch {
	case err != nil:
		return fmt.Errorf("session %s: %w", dir, err)
	case res.Reason == harness.Completed:
		return nil
	}
	end := string(res.Reason)
	if res.Detail != "" {
		end += ": " + res.Detail
	}
	if r := client.remedy(); r != "" && res.Reason == harness.ModelError {
		end += "; " + r
	}
	fmt.Fprintf(errs, "bench agent: %s\n", end)
	return exit(1)
}

func envOr(name, def string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return def
}

// witness remembers how the last provider call failed, to say what the user can
// do about it. The loop knows nothing of flags.
type witness struct {
	providers.Provider
	last *providers.Error
}

func (w *witness) Stream(ctx context.Context, r *providers.Request) (providers.Stream, error) {
	s, err := w.Provider.Stream(ctx, r)
	w.last = nil
	errors.As(err, &w.last)
	return s, err
}

func (w *witness) remedy() string {
	switch {
	case w.last == nil:
		return ""
	case w.last.Class == providers.Auth:
		return "check ANTHROPIC_API_KEY"
	case w.last.Class == providers.Network:
		return "check -base-url and the network"
	case w.last.Status == 404:
		return "check -model and -base-url"
	}
	return ""
}
