package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sort"
	"time"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers/anthropic"
)

const agentModel = "claude-sonnet-4-5"

func agent(ctx context.Context, args []string, out, errs io.Writer) error {
	fs := flag.NewFlagSet("bench agent", flag.ContinueOnError)
	fs.Usage = func() {
		fmt.Fprintln(errs, `usage: bench agent [flags] -p PROMPT

Runs the reference loop headless in the current folder, against any base URL
that speaks the Messages API (ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY), with the
tools bash, read_file, write_file, edit_file, glob and grep. The answer goes to
standard output, everything else to standard error. bash can do whatever the
user can. Exit status: 0 completed, 1 any other end, 2 wrong usage. Flags:`)
		fs.PrintDefaults()
	}
	var (
		prompt   = fs.String("p", "", "what is to be done")
		resume   = fs.Bool("resume", false, "go on with the last session of this folder, or the one that -session names")
		session  = fs.String("session", "", "the session's `folder`; default: a new one below the user's state folder")
		base     = fs.String("base-url", os.Getenv("ANTHROPIC_BASE_URL"), "the API's base `URL`")
		model    = fs.String("model", envOr("ANTHROPIC_MODEL", agentModel), "the model's name")
		protocol = fs.String("protocol", "anthropic", "the wire protocol; the others are not built yet")
		system   = fs.String("system", "", "the system prompt")
		turns    = fs.Int("max-turns", 0, "model answers this run may use (default 50)")
		tokens   = fs.Int("max-tokens", 0, "max_tokens of a request (default 8000)")
		whole    = fs.Bool("no-stream", false, "ask for whole answers instead of streams")
		verbose  = fs.Bool("v", false, "print each step to standard error, also in a pipe")
	)
	rest, err := flags(fs, args, errs)
	if err != nil {
		return err
	}
	switch {
	case len(rest) > 0:
		return usagef("%q is not a flag; the prompt goes behind -p, in quotes", rest[0])
	case *protocol != "anthropic":
		return usagef("the protocol %q is not built yet; anthropic is", *protocol)
	case *prompt == "" && !*resume:
		return usagef("there is no prompt; say what is to be done with -p PROMPT, or -resume")
	}
	key := os.Getenv("ANTHROPIC_API_KEY")
	if key == "" && *base == "" {
		return usagef("ANTHROPIC_API_KEY is not set; set it, or name another server with -base-url")
	}
	dir, err := sessionDir(*session, *resume)
	if err != nil {
		return err
	}
	wd, err := os.Getwd()
	if err != nil {
		return err
	}
	ws, err := tools.OpenWorkspace(wd)
	if err != nil {
		return err
	}
	defer ws.Close()
	reg, err := tools.NewRegistry(tools.Builtin(ws)...)
	if err != nil {
		return err
	}
	machine, err := env.Real(dir)
	if err != nil {
		return err
	}
	cfg := harness.Config{
		Model: *model, System: *system, Tools: reg, Env: machine, Whole: *whole,
		Provider: anthropic.New(anthropic.Config{BaseURL: *base, APIKey: key}),
		Limits:   harness.Limits{MaxTurns: *turns, MaxTokens: *tokens},
	}
	if *verbose || terminal(errs) {
		cfg.Subscriber = &narrator{w: errs}
	}
	fmt.Fprintf(errs, "session %s\n", dir)
	var s *harness.Session
	if *resume {
		s, err = harness.Open(ctx, cfg)
	} else {
		s, err = harness.Create(ctx, cfg)
	}
	if err != nil {
		return err
	}
	defer s.Close()
	stop := abortOnSignal(ctx, s, errs)
	defer stop()
	var res harness.Result
	if *resume {
		res, err = s.Resume(context.WithoutCancel(ctx), *prompt)
	} else {
		res, err = s.Run(context.WithoutCancel(ctx), *prompt)
	}
	if res.Text != "" {
		fmt.Fprintln(out, res.Text)
	}
	if err != nil {
		return err
	}
	if res.Reason != harness.Completed {
		fmt.Fprintf(errs, "the run ended: %s", res.Reason)
		if res.Detail != "" {
			fmt.Fprintf(errs, ": %s", res.Detail)
		}
		fmt.Fprintln(errs)
		return exit(1)
	}
	return nil
}

