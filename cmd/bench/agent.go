package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers"
)

func agent(ctx context.Context, args []string, out, errs io.Writer) error {
	f, rest, err := parseAgent(args, out)
	if err != nil {
		return err
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
	forbid(f.key)
	reg, err := tools.NewRegistry(silenced(agentTools(ws), f.key)...)
	if err != nil {
		return err
	}
	cfg, err := f.config(rest, reg)
	if err != nil {
		return err
	}
	client := &witness{Provider: cfg.Provider}
	cfg.Provider = client
	person, shut := approver(os.Stdin, errs)
	defer shut()
	cfg.Approver = person
	dir, err := sessionDir(f.session, wd, f.resume)
	if err != nil {
		return err
	}
	if cfg.Env, err = env.Real(dir); err != nil {
		return err
	}
	if f.verbose || terminal(errs) != nil {
		cfg.Subscriber = &narrator{w: errs, verbose: f.verbose}
	}
	open := harness.Create
	if f.resume {
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
	if f.resume {
		res, err = s.Resume(ctx, f.prompt)
	} else {
		res, err = s.Run(ctx, f.prompt)
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

// agentTools are the tools of the agent: those of the workspace, and those of
// the session.
func agentTools(ws *tools.Workspace) []tools.Tool {
	ts := append(tools.Builtin(ws), tools.Todo(), tools.CompactTool())
	return append(ts, tools.Tasks()...)
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
