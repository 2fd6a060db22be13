// Command bench puts an agent loop through everything that goes wrong between
// the model's stream and the disk, and judges what it leaves behind.
//
//	bench run scenarios/*.txtar        run scenarios
//	bench run -cover scenarios/*.txtar and say what of the loop they exercised
//	bench fuzz -time 60s               draw scenarios, and shrink what breaks a rule
//	bench mutants scenarios/*.txtar    run every broken loop, and say what convicts it
//	bench agent -p PROMPT              the reference loop as a headless agent
//	bench list rungs                   what there is
//	bench explain rung/next_turn       why it is there
//
// A run prints a line for each variant of each scenario and a summary. Where
// something does not hold it also prints the rule, the place in the evidence
// and what happened around it, the folder in which the evidence is kept, and
// the command that repeats it. -cover adds what of each closed list of the loop
// the run exercised, and what never. -json and -junit write the same for
// machines; a report file takes its name only when it is whole.
//
// Flags take one or two dashes and may stand before or behind the arguments.
//
// Exit status: 0 everything holds; 1 a finding; 2 wrong usage, or something
// that cannot run; 3 nothing was proved. Over several files the first of 2, 1,
// 3, 0 that occurs. For bench agent: 0 the task is completed, 1 the run ended
// in another way, 2 it could not begin, or could not be recorded.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/harnessbench/bench/scenarios"
)

func main() {
	scenarios.LifeMain() // a process started to be killed never gets further
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // what a scenario leaves lives briefly: a sixth of a run's CPU was collecting it
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() { // the first signal ends things in order, the second at once
		stop()
		fmt.Fprintln(os.Stderr, "bench: ending in order; once more to kill")
	})
	// A reader that is gone is an error of the write, not the end of a process
	// that has work directories to remove and records to write. It is not
	// ignored, because a tool's commands would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	os.Exit(command(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// exit is a status that a command ends with after it has said why.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

type verb struct {
	name, args, what string
	run              func(ctx context.Context, args []string, out, errs io.Writer) error
}

func verbs() []verb {
	return []verb{
		{"run", "FILES...", "run scenarios", run},
		{"fuzz", "[-time D]", "draw scenarios, run them, and shrink what breaks a rule", fuzzing},
		{"mutants", "FILES...", "run every broken loop and say what convicts it", mutate},
		{"agent", "-p PROMPT", "the reference loop as a headless agent", agent},
		{"list", "KIND", "what there is: scenarios, " + strings.Join(kinds(), ", "), list},
		{"explain", "NAME", "why something of that name is there, and what breaks it", explain},
	}
}

// later are the commands that are planned and not built: they are refused by
// name, so that nobody takes a typo for a feature.
var later = []string{"sweep", "record", "import", "export", "diff", "new", "serve", "agents", "matrix", "check"}

func command(ctx context.Context, args []string, out, errs io.Writer) int {
	if len(args) == 0 {
		help(errs)
		return 2
	}
	name, args := args[0], args[1:]
	switch name {
	case "help", "-h", "-help", "--help":
		if len(args) == 0 {
			help(out)
			return 0
		}
		name, args = args[0], []string{"-h"}
	}
	var names []string
	for _, v := range verbs() {
		if v.name == name {
			return status(v.run(ctx, args, out, errs), name, errs)
		}
		names = append(names, v.name)
	}
	for _, l := range later {
		if l == name {
			fmt.Fprintf(errs, "bench: %s is not built yet; there are %s\n", name, strings.Join(names, ", "))
			return 2
		}
	}
	fmt.Fprintf(errs, "bench: there is no command %q; there are %s\n", name, strings.Join(names, ", "))
	return 2
}

// status says what went wrong, unless that was said, and turns it into an exit
// status.
func status(err error, name string, errs io.Writer) int {
	var code exit
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &code):
		return int(code)
	}
	for line := range strings.SplitSeq(err.Error(), "\n") { // errors.Join: several things are wrong
		fmt.Fprintf(errs, "bench %s: %s\n", name, line)
	}
	return 2
}

func help(w io.Writer) {
	fmt.Fprintln(w, "bench puts an agent loop through everything that goes wrong between the model's stream and the disk.")
	fmt.Fprintln(w)
	for _, v := range verbs() {
		fmt.Fprintf(w, "  bench %-7s %-10s %s\n", v.name, v.args, v.what)
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "bench help COMMAND prints the flags of a command. Begin with: bench run scenarios/*.txtar")
	fmt.Fprintln(w, "Exit status: 0 all hold, 1 a finding, 2 wrong usage or something that cannot run, 3 nothing was proved.")
}