// abortOnSignal aborts the run in order when the first signal ends ctx; a
// second signal ends the process, and the next -resume settles what it left.
func abortOnSignal(ctx context.Context, s *harness.Session, errs io.Writer) (stop func()) {
	done := make(chan struct{})
	go func() {
		select {
		case <-done:
			return
		case <-ctx.Done():
		}
		fmt.Fprintln(errs, "aborting; once more to kill")
		again := make(chan os.Signal, 1)
		signal.Notify(again, os.Interrupt)
		defer signal.Stop(again)
		s.Abort(errors.New("interrupted by the user"))
		select {
		case <-done:
		case <-again:
			os.Exit(130)
		}
	}()
	return func() { close(done) }
}

func envOr(name, def string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return def
}

// sessionDir names the session's folder. Sessions lie outside the workspace, so
// that no tool writes into a ledger by accident.
func sessionDir(name string, resume bool) (string, error) {
	if name != "" {
		if _, err := os.Stat(filepath.Join(name, journal.TranscriptFile)); resume && err != nil {
			return "", usagef("%s holds no session: there is no %s in it", name, journal.TranscriptFile)
		}
		return name, nil
	}
	state := os.Getenv("XDG_STATE_HOME")
	if state == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("no place for sessions: %w; name a folder with -session", err)
		}
		state = filepath.Join(home, ".local", "state")
	}
	wd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	parent := filepath.Join(state, "bench", "sessions", escapePath(wd))
	if !resume {
		if err := os.MkdirAll(parent, 0o700); err != nil {
			return "", err
		}
		return os.MkdirTemp(parent, time.Now().UTC().Format("20060102-150405-"))
	}
	entries, err := os.ReadDir(parent)
	if err != nil || len(entries) == 0 {
		return "", usagef("there is no session of %s to resume; begin one with -p PROMPT", wd)
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
	return filepath.Join(parent, entries[len(entries)-1].Name()), nil
}

// escapePath makes one folder name of a path.
func escapePath(p string) string {
	b := []byte(p)
	for i, c := range b {
		if c == filepath.Separator || c == ':' {
			b[i] = '-'
		}
	}
	return string(b)
}

// narrator prints what happens, a line a step.
type narrator struct {
	w       io.Writer
	preview bool
}

func (n *narrator) Publish(e harness.Event) error {
	if e.Record == nil {
		n.preview = true
		_, err := io.WriteString(n.w, e.Text)
		return err
	}
	line := ""
	switch r := e.Record; r.Kind {
	case journal.KindCall:
		line = fmt.Sprintf("%s %s %s", r.Call, r.Name, clip(r.Input))
	case journal.KindResult, journal.KindToolError:
		line = fmt.Sprintf("%s %s: %s", r.Call, r.State, clip(r.Text))
	case journal.KindDiscarded:
		line = "discarded: " + r.Reason + " " + r.Detail
	case journal.KindTransition:
		if r.Reason == string(harness.NextTurn) {
			return nil
		}
		line = "again: " + r.Reason
	case journal.KindAnomaly, journal.KindNotice, journal.KindQuarantine:
		line = r.Code + ": " + clip(r.Text)
	default:
		return nil
	}
	if n.preview {
		n.preview = false
		line = "\n" + line
	}
	_, err := fmt.Fprintln(n.w, line)
	return err
}

func clip(s string) string {
	const most = 120
	r := []rune(s)
	for i, c := range r {
		if c < 0x20 {
			r[i] = ' '
		}
	}
	if len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(r)
}
