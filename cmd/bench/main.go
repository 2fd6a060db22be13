// Command bench puts an agent loop through everything that goes wrong between
// the model's stream and the disk, and judges what it leaves behind.
//
//	bench run scenarios/*.txtar      run scenarios
//	bench agent -p PROMPT            the reference loop as a headless agent
//	bench list rules                 what there is
//	bench explain resume/effect-once why it is there
//
// Exit status: 0 everything holds; 1 a finding; 2 wrong usage, or a scenario
// that cannot run; 3 nothing was proved. Over several files the first of 2, 1,
// 3, 0 that occurs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/harnessbench/bench/scenarios"
)

func main() {
	scenarios.LifeMain() // a process started to be killed never gets further
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// exit is a status that a command ends with after it has said why.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// usage is wrong usage: one sentence, status 2.
type usage struct{ error }

func usagef(f string, a ...any) error { return usage{fmt.Errorf(f, a...)} }

type verb struct {
	name, args, what string
	run              func(ctx context.Context, args []string, out, errs io.Writer) error
}

func verbs() []verb {
	return []verb{
		{"run", "FILES...", "run scenarios", run},
		{"agent", "-p PROMPT", "the reference loop as a headless agent", agent},
		{"list", "KIND", "scenarios, rules, terminals, transitions, rungs, crash points, record kinds, mutants", list},
		{"explain", "NAME", "why a rule, terminal, transition, rung, crash point or mutant is there", explain},
	}
}

// later are the commands that are planned and not built: they are refused by
// name, so that nobody takes a typo for a feature.
var later = []string{"sweep", "fuzz", "mutants", "record", "import", "export", "diff", "new", "serve", "agents", "matrix", "check"}

func command(ctx context.Context, args []string, out, errs io.Writer) int {
	if len(args) == 0 {
		help(errs)
		return 2
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		help(out)
		return 0
	}
	for _, v := range verbs() {
		if v.name != args[0] {
			continue
		}
		return status(v.run(ctx, args[1:], out, errs), v.name, errs)
	}
	for _, l := range later {
		if l == args[0] {
			fmt.Fprintf(errs, "bench: %s is not built yet\n", l)
			return 2
		}
	}
	fmt.Fprintf(errs, "bench: there is no command %q; run `bench help`\n", args[0])
	return 2
}

func status(err error, name string, errs io.Writer) int {
	var code exit
	var bad usage
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &bad):
		fmt.Fprintf(errs, "bench %s: %v\n", name, err)
		return 2
	default:
		fmt.Fprintf(errs, "bench %s: %v\n", name, err)
		return 2
	}
}

func help(w io.Writer) {
	fmt.Fprintln(w, "bench puts an agent loop through everything that goes wrong between the model's stream and the disk.")
	fmt.Fprintln(w)
	for _, v := range verbs() {
		fmt.Fprintf(w, "  bench %-7s %-10s %s\n", v.name, v.args, v.what)
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "bench COMMAND -h prints the flags of a command.")
	fmt.Fprintln(w, "Exit status: 0 all hold, 1 a finding, 2 wrong usage or a broken scenario, 3 nothing was proved.")
}

// flags parses flags and arguments in any order.
func flags(fs *flag.FlagSet, args []string, errs io.Writer) ([]string, error) {
	fs.SetOutput(errs)
	var rest []string
	for {
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, exit(2) // package flag has said why
		}
		if fs.NArg() == 0 {
			return rest, nil
		}
		// What stands behind "--" are arguments, whatever they look like.
		if n := len(args) - fs.NArg(); n > 0 && args[n-1] == "--" {
			return append(rest, fs.Args()...), nil
		}
		rest = append(rest, fs.Arg(0))
		args = fs.Args()[1:]
	}
}
