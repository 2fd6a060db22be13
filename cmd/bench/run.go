package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/harnessbench/bench/scenarios"
)

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	fs := flag.NewFlagSet("bench run", flag.ContinueOnError)
	fs.Usage = func() {
		fmt.Fprintln(errs, "usage: bench run [flags] FILES...\n\nRuns scenarios and judges what they leave behind. Flags:")
		fs.PrintDefaults()
	}
	var (
		j        = fs.Int("j", 0, "variants at once; 0: one for each processor")
		pattern  = fs.String("run", "", "only variants whose name matches this `regexp`")
		verbose  = fs.Bool("v", false, "print the script's log of every variant")
		update   = fs.Bool("update", false, "let cmp rewrite the scenario files instead of failing")
		seed     = fs.Uint64("seed", 0, "the schedule, and every other choice")
		shard    = fs.String("shard", "", "only part `I/N` of the variants")
		repeat   = fs.Int("repeat", 0, "run each variant so often; its evidence must come out the same")
		real     = fs.Bool("realkill", false, "every kill is a real SIGKILL of a child process")
		jsonFile = fs.String("json", "", "write one JSON object a line to this `file`; -: standard output, instead of the text")
		junit    = fs.String("junit", "", "write a JUnit report to this `file`")
		keep     = fs.String("keep", "", "keep the evidence of what did not pass in this `folder`")
		agentArg = fs.String("agent", "", "drive a foreign agent (not built yet)")
		cover    = fs.Bool("cover", false, "print what was exercised (not built yet)")
	)
	files, err := flags(fs, args, errs)
	if err != nil {
		return err
	}
	if *agentArg != "" || *cover {
		return usagef("-agent and -cover are not built yet")
	}
	o := scenarios.Options{
		Files: files, J: *j, Seed: *seed, Repeat: *repeat, RealKill: *real, Update: *update,
		Verbose: *verbose, KeepDir: *keep,
	}
	if *pattern != "" {
		if o.Run, err = regexp.Compile(*pattern); err != nil {
			return usagef("-run: %v", err)
		}
	}
	if *shard != "" {
		if o.Shard, err = scenarios.ParseShard(*shard); err != nil {
			return usagef("-shard: %v", err)
		}
	}

	var reports []reporter
	text := newText(out, *verbose)
	if *jsonFile == "-" {
		text = newText(errs, false)
		text.quiet = true
		reports = append(reports, &jsonReport{w: out})
	} else if *jsonFile != "" {
		f, err := newFile(*jsonFile)
		if err != nil {
			return err
		}
		defer f.Cleanup()
		reports = append(reports, &jsonReport{w: f, done: f.CloseAtomicallyReplace})
	}
	if *junit != "" {
		f, err := newFile(*junit)
		if err != nil {
			return err
		}
		defer f.Cleanup()
		reports = append(reports, &junitReport{w: f, done: f.CloseAtomicallyReplace})
	}
	reports = append(reports, text)
	o.Report = func(r scenarios.Result) {
		for _, rep := range reports {
			rep.result(r)
		}
	}
	o.Progress = text.progress
	sum, err := scenarios.Run(ctx, o)
	text.stop()
	if err != nil && sum.Variants == 0 {
		return err
	}
	for _, rep := range reports {
		if e := rep.summary(sum); e != nil && err == nil {
			err = e
		}
	}
	if err != nil {
		return err
	}
	if s := sum.ExitStatus(); s != 0 {
		return exit(s)
	}
	return nil
}

// terminal reports whether w is a terminal that people watch.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isTerminal(f)
}
